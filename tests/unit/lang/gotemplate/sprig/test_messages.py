# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of calls of Sprig's functions: the messages."""

from __future__ import annotations

import pytest
from ccm.lang.go.json_faults import fault_in
from ccm.lang.go.values import AnyMap
from ccm.lang.gotemplate.errors import TemplateFault

from tests.unit.lang.gotemplate.sprig.rendering import outcome, render

FAULTS = [
    ('urlParse "http://[1.2.3.4]/"', 'urlParse: unable to parse url: parse "http://[1.2.3.4]/": invalid IP-literal'),
    (
        'urlParse "http://[1.2.3.04]/"',
        'urlParse: unable to parse url: parse "http://[1.2.3.04]/": invalid host: ParseAddr("1.2.3.'
        '04"): IPv4 field has octet with leading zero',
    ),
    (
        'urlParse "http://[1.2.3.256]/"',
        'urlParse: unable to parse url: parse "http://[1.2.3.256]/": invalid host: ParseAddr("1.2.3'
        '.256"): IPv4 field has value >255',
    ),
    (
        'urlParse "http://[1.2.x.4]/"',
        'urlParse: unable to parse url: parse "http://[1.2.x.4]/": invalid host: ParseAddr("1.2.x.4'
        '"): unexpected character (at "x.4")',
    ),
    (
        'urlParse "http://[1..2.3]/"',
        'urlParse: unable to parse url: parse "http://[1..2.3]/": invalid host: ParseAddr("1..2.3")'
        ': IPv4 field must have at least one digit (at ".2.3")',
    ),
    (
        'urlParse "http://[1.2.3.4.5]/"',
        'urlParse: unable to parse url: parse "http://[1.2.3.4.5]/": invalid host: ParseAddr("1.2.3'
        '.4.5"): IPv4 address too long',
    ),
    (
        'urlParse "http://[1.2.3]/"',
        'urlParse: unable to parse url: parse "http://[1.2.3]/": invalid host: ParseAddr("1.2.3"): '
        "IPv4 address too short",
    ),
    (
        'urlParse "http://[::1%25]/"',
        'urlParse: unable to parse url: parse "http://[::1%25]/": invalid host: ParseAddr("::1%"): '
        "zone must be a non-empty string",
    ),
    (
        'urlParse "http://[1:2:3:4:5:6:7:8:9]/"',
        'urlParse: unable to parse url: parse "http://[1:2:3:4:5:6:7:8:9]/": invalid host: ParseAdd'
        'r("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")',
    ),
    (
        'urlParse "http://[1:2]/"',
        'urlParse: unable to parse url: parse "http://[1:2]/": invalid host: ParseAddr("1:2"): addr'
        "ess string too short",
    ),
    (
        'urlParse "http://[1::2:3:4:5:6:7:8]/"',
        'urlParse: unable to parse url: parse "http://[1::2:3:4:5:6:7:8]/": invalid host: ParseAddr'
        '("1::2:3:4:5:6:7:8"): the :: must expand to at least one field of zeros',
    ),
    (
        'urlParse "http://[1:2:3:4:5.6.7.8]/"',
        'urlParse: unable to parse url: parse "http://[1:2:3:4:5.6.7.8]/": invalid host: ParseAddr('
        '"1:2:3:4:5.6.7.8"): embedded IPv4 address must replace the final 2 fields of the address ('
        'at "5.6.7.8")',
    ),
    (
        'urlParse "http://[::1:2:3:4:5:6:7:1.2.3.4]/"',
        'urlParse: unable to parse url: parse "http://[::1:2:3:4:5:6:7:1.2.3.4]/": invalid host: Pa'
        'rseAddr("::1:2:3:4:5:6:7:1.2.3.4"): too many hex fields to fit an embedded IPv4 at the end'
        ' of the address (at "1.2.3.4")',
    ),
    (
        'urlParse "http://[1:2g]/"',
        'urlParse: unable to parse url: parse "http://[1:2g]/": invalid host: ParseAddr("1:2g"): un'
        'expected character, want colon (at "g")',
    ),
    (
        'urlParse "http://[1:]/"',
        'urlParse: unable to parse url: parse "http://[1:]/": invalid host: ParseAddr("1:"): colon '
        'must be followed by more characters (at ":")',
    ),
    (
        'urlParse "http://[1::2::3]/"',
        'urlParse: unable to parse url: parse "http://[1::2::3]/": invalid host: ParseAddr("1::2::3'
        '"): multiple :: in address (at ":3")',
    ),
    (
        'urlParse "http://[12345::]/"',
        'urlParse: unable to parse url: parse "http://[12345::]/": invalid host: ParseAddr("12345::'
        '"): each group must have 4 or less digits (at "12345::")',
    ),
    (
        'urlParse "http://[:::]/"',
        'urlParse: unable to parse url: parse "http://[:::]/": invalid host: ParseAddr(":::"): each'
        ' colon-separated field must have at least one digit (at ":")',
    ),
    (
        'urlParse "http://[%25x]/"',
        'urlParse: unable to parse url: parse "http://[%25x]/": invalid host: ParseAddr("%x"): missing IPv6 address',
    ),
    ('urlJoin (dict "host" nil)', "urlJoin: runtime error: invalid memory address or nil pointer dereference"),
    ('dig 1 "d" (dict)', "dig: interface conversion: interface {} is int, not string"),
    ('dig nil "d" (dict)', "dig: interface conversion: interface {} is nil, not string"),
    ('dig "a" "d" nil', "dig: interface conversion: interface {} is nil, not map[string]interface {}"),
    ("mustToJson 1i", "mustToJson: json: unsupported type: complex128"),
    ('mustToDate "MST" "x"', 'mustToDate: parsing time "x" as "MST": cannot parse "x" as "MST"'),
    ('mustFromJson (repeat 30000 "[")', "mustFromJson: exceeded max depth"),
    ('semver "1.2.3-"', "semver: invalid semantic version"),
    (
        'semver "99999999999999999999.1.1"',
        'semver: error parsing version segment: strconv.ParseUint: parsing "99999999999999999999": value out of range',
    ),
    ('semver "1.2.3-01"', "semver: version segment starts with 0"),
    ('semver (repeat 300 "1")', "semver: version string is too long (max 256 bytes)"),
    ('semverCompare ">" "1.2.3"', 'semverCompare: improper constraint: ">"'),
    ('semverCompare (repeat 600 "1") "1.2.3"', "semverCompare: constraint string is too long (max 512 bytes)"),
    ('(semver "18446744073709551615.1.1").IncMajor', "IncMajor: major version increment would overflow uint64"),
    ('(semver "1.1.1").SetPrerelease "é"', "SetPrerelease: invalid prerelease string"),
    ('(semver "1.1.1").SetMetadata "é"', "SetMetadata: invalid metadata string"),
    ('mustFromJson "[1,"', "mustFromJson: unexpected end of JSON input"),
    ('mustFromJson "x"', "mustFromJson: invalid character 'x' looking for beginning of value"),
    ('urlParse "http://a:b/"', 'urlParse: unable to parse url: parse "http://a:b/": invalid port ":b" after host'),
    ('urlParse "http://[::1"', "urlParse: unable to parse url: parse \"http://[::1\": missing ']' in host"),
    ('urlParse "%zz"', 'urlParse: unable to parse url: parse "%zz": invalid URL escape "%zz"'),
    ('urlParse ":x"', 'urlParse: unable to parse url: parse ":x": missing protocol scheme'),
    ('urlParse "1:x"', 'urlParse: unable to parse url: parse "1:x": first path segment in URL cannot contain colon'),
    (
        'urlParse "http://a b/"',
        'urlParse: unable to parse url: parse "http://a b/": invalid character " " in host name',
    ),
    ('urlParse "\\u007f"', 'urlParse: unable to parse url: parse "\\x7f": net/url: invalid control character in URL'),
    ('urlJoin (dict "host" 1)', "urlJoin: unable to parse host key, must be of type string, but int found"),
    (
        'urlParse "http://u\\u00e9 x@b"',
        'urlParse: unable to parse url: parse "http://ué x@b": net/url: invalid userinfo',
    ),
    ('urlParse "http://%20/"', 'urlParse: unable to parse url: parse "http://%20/": invalid URL escape "%20"'),
    ('dateModify "x" now', "time.Time|2024-02-29 10:30:12 +0000 UTC"),
    ('mustToDate "2006" "x"', 'mustToDate: parsing time "x" as "2006": cannot parse "x" as "2006"'),
    ('mustToDate "2006-01-02" "2024-13-01"', 'mustToDate: parsing time "2024-13-01": month out of range'),
    ('mustRegexMatch "[" "a"', "mustRegexMatch: error parsing regexp: missing closing ]: `[`"),
    ('mustRegexReplaceAll "(" "a" "b"', "mustRegexReplaceAll: error parsing regexp: missing closing ): `(`"),
    ("until 99999999999", "until: a range of 99999999999 numbers is too long: 2097152 are the most"),
    ("randBytes -1", "randBytes: runtime error: makeslice: len out of range"),
    ("randInt 5 1", "randInt: invalid argument to Intn"),
    ('repeat 99999999999 "a"', "repeat: a text of 99999999999 characters is too long: 67108864 are the most"),
    ('nindent -1 "a"', "nindent: strings: negative Repeat count"),
    ("dig 1", "dig: dig needs at least three arguments"),
    ("first nil", "first: runtime error: invalid memory address or nil pointer dereference"),
    ("mustFirst 1", "mustFirst: Cannot find first on type int"),
    ("mustLast 1", "mustLast: Cannot find last on type int"),
    ("mustInitial 1", "mustInitial: Cannot find initial on type int"),
    ("mustRest 1", "mustRest: Cannot find rest on type int"),
    ("mustSlice 1 2", "mustSlice: list should be type of slice or array but int"),
    ("mustUniq 1", "mustUniq: Cannot find uniq on type int"),
    ("mustWithout 1 2", "mustWithout: Cannot find without on type int"),
    ("mustHas 1 2", "mustHas: Cannot find has on type int"),
    ("mustCompact 1", "mustCompact: Cannot compact on type int"),
    ("mustChunk 1 2", "mustChunk: Cannot chunk type int"),
    ("mustChunk 0 (list 1)", "mustChunk: runtime error: makeslice: len out of range"),
    ("mustReverse 1", "mustReverse: Cannot find reverse on type int"),
    ("mustAppend 1 1", "mustAppend: Cannot push on type int"),
    ("mustPrepend 1 1", "mustPrepend: Cannot prepend on type int"),
    ("concat 1", "concat: Cannot concat type int as list"),
    ("mustToJson now.Clock", ""),
    ("now.ISOWeek", ""),
    ("now.Zone", ""),
    ("(now).Date", ""),
    ("mustMerge 1 2", ""),
    ('set nil "a" 1', "set: assignment to entry in nil map"),
    ("divf 1 0", "divf: decimal division by 0"),
    ("div 1 0", "div: runtime error: integer divide by zero"),
    ('substr 3 1 "abc"', "substr: runtime error: slice bounds out of range [3:1]"),
    ("index 1 2", "index: can't index item of type int"),
    ('index (semver "1.2.3") 2', "index: can't index item of type semver.Version"),
    ('index (list 1) "a"', "index: cannot index slice/array with type string"),
    ("index (dict) 1", "index: value has type int; should be string"),
    ("call 1", "call: non-function 1 of type int"),
    ("call nil", "call: call of nil"),
    ("len 1", "len: len of type int"),
    ('len (semver "1.2.3")', "len: len of type semver.Version"),
    ("len nil", "len: reflect: call of reflect.Value.Type on zero Value"),
    ('lt 1 "a"', "lt: incompatible types for comparison: int and string"),
    ("lt (list) 1", "lt: invalid type for comparison"),
    ("eq (list) (list)", "eq: non-comparable type []: []interface {}"),
    ("eq 1", "eq: missing argument for comparison"),
    ("kindIs 1 2", ""),
    ('getHostByName "x"', "getHostByName: invalid argument to Intn"),
    ('b64dec "!"', "string|illegal base64 data at input byte 0"),
    ('urlParse "http://a[b/"', 'urlParse: unable to parse url: parse "http://a[b/": invalid IP-literal'),
    (
        'urlJoin (dict "host" "a" "userinfo" 1)',
        "urlJoin: unable to parse userinfo key, must be of type string, but int found",
    ),
    (
        'urlJoin (dict "userinfo" "%zz")',
        'urlJoin: unable to parse userinfo in dict: parse "proto://%zz@host": invalid URL escape "%zz"',
    ),
    ('semverCompare (repeat 40 "||1") "1.2.3"', "semverCompare: too many constraint groups (max 32)"),
]


@pytest.mark.parametrize(("call", "message"), FAULTS)
def test_messages_for_calls(call, message):
    assert outcome(call) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 10001, "exceeded max depth"),
        ('{"a":' * 10001, "exceeded max depth"),
        ("[" * 10000, "unexpected end of JSON input"),
        ("[" * 2000 + "x", "invalid character 'x' looking for beginning of value"),
        ('{"a":{"b":[{},[1,{"c":[]}]]},"d":2}', ""),
    ],
)
def test_the_depth_limit_of_json_does_not_depend_on_python(text, message):
    assert fault_in(text) == message


def deep(levels):
    """Return a map in a map in a map."""
    inner = {}
    for _level in range(levels):
        inner = {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("call", "data", "message"),
    [
        ("mustToJson .", AnyMap({1: 2}), "json: unsupported type: map[interface {}]interface {}"),
        ("mustMerge .a .b", {"a": deep(5000), "b": deep(5000)}, "maps are nested too deeply to be merged"),
    ],
)
def test_messages_for_data(call, data, message):
    with pytest.raises(TemplateFault) as caught:
        render("{{ " + call + " }}", data)
    assert str(caught.value).endswith(f"error calling {call.split()[0]}: {message}")
