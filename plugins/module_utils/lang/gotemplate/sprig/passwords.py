# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Passwords: bcrypt hashes (by the package ``bcrypt``), lines for ``htpasswd``, and derived passwords."""

from __future__ import annotations

from hashlib import scrypt
from hmac import new

from ...go.values import byte_length, encoded
from ..function import Function
from .packages import missing

_COST = 10
_LONGEST = 72
_SEED = b"com.lyndir.masterpassword"
#: The forms of each kind of derived password; a letter means one of its characters below.
_FORMS = {
    "maximum": "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno",
    "long": (
        "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv "
        "CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv "
        "CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno"
    ),
    "medium": "CvcnoCvc CvcCvcno",
    "short": "Cvcn",
    "basic": "aaanaaan aannaaan aaannaaa",
    "pin": "nnnn",
}
_CHARACTERS = {
    "V": "AEIOU",
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "A": "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
    "a": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
}


def _bcrypt(password: str) -> str:
    if byte_length(password) > _LONGEST:
        return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
    try:
        import bcrypt
    except ImportError:
        raise missing("bcrypt") from None
    hashed: bytes = bcrypt.hashpw(encoded(password), bcrypt.gensalt(_COST, b"2a"))
    return hashed.decode("ascii")


def _htpasswd(user: str, password: str) -> str:
    if ":" in user:
        return "invalid username: " + user
    return f"{user}:{_bcrypt(password)}"


def _derive(counter: int, kind: str, password: str, user: str, site: str) -> str:
    """Return the password for a site that follows from a master password. Rule: the Master Password algorithm.

    Of the counter the lowest 32 bits count.
    """
    if kind not in _FORMS:
        return "cannot find password template " + kind
    salt = _SEED + _counted(user)
    key = scrypt(encoded(password), salt=salt, n=32768, r=8, p=2, dklen=64, maxmem=1 << 27)
    seed = new(key, _SEED + _counted(site) + (counter & 0xFFFFFFFF).to_bytes(4, "big"), "sha256").digest()
    forms = _FORMS[kind].split()
    form = forms[seed[0] % len(forms)]
    letters = [(_CHARACTERS[letter], byte) for letter, byte in zip(form, seed[1:])]
    return "".join(characters[byte % len(characters)] for characters, byte in letters)


def _counted(text: str) -> bytes:
    data = encoded(text)
    return len(data).to_bytes(4, "big") + data


FUNCTIONS = {
    "bcrypt": Function(_bcrypt, "string"),
    "htpasswd": Function(_htpasswd, "string", "string"),
    "derivePassword": Function(_derive, "uint32", "string", "string", "string", "string"),
}
