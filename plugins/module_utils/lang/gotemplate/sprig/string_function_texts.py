# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of Sprig on texts, paths, patterns and versions, and for secrets. Only documentation reads it."""

from __future__ import annotations

_CHANGING = {
    "abbrev": ("abbrev width text", "Return a text cut to a width in bytes, with dots at its end if it was longer."),
    "abbrevboth": (
        "abbrevboth offset width text",
        "Return the part of a text from about an offset on, cut to a width in bytes, with dots where it is cut.",
    ),
    "camelcase": ("camelcase text", "Return a name in the form HttpServer."),
    "hello": ("hello", "Return the text Hello!, always."),
    "indent": ("indent count text", "Return a text with so many spaces in front of each line."),
    "initials": ("initials text", "Return the first letters of the words of a text."),
    "kebabcase": ("kebabcase text", "Return a name in the form http-server."),
    "lower": ("lower text", "Return a text in lower case."),
    "nindent": (
        "nindent count text",
        "Return an end of the line and a text with so many spaces in front of each line.",
    ),
    "nospace": ("nospace text", "Return a text without spaces, tabs and ends of lines."),
    "plural": ("plural one many count", "Return the first text for a count of 1, else the second."),
    "repeat": ("repeat count text", "Return a text so many times, one after the other."),
    "replace": ("replace old new text", "Return a text in which each occurrence of old is replaced by new."),
    "shuffle": ("shuffle text", "Return the letters of a text in random order."),
    "snakecase": ("snakecase text", "Return a name in the form http_server."),
    "substr": (
        "substr from to text",
        "Return the part of a text from one byte, 0 being the first, up to before another, to the end if that is -1.",
    ),
    "swapcase": (
        "swapcase text",
        "Return a text with small letters in upper case and capital letters in lower case.",
    ),
    "title": ("title text", "Return a text with the first letter of each word in upper case."),
    "trim": ("trim text", "Return a text without the blank characters at its begin and its end."),
    "trimAll": ("trimAll characters text", "Return a text without any of these characters at its begin and its end."),
    "trimPrefix": ("trimPrefix prefix text", "Return a text without a prefix, if it begins with it."),
    "trimSuffix": ("trimSuffix suffix text", "Return a text without a suffix, if it ends with it."),
    "trunc": ("trunc count text", "Return the first bytes of a text, for a negative count the last ones."),
    "untitle": ("untitle text", "Return a text with the first letter of each word in lower case."),
    "upper": ("upper text", "Return a text in upper case."),
    "wrap": (
        "wrap width text",
        "Return a text with lines of at most a width in bytes, longer words in lines of their own.",
    ),
    "wrapWith": (
        "wrapWith width separator text",
        "Return a text with a separator between parts of at most a width in bytes, longer words being cut.",
    ),
}

_MAKING = {
    "cat": ("cat value ...", "Return the values that are not nil as one text with spaces between them."),
    "contains": ("contains part text", "Return whether a text has another text in it."),
    "hasPrefix": ("hasPrefix prefix text", "Return whether a text begins with a prefix."),
    "hasSuffix": ("hasSuffix suffix text", "Return whether a text ends with a suffix."),
    "join": ("join separator list", "Return the values of a list as one text with a separator between them."),
    "quote": ("quote value ...", "Return the values in double quotes, escaped as in Go, with spaces between them."),
    "sortAlpha": ("sortAlpha list", "Return the values of a list as texts in alphabetical order, by bytes."),
    "split": ("split separator text", "Return the parts of a text as a map with the keys _0, _1 and so on."),
    "splitList": ("splitList separator text", "Return the parts of a text between separators as a list."),
    "splitn": (
        "splitn separator count text",
        "Return at most so many parts of a text as a map with the keys _0, _1 and so on, the rest in the last one.",
    ),
    "squote": ("squote value ...", "Return the values in single quotes, without escapes, with spaces between them."),
    "toString": ("toString value", "Return a value as text."),
    "toStrings": ("toStrings list", "Return the values of a list as a list of texts."),
}

_PATTERNS = {
    "regexFind": (
        "regexFind pattern text",
        "Return the first match of a regular expression in a text, else an empty text.",
    ),
    "regexFindAll": (
        "regexFindAll pattern text count",
        "Return the list of the matches of a regular expression in a text, at most so many, or all for -1.",
    ),
    "regexMatch": (
        "regexMatch pattern text",
        "Return whether a regular expression matches a part of a text; an invalid one matches nothing.",
    ),
    "regexQuoteMeta": ("regexQuoteMeta text", "Return a regular expression that matches exactly this text."),
    "regexReplaceAll": (
        "regexReplaceAll pattern text replacement",
        "Return a text with each match of a regular expression replaced, where ${1} stands for the first group.",
    ),
    "regexReplaceAllLiteral": (
        "regexReplaceAllLiteral pattern text replacement",
        "Return a text with each match of a regular expression replaced by a text as it is.",
    ),
    "regexSplit": (
        "regexSplit pattern text count",
        "Return the list of the parts between matches of a regular expression, at most so many, or all for -1.",
    ),
}

_PLACES = {
    "base": ("base path", "Return the last part of a path."),
    "clean": ("clean path", "Return the shortest path with the same meaning, found without looking at files."),
    "dir": ("dir path", "Return a path without its last part, the current directory if it has only one."),
    "env": ("env name", "Return a variable of the environment of the process, an empty text if it is not set."),
    "expandenv": ("expandenv text", "Return a text with $NAME and ${NAME} replaced by variables of the environment."),
    "ext": ("ext path", "Return the extension of the name of a file with its dot, an empty text if it has none."),
    "getHostByName": (
        "getHostByName name",
        "Return an address of a host, any one of several, from the resolver of the machine, which may ask DNS.",
    ),
    "isAbs": ("isAbs path", "Return whether a path begins with /."),
    "urlJoin": ("urlJoin map", "Return the URL of a map with the keys that urlParse gives, hostname having no effect."),
    "urlParse": (
        "urlParse text",
        "Return a URL as a map with scheme, host, hostname, path, query, opaque, fragment and userinfo.",
    ),
}

_VERSIONS = {
    "semver": (
        "semver text",
        "Return a semantic version with .Major, .Minor, .Patch, .Prerelease, .Metadata, .Original and .Compare.",
    ),
    "semverCompare": (
        "semverCompare constraint version",
        "Return whether a semantic version meets a constraint such as >=1.2, <2 || ~3.1 || ^5.",
    ),
}

_ENCODINGS = {
    "adler32sum": ("adler32sum text", "Return the Adler-32 checksum of a text as a decimal number."),
    "b32dec": ("b32dec text", "Return the text that is encoded in base32, or the message of the error if none is."),
    "b32enc": ("b32enc text", "Return a text encoded in base32."),
    "b64dec": ("b64dec text", "Return the text that is encoded in base64, or the message of the error if none is."),
    "b64enc": ("b64enc text", "Return a text encoded in base64."),
    "sha1sum": ("sha1sum text", "Return the SHA-1 checksum of a text in hexadecimal digits."),
    "sha256sum": ("sha256sum text", "Return the SHA-256 checksum of a text in hexadecimal digits."),
    "sha512sum": ("sha512sum text", "Return the SHA-512 checksum of a text in hexadecimal digits."),
}

_SECRETS = {
    "bcrypt": (
        "bcrypt password",
        "Return the bcrypt hash of a password with a random salt (needs the package bcrypt).",
    ),
    "decryptAES": (
        "decryptAES password text",
        "Return what encryptAES has encrypted with this password (needs the package cryptography).",
    ),
    "derivePassword": (
        "derivePassword counter kind password user site",
        "Return a password for a site derived from a master password, always the same; the kind is maximum, long, "
        "medium, short, basic or pin.",
    ),
    "encryptAES": (
        "encryptAES password text",
        "Return a text encrypted with AES-256 in base64, another result each time (needs the package cryptography).",
    ),
    "htpasswd": (
        "htpasswd user password",
        "Return a line for an htpasswd file with a bcrypt hash and a random salt (needs the package bcrypt).",
    ),
    "randAlpha": ("randAlpha count", "Return a text of so many random letters of ASCII."),
    "randAlphaNum": ("randAlphaNum count", "Return a text of so many random letters and digits of ASCII."),
    "randAscii": ("randAscii count", "Return a text of so many random characters of ASCII that can be printed."),
    "randBytes": ("randBytes count", "Return so many random bytes, encoded in base64."),
    "randNumeric": ("randNumeric count", "Return a text of so many random digits."),
    "uuidv4": ("uuidv4", "Return a random UUID of version 4."),
}

# All of them need the package cryptography.
_CERTIFICATES = {
    "buildCustomCert": (
        "buildCustomCert cert key",
        "Return a certificate with .Cert and .Key from a certificate and its private key, both PEM in base64",
    ),
    "genCA": (
        "genCA name days",
        "Return a new certificate of an authority, valid so many days, as .Cert and .Key in PEM with a random RSA key",
    ),
    "genCAWithKey": (
        "genCAWithKey name days key",
        "Return a new certificate of an authority, valid so many days, as .Cert and .Key in PEM for a private key",
    ),
    "genPrivateKey": (
        "genPrivateKey kind",
        "Return a random private key in PEM, of the kind rsa, dsa, ecdsa or ed25519",
    ),
    "genSelfSignedCert": (
        "genSelfSignedCert name ips dns days",
        "Return a certificate signed by its own random RSA key as .Cert and .Key in PEM, for lists of IP addresses and "
        "DNS names that may be nil",
    ),
    "genSelfSignedCertWithKey": (
        "genSelfSignedCertWithKey name ips dns days key",
        "Return a certificate signed by a given private key, its own, as .Cert and .Key in PEM, for lists of IP "
        "addresses and DNS names that may be nil",
    ),
    "genSignedCert": (
        "genSignedCert name ips dns days ca",
        "Return a certificate signed by an authority as genCA gives it, as .Cert and .Key in PEM with a random RSA "
        "key, for lists of IP addresses and DNS names that may be nil",
    ),
    "genSignedCertWithKey": (
        "genSignedCertWithKey name ips dns days ca key",
        "Return a certificate signed by an authority as genCA gives it, as .Cert and .Key in PEM for a private key, "
        "for lists of IP addresses and DNS names that may be nil",
    ),
}

TEXTS = {
    **_CHANGING,
    **_MAKING,
    **_PATTERNS,
    **_PLACES,
    **_VERSIONS,
    **_ENCODINGS,
    **_SECRETS,
    **{name: (call, f"{does} (needs the package cryptography).") for name, (call, does) in _CERTIFICATES.items()},
}
#: Other names of functions, each with the name that has the text; they do the same.
ALIASES = {
    "mustRegexFind": "regexFind",
    "mustRegexFindAll": "regexFindAll",
    "mustRegexReplaceAll": "regexReplaceAll",
    "mustRegexReplaceAllLiteral": "regexReplaceAllLiteral",
    "mustRegexSplit": "regexSplit",
    "osBase": "base",
    "osClean": "clean",
    "osDir": "dir",
    "osExt": "ext",
    "osIsAbs": "isAbs",
    "trimall": "trimAll",
}
#: Functions that fail, each with the function that gives another value instead.
STRICT = {"mustRegexMatch": "regexMatch"}
