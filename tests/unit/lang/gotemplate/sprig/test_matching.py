# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sprig's functions for regular expressions, semantic versions and URLs."""

from __future__ import annotations

import pytest

from tests.unit.lang.gotemplate.sprig.rendering import outcome

#: A call, and its type and value in Go, or its error.
OUTCOMES = [
    ('regexMatch "^a+$" "aaa"', "bool|true"),
    ('regexMatch "[" "a"', "bool|false"),
    ('mustRegexMatch "[" "a"', "mustRegexMatch: error parsing regexp: missing closing ]: `[`"),
    ('mustRegexMatch "(?i)A" "xa"', "bool|true"),
    ('regexFind "a(b)?" "cab"', "string|ab"),
    ('regexFind "x" "cab"', "string|"),
    ('regexFind "(" "a"', "regexFind: regexp: Compile(`(`): error parsing regexp: missing closing ): `(`"),
    ('mustRegexFind "(" "a"', "mustRegexFind: error parsing regexp: missing closing ): `(`"),
    ('regexFindAll "[a-z]+" "ab 1 cd ef" 2', "[]string|[ab cd]"),
    ('regexFindAll "[a-z]+" "ab 1 cd ef" -1', "[]string|[ab cd ef]"),
    ('regexFindAll "a" "aaa" 0', "[]string|[]"),
    ('regexFindAll "a`*" "a" -1', "[]string|[a]"),
    (
        'regexFindAll "a**`" "a" -1',
        'regexFindAll: regexp: Compile("a**`"): error parsing regexp: invalid nested repetition operator: `**`',
    ),
    (
        'mustRegexFindAll "*" "a" 1',
        "mustRegexFindAll: error parsing regexp: missing argument to repetition operator: `*`",
    ),
    ('regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"', "string|-W-xxW-"),
    ('regexReplaceAll "(?P<n>a)" "a" "$nx ${n}x $$"', "string| ax $"),
    ('regexReplaceAll "" "ab" "-"', "string|-a-b-"),
    ('mustRegexReplaceAll ")" "a" "b"', "mustRegexReplaceAll: error parsing regexp: unexpected ): `)`"),
    ('regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "${1}"', "string|-${1}-${1}-"),
    ('mustRegexReplaceAllLiteral "a" "a" "$0"', "string|$0"),
    ('regexSplit "z+" "pizza" -1', "[]string|[pi a]"),
    ('regexSplit "z+" "pizza" 1', "[]string|[pizza]"),
    ('regexSplit "z" "pizza" 0', "[]string|[]"),
    ('mustRegexSplit "[" "a" 1', "mustRegexSplit: error parsing regexp: missing closing ]: `[`"),
    ('semver "v1.2"', "*semver.Version|1.2.0"),
    ('semver "1.2.3-beta.1+b5"', "*semver.Version|1.2.3-beta.1+b5"),
    ('semver "01.2.3"', "*semver.Version|1.2.3"),
    ('semver "1.2.3-01"', "semver: version segment starts with 0"),
    ('semver "1.2.3.4"', "semver: invalid semantic version"),
    ('semver ""', "semver: invalid semantic version"),
    (
        'semver "99999999999999999999.1"',
        (
            'semver: error parsing version segment: strconv.ParseUint: parsing "99999999999999999999": value out '
            "of range"
        ),
    ),
    ('semverCompare "1.2.3" "v1.2.3+meta"', "bool|true"),
    ('semverCompare ">=1.2 <2" "1.9.9"', "bool|true"),
    ('semverCompare ">= 1.2, < 2" "2.0.0"', "bool|false"),
    ('semverCompare "^1 || ^3" "3.4.5"', "bool|true"),
    ('semverCompare "~1.2.3" "1.2.9"', "bool|true"),
    ('semverCompare "~1.2.3" "1.3.0"', "bool|false"),
    ('semverCompare "~1" "1.9.0"', "bool|true"),
    ('semverCompare "~0" "3.0.0"', "bool|false"),
    ('semverCompare "~>2.x" "2.5.0"', "bool|true"),
    ('semverCompare "^0.2.3" "0.2.9"', "bool|true"),
    ('semverCompare "^0.2.3" "0.3.0"', "bool|false"),
    ('semverCompare "^0.0.3" "0.0.4"', "bool|false"),
    ('semverCompare "^0" "0.9.0"', "bool|true"),
    ('semverCompare "^*" "0.0.1"', "bool|false"),
    ('semverCompare "1.2.x" "1.2.9"', "bool|true"),
    ('semverCompare "*" "1.2.9"', "bool|true"),
    ('semverCompare "*" "1.2.9-beta"', "bool|false"),
    ('semverCompare ">1.2" "1.2.9"', "bool|false"),
    ('semverCompare ">1" "1.9.0"', "bool|false"),
    ('semverCompare ">1" "2.0.0"', "bool|true"),
    ('semverCompare "<=1.2" "1.2.9"', "bool|true"),
    ('semverCompare "<=1" "1.9.0"', "bool|true"),
    ('semverCompare "!=1.2" "1.2.9"', "bool|false"),
    ('semverCompare "!=1" "2.0.0"', "bool|true"),
    ('semverCompare "!=1.2.3" "1.2.4"', "bool|true"),
    ('semverCompare "!=1.2.x-beta" "1.2.0-beta"', "bool|false"),
    ('semverCompare "1.2 - 1.4" "1.4.5"', "bool|true"),
    ('semverCompare "1 - 2" "2.0.0"', "bool|true"),
    ('semverCompare "=>1.2.3" "1.2.3"', "bool|true"),
    ('semverCompare ">=1.2.3-0" "1.2.4-beta"', "bool|true"),
    ('semverCompare ">1.2.3-alpha.2" "1.2.3-alpha.10"', "bool|true"),
    ('semverCompare ">1.2.3-alpha.2" "1.2.3-alpha.beta"', "bool|true"),
    ('semverCompare "=1.2.3" "1.2.3-rc"', "bool|false"),
    ('semverCompare "" "1.2.3"', 'semverCompare: improper constraint: ""'),
    ('semverCompare "one" "1.2.3"', 'semverCompare: improper constraint: "one"'),
    ('semverCompare "1|2" "1.2.3"', "semverCompare: constraint parser error"),
    ('semverCompare ">1" "x"', "semverCompare: invalid semantic version"),
    (
        'urlParse "http://user:p%40ss@host:80/a%20b?q=1&r#f%21"',
        (
            "map[string]interface {}|map[fragment:f! host:host:80 hostname:host opaque: path:/a b query:q=1&r sch"
            "eme:http userinfo:user:p%40ss]"
        ),
    ),
    (
        'urlParse "mailto:a@b"',
        "map[string]interface {}|map[fragment: host: hostname: opaque:a@b path: query: scheme:mailto userinfo:]",
    ),
    (
        'urlParse "//h/p"',
        "map[string]interface {}|map[fragment: host:h hostname:h opaque: path:/p query: scheme: userinfo:]",
    ),
    (
        'urlParse "/rel/é"',
        "map[string]interface {}|map[fragment: host: hostname: opaque: path:/rel/é query: scheme: userinfo:]",
    ),
    (
        'urlParse "HTTPS://[fe80::1%25eth0]:443/"',
        (
            "map[string]interface {}|map[fragment: host:[fe80::1%eth0]:443 hostname:fe80::1%eth0 opaque: path:/ q"
            "uery: scheme:https userinfo:]"
        ),
    ),
    (
        'urlParse "http://u@h"',
        "map[string]interface {}|map[fragment: host:h hostname:h opaque: path: query: scheme:http userinfo:u]",
    ),
    ('urlParse "*"', "map[string]interface {}|map[fragment: host: hostname: opaque: path:* query: scheme: userinfo:]"),
    ('urlParse ""', "map[string]interface {}|map[fragment: host: hostname: opaque: path: query: scheme: userinfo:]"),
    ('urlParse ":x"', 'urlParse: unable to parse url: parse ":x": missing protocol scheme'),
    (
        'urlParse "a:b"',
        "map[string]interface {}|map[fragment: host: hostname: opaque:b path: query: scheme:a userinfo:]",
    ),
    ('urlParse "1:b"', 'urlParse: unable to parse url: parse "1:b": first path segment in URL cannot contain colon'),
    ('urlParse "http://h/%zz"', 'urlParse: unable to parse url: parse "http://h/%zz": invalid URL escape "%zz"'),
    ('urlParse "http://h/#%4"', 'urlParse: unable to parse url: parse "http://h/#%4": invalid URL escape "%4"'),
    (
        'urlParse "http://a b/"',
        'urlParse: unable to parse url: parse "http://a b/": invalid character " " in host name',
    ),
    (
        'urlParse "http://h:port/"',
        'urlParse: unable to parse url: parse "http://h:port/": invalid port ":port" after host',
    ),
    ('urlParse "http://[::1"', "urlParse: unable to parse url: parse \"http://[::1\": missing ']' in host"),
    ('urlParse "http://[1.2.3.4]/"', 'urlParse: unable to parse url: parse "http://[1.2.3.4]/": invalid IP-literal'),
    (
        'urlParse "http://[zz]/"',
        'urlParse: unable to parse url: parse "http://[zz]/": invalid host: ParseAddr("zz"): unable to parse IP',
    ),
    (
        'urlParse "http://[1::2::3]/"',
        (
            'urlParse: unable to parse url: parse "http://[1::2::3]/": invalid host: ParseAddr("1::2::3"): multip'
            'le :: in address (at ":3")'
        ),
    ),
    (
        'urlParse "http://[12345::]/"',
        (
            'urlParse: unable to parse url: parse "http://[12345::]/": invalid host: ParseAddr("12345::"): each g'
            'roup must have 4 or less digits (at "12345::")'
        ),
    ),
    (
        'urlParse "http://[1:2]/"',
        (
            'urlParse: unable to parse url: parse "http://[1:2]/": invalid host: ParseAddr("1:2"): address string'
            " too short"
        ),
    ),
    (
        'urlParse "http://[::1.2.3]/"',
        (
            'urlParse: unable to parse url: parse "http://[::1.2.3]/": invalid host: ParseAddr("::1.2.3"): IPv4 a'
            "ddress too short"
        ),
    ),
    (
        'urlParse "http://[::1%25]/"',
        (
            'urlParse: unable to parse url: parse "http://[::1%25]/": invalid host: ParseAddr("::1%"): zone must '
            "be a non-empty string"
        ),
    ),
    ('urlParse "http://us er@h/"', 'urlParse: unable to parse url: parse "http://us er@h/": net/url: invalid userinfo'),
    ('urlParse "http://%41/"', 'urlParse: unable to parse url: parse "http://%41/": invalid URL escape "%41"'),
    ('urlParse "a\\tb"', 'urlParse: unable to parse url: parse "a\\tb": net/url: invalid control character in URL'),
    (
        'urlJoin (dict "scheme" "http" "host" "h:8080" "path" "a b" "query" "x=1" "fragment" "é" "userinfo" "u:p@w")',
        "string|http://u:p%40w@h:8080/a%20b?x=1#%C3%A9",
    ),
    ('urlJoin (dict "path" "a:b")', "string|./a:b"),
    ('urlJoin (dict "scheme" "mailto" "opaque" "a@b")', "string|mailto:a@b"),
    ('urlJoin (dict "host" "h" "path" "/p")', "string|//h/p"),
    ('urlJoin (dict "scheme" "file" "path" "/p")', "string|file:///p"),
    ('urlJoin (dict "scheme" 1)', "urlJoin: unable to parse scheme key, must be of type string, but int found"),
    ('urlJoin (dict "path" (list))', "urlJoin: unable to parse path key, must be of type string, but slice found"),
    (
        'urlJoin (dict "userinfo" "u b")',
        'urlJoin: unable to parse userinfo in dict: parse "proto://u b@host": net/url: invalid userinfo',
    ),
]


@pytest.mark.parametrize(("call", "wanted"), OUTCOMES)
def test_outcome(call, wanted):
    assert outcome(call) == wanted
