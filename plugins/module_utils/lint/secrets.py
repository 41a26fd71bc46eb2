# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Secrets in plain text in a manifest."""

from __future__ import annotations

import re

from ..redaction.names import end_of_user
from .placeholders import holds_expression
from .walk import given_fields, given_properties, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.property import Property
    from ..model.values import Data, Path, Value
    from .declared import Block
    from .review import Review

RULE = "plain-secret"
_ADVICE = "let an expression bring it: from Environ, from a file, or from data given with --hiera"
_ADVICE_FOR_DATA = "leave it out and give it with --hiera, or let an expression bring it where it is used"
_WORD = r"(?:password|passwd|passphrase|secret|token|api_?key|private_?key|credentials?)"
_SECRET_NAME = re.compile(rf"(?i)(?:^|[_.-]){_WORD}$|^\w*{_WORD}$")
_ASSIGNED = re.compile(rf"(?im)^[^\S\n]*(?:export\s+)?[\w.-]*{_WORD}[\"']?[^\S\n]*[:=][^\S\n]*(?=[^\s#])(.*)$")
# Values that are no secrets: variables of a shell, placeholders, words for yes and no, encrypted values.
_NO_SECRET = re.compile(r"(?i)[\"']?(?:[$<%*({\[|>/]|ENC\[|(?:true|false|yes|no|on|off|none|null)\b)")


class Secrets:
    """Notes literal secrets of one manifest; the value of an expression is none."""

    def __init__(self, review: Review) -> None:
        self._review = review

    def check_data(self, value: Data) -> None:
        """Check data and overrides."""
        for section in ("data", "overrides"):
            self._check_data(value.get(section), (section,))

    def check_block(self, block: Block) -> None:
        """Check the properties of resources and of their defaults."""
        for prop, value, path, about in given_properties(block):
            key = str(path[-1])
            if prop.secret:
                for text, below in texts(value, path):
                    if text and not holds_expression(text):
                        self._note(f"{key} is a secret in plain text", below, about, key)
            elif prop.kind == "data":
                self._check_data(value, path, about)
            elif prop.kind == "objects":
                for field, entry, below in given_fields(prop, value, path):
                    self._check_field(field, entry, below, about, key)
            else:
                for text, below in texts(value, path):
                    self._check_text(text, below, about, key)

    def _check_field(self, field: Property, value: Value, path: Path, about: str, key: str) -> None:
        if field.kind == "data":
            self._check_rules(value, path, about, key)
            return
        for text, below in texts(value, path):
            self._check_text(text, below, about, key)

    def _check_rules(self, value: Value, path: Path, about: str, key: str) -> None:
        """Check rules of goss, whose names can be addresses and commands."""
        if isinstance(value, dict):
            for name, entry in value.items():
                below = (*path, name)
                self._check_text(name, below, about, key)
                if isinstance(entry, str) and entry and _SECRET_NAME.search(name) and _is_secret(entry):
                    self._note(f"{name} seems to be a secret in plain text", below, about, key)
                else:
                    self._check_rules(entry, below, about, key)
        elif isinstance(value, list):
            for at, entry in enumerate(value):
                if path[-1] == "request-headers" and _is_secret_header(entry):
                    self._note("request-headers seems to hold a secret in plain text", (*path, at), about, key)
                else:
                    self._check_rules(entry, (*path, at), about, key)
        elif isinstance(value, str):
            self._check_text(value, path, about, key)

    def _check_text(self, text: str, path: Path, about: str, key: str) -> None:
        if _has_password(text):
            self._note(f"{key} has a URL with a password in plain text", path, about, key)
        elif any(_is_secret(found.group(1)) for found in _ASSIGNED.finditer(text)):
            self._note(f"{key} seems to set a secret in plain text", path, about, key)

    def _check_data(self, value: Value, path: Path, about: str = "") -> None:
        if isinstance(value, dict):
            for key, entry in value.items():
                if isinstance(entry, str) and entry and _SECRET_NAME.search(key) and _is_secret(entry):
                    self._note(f"{key} seems to be a secret in plain text", (*path, key), about, "")
                else:
                    self._check_data(entry, (*path, key), about)
        elif isinstance(value, list):
            for at, entry in enumerate(value):
                self._check_data(entry, (*path, at), about)
        elif isinstance(value, str) and _has_password(value):
            self._note("a URL has a password in plain text", path, about, "")

    def _note(self, message: str, path: Path, about: str, property: str) -> None:
        # Expressions in data and overrides have only facts.
        advice = _ADVICE_FOR_DATA if path[0] in ("data", "overrides") else _ADVICE
        self._review.warn(
            RULE, message, self._review.key(path), shown=False, resource=about, property=property, advice=advice
        )


def _has_password(text: str) -> bool:
    """Return whether a URL in a text has a literal password."""
    if "://" not in text:
        return False
    for address in text.split("://")[1:]:
        password = address[: max(end_of_user(address), 0)].partition(":")[2]
        if password and not holds_expression(password):
            return True
    return False


def _is_secret_header(line: Value) -> bool:
    name, separator, value = line.partition(":") if isinstance(line, str) else ("", "", "")
    is_known = name.lower() in ("authorization", "proxy-authorization", "cookie")
    return bool(separator) and (is_known or bool(_SECRET_NAME.search(name))) and _is_secret(value.strip())


def _is_secret(text: str) -> bool:
    return not (holds_expression(text) or _NO_SECRET.match(text))
