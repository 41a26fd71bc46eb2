# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""All functions of Sprig 3.3 by name, each imported when a template first asks for it.

What depends on the machine they ask of the context that ``Template.render`` was given:

* ``now()``: the time, a ``go.time.times.Time``;
* ``random(count)``: so many random bytes;
* ``environ``: the variables of the environment, a mapping;
* ``addresses(name)``: the addresses of a host as texts, an empty list when it has none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..function import Function

    # Ansible sends the modules of all import statements to nodes, also of statements that do not run.
    from . import (  # noqa: F401
        casing,
        certificates,
        ciphers,
        constraints,
        dates,
        defaults,
        dicts,
        digests,
        encodings,
        environment,
        floats,
        integers,
        jsontexts,
        lists,
        passwords,
        paths,
        randoms,
        reflection,
        regexps,
        splitting,
        strings,
        urls,
        versions,
        wrapping,
    )

#: The functions of each module.
_MODULES = {
    "casing": ("snakecase kebabcase camelcase"),
    "certificates": (
        "genPrivateKey buildCustomCert genCA genCAWithKey genSelfSignedCert genSelfSignedCertWithKey "
        "genSignedCert genSignedCertWithKey"
    ),
    "ciphers": ("encryptAES decryptAES"),
    "constraints": ("semverCompare"),
    "dates": (
        "now date dateInZone date_in_zone htmlDate htmlDateInZone dateModify date_modify mustDateModify "
        "must_date_modify ago duration durationRound toDate mustToDate unixEpoch"
    ),
    "defaults": ("default empty coalesce all any ternary fail"),
    "dicts": (
        "dict get set unset hasKey pluck keys values pick omit dig merge mustMerge mergeOverwrite "
        "mustMergeOverwrite deepCopy mustDeepCopy"
    ),
    "digests": ("sha1sum sha256sum sha512sum adler32sum"),
    "encodings": ("b64enc b64dec b32enc b32dec"),
    "environment": ("env expandenv getHostByName"),
    "floats": ("add1f addf subf mulf divf maxf minf floor ceil round"),
    "integers": ("atoi int64 int float64 toDecimal add1 add sub mul div mod biggest max min until untilStep seq"),
    "jsontexts": ("fromJson mustFromJson toJson mustToJson toPrettyJson mustToPrettyJson toRawJson mustToRawJson"),
    "lists": (
        "list tuple append push mustAppend mustPush prepend mustPrepend first mustFirst last mustLast rest "
        "mustRest initial mustInitial reverse mustReverse compact mustCompact uniq mustUniq without "
        "mustWithout has mustHas slice mustSlice concat chunk mustChunk"
    ),
    "passwords": ("bcrypt htpasswd derivePassword"),
    "paths": ("base osBase clean osClean dir osDir ext osExt isAbs osIsAbs"),
    "randoms": ("randAlphaNum randAlpha randNumeric randAscii randBytes randInt shuffle uuidv4"),
    "reflection": ("typeOf typeIs typeIsLike kindOf kindIs deepEqual"),
    "regexps": (
        "regexMatch mustRegexMatch regexFind mustRegexFind regexFindAll mustRegexFindAll regexReplaceAll "
        "mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral regexSplit mustRegexSplit "
        "regexQuoteMeta"
    ),
    "splitting": ("split splitList splitn join toStrings sortAlpha"),
    "strings": (
        "hello trim trimall trimAll trimSuffix trimPrefix upper lower title untitle swapcase trunc substr "
        "repeat nospace initials abbrev abbrevboth contains hasPrefix hasSuffix quote squote cat indent "
        "nindent replace plural toString"
    ),
    "urls": ("urlParse urlJoin"),
    "versions": ("semver"),
    "wrapping": ("wrap wrapWith"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

#: Every name that is a function of Sprig.
NAMES = frozenset(_HOMES)


def function(name: str) -> Function | None:
    """Return a function, importing the module that holds it; None when Sprig has none of that name."""
    module = _HOMES.get(name)
    return None if module is None else _functions_of(module)[name]


def _functions_of(module: str) -> dict[str, Function]:
    """Return the functions of a module by name, imported now."""
    found: dict[str, Function] = __import__(f"{__package__}.{module}", fromlist=["FUNCTIONS"]).FUNCTIONS
    return found
