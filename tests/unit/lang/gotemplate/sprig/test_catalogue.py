# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sprig's functions that depend on the host, change their arguments, or refuse them."""

from __future__ import annotations

import base64
import builtins
import re
import subprocess
import sys

import pytest
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.sprig.catalogue import NAMES, function
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.lang.gotemplate.sprig.rendering import MISSING, Machine, outcome, render


def fails(text):
    with pytest.raises(TemplateFault) as caught:
        render(text)
    return str(caught.value)


def test_every_name_has_a_function():
    assert len(NAMES) == 211
    for name in NAMES:
        assert function(name) is not None
    assert function("template") is None


@pytest.mark.starts_processes
def test_a_template_imports_only_the_files_of_its_functions():
    code = (
        "import sys\n"
        "from ccm.lang.gotemplate.sprig.catalogue import function\n"
        "function('trim'), function('first')\n"
        "print(' '.join(sorted(name.rpartition('.')[2] for name in sys.modules if '.sprig.' in name)))"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True)
    assert done.stdout == "catalogue lists nil numbers reflection strings texts\n"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('env "HOME"', "string|/home/ann"),
        ('env "NOPE"', "string|"),
        (
            'expandenv "$HOME ${HOME}x $HOME_ ${A B} $1a $$ ${} ${ $ é$"',
            "string|/home/ann /home/annx  odd onea    $ é$",
        ),
        ('expandenv "${*x} ${HOME"', "string| HOME"),
        ('getHostByName "db1"', "string|192.0.2.7"),
        ('getHostByName "db2"', "getHostByName: invalid argument to Intn"),
        ("now", "time.Time|2024-02-29 10:30:12 +0000 UTC"),
        ('dateInZone "15:04:05" "no time" "UTC"', "string|10:30:12"),
        ("ago 1709202000", "string|10m12s"),
        ("ago (now)", "string|0s"),
        ('ago "no time"', "string|0s"),
        ('durationRound (dateModify "-49h" now)', "string|2d"),
    ],
)
def test_functions_that_depend_on_the_host(call, wanted):
    assert outcome(call) == wanted


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        ("randAlphaNum 20", "[0-9a-zA-Z]{20}"),
        ("randAlpha 20", "[a-zA-Z]{20}"),
        ("randNumeric 20", "[0-9]{20}"),
        ("randAscii 20", "[ -~]{20}"),
        ("randAlpha -1", ""),
        ("randInt 3 5", "[34]"),
        ("randInt -5 -4", "-5"),
        ("uuidv4", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    ],
)
def test_random_texts(call, pattern):
    assert re.fullmatch(pattern, render("{{ " + call + " }}"))


def test_random_bytes_and_shuffling():
    assert base64.b64decode(render("{{ randBytes 7 }}")) == Machine.random(7)
    assert sorted(render('{{ shuffle "aéb" }}')) == ["a", "b", "é"]
    assert fails("{{ randInt 3 3 }}").endswith("error calling randInt: invalid argument to Intn")
    assert fails("{{ randBytes -1 }}").endswith("runtime error: makeslice: len out of range")


def test_functions_that_change_their_map():
    assert render('{{ $d := dict "a" 1 }}{{ $x := set $d "b" 2 }}{{ $y := unset $d "a" }}{{ $d }}') == "map[b:2]"
    assert render('{{ $d := dict }}{{ $x := merge $d (dict "a" 1) }}{{ $d }}') == "map[a:1]"
    assert fails('{{ set nil "a" 1 }}').endswith("error calling set: assignment to entry in nil map")


def test_functions_that_do_not_change_their_list():
    text = "{{ $l := list 3 1 }}{{ $x := append $l 2 }}{{ $y := reverse $l }}{{ $z := sortAlpha $l }}{{ $l }}"
    assert render(text) == "[3 1]"


def test_sorting_texts_sorts_the_list_in_place():
    assert render('{{ $l := splitList "," "b,a" }}{{ $x := sortAlpha $l }}{{ $l }}') == "[a b]"


def test_a_copy_shares_no_values():
    text = '{{ $d := dict "a" (dict) }}{{ $c := deepCopy $d }}{{ $x := set $c.a "b" 1 }}{{ $d }} {{ $c }}'
    assert render(text) == "map[a:map[]] map[a:map[b:1]]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            '{{ with semver "v1.2.3-b.1" }}{{ .Major }}{{ .Minor }}{{ .Patch }} {{ .Prerelease }}{{ end }}',
            "123 b.1",
        ),
        ('{{ (semver "v1.2").Original }} {{ semver "v1.2" }}', "v1.2 1.2.0"),
        ('{{ $v := semver "v1.2.3-b" }}{{ $v.IncPatch }} {{ $v.IncMinor }} {{ $v.IncMajor }}', "1.2.3 1.3.0 2.0.0"),
        ('{{ (semver "1.2.3").IncPatch }} {{ typeOf (semver "1.2.3").IncPatch }}', "1.2.4 semver.Version"),
        ('{{ $v := semver "1.2.3" }}{{ $v.SetPrerelease "a" }} {{ $v.SetMetadata "b" }}', "1.2.3-a 1.2.3+b"),
        ('{{ $v := semver "1.2.3" }}{{ $v.Compare (semver "1.2.4") }} {{ $v.LessThan (semver "2") }}', "-1 true"),
        ('{{ $v := semver "1.2.3" }}{{ $v.Equal (semver "1.2.3+m") }} {{ $v.GreaterThan $v }}', "true false"),
    ],
)
def test_methods_of_versions(text, wanted):
    assert render(text) == wanted


def test_invalid_versions():
    assert fails('{{ (semver "1.2.3").SetPrerelease "01" }}').endswith("version segment starts with 0")
    assert fails('{{ (semver "1.2.3").SetMetadata "a_b" }}').endswith("invalid metadata string")
    assert fails('{{ (semver "1.2.3").IncPatch.Original }}').endswith(
        "can't evaluate field Original in type semver.Version"
    )


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('derivePassword 1 "maximum" "pw" "user" "site"', "string|B9&Of%1pn0LrzVuVT!Cn"),
        ('derivePassword 2 "medium" "pw" "usér" "site"', "string|Vuz3]Bid"),
        ('derivePassword 4294967295 "basic" "" "" ""', "string|YLa72fGa"),
        ('derivePassword 99999999999999 "long" "y" "z" "w"', "string|Pikz2+NoyeFask"),
        ('derivePassword 1 "other" "" "" ""', "string|cannot find password template other"),
        ('htpasswd "a:b" "c"', "string|invalid username: a:b"),
        (
            'bcrypt (repeat 73 "a")',
            "string|failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes",
        ),
        ('encryptAES "k" ""', "string|"),
        ('decryptAES "k" ""', "string|"),
        ('decryptAES "k" "eA"', "decryptAES: illegal base64 data at input byte 0"),
        ('decryptAES "k" "YWJj"', "decryptAES: runtime error: slice bounds out of range [:16] with capacity 3"),
        ('decryptAES "k" "YWJjZGVmZ2hpamtsbW5vcGE="', "decryptAES: crypto/cipher: input not full blocks"),
        ('decryptAES "k" "YWJjZGVmZ2hpamtsbW5vcA=="', "decryptAES: runtime error: index out of range [-1]"),
        ('genPrivateKey "pgp"', "string|Unknown type pgp"),
        ('genSelfSignedCert "x" (list "1.2.3") nil 1', "genSelfSignedCert: error parsing ip: 1.2.3"),
        ('genSelfSignedCert "x" (list 1) nil 1', "genSelfSignedCert: error parsing ip: 1 is not a string"),
        (
            'genSelfSignedCert "x" nil (list 5) 1',
            "genSelfSignedCert: error processing alternate dns name: 5 is not a string",
        ),
        ('genCAWithKey "x" 1 "foo"', "genCAWithKey: parsing private key: no PEM data in input"),
        ('buildCustomCert "a" "b"', "buildCustomCert: unable to decode base64 certificate"),
        ('buildCustomCert "YWJj" "b"', "buildCustomCert: unable to decode base64 private key"),
        ('buildCustomCert "YWJj" "YWJj"', "buildCustomCert: unable to decode certificate"),
    ],
)
def test_secrets(call, wanted):
    assert outcome(call) == wanted


@given(password=st.text(max_size=40), text=st.text(max_size=60))
def test_encrypted_text_is_decrypted(password, text):
    data = {"p": password.replace("\0", ""), "t": text}
    assert render("{{ decryptAES .p (encryptAES .p .t) }}", data) == text


@pytest.mark.parametrize(
    ("call", "package"),
    [
        ('encryptAES "k" "text"', "cryptography"),
        ('genCA "x" 1', "cryptography"),
        ('genPrivateKey "ed25519"', "cryptography"),
        ('bcrypt "p"', "bcrypt"),
        ('htpasswd "u" "p"', "bcrypt"),
    ],
)
def test_a_missing_package_is_named(monkeypatch, call, package):
    original = builtins.__import__

    def hide_package(name, *arguments, **options):
        if name.partition(".")[0] in ("cryptography", "bcrypt"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", hide_package)
    name = call.split(" ")[0]
    assert outcome(call) == f"{name}: {MISSING.format(package)}"


def test_certificates():
    text = (
        '{{ $key := genPrivateKey "ecdsa" }}{{ $ca := genCAWithKey "ca" 9 $key }}'
        '{{ $other := genPrivateKey "ed25519" }}'
        '{{ $c := genSignedCertWithKey "web" (list "10.0.0.1" "::1") (list "a.example") 2 $ca $other }}'
        "{{ $ca.Cert }}~{{ $c.Cert }}~{{ $c.Key }}~{{ eq $ca.Key $key }}"
        "~{{ eq (buildCustomCert (b64enc $c.Cert) (b64enc $c.Key)).Cert $c.Cert }}~{{ typeOf $c }}"
    )
    ca, web, key, *rest = render(text).split("~")
    assert rest == ["true", "true", "sprig.certificate"]
    assert key.startswith("-----BEGIN PRIVATE KEY-----")
    authority, certificate = (x509.load_pem_x509_certificate(pem.encode()) for pem in (ca, web))
    certificate.verify_directly_issued_by(authority)
    assert certificate.subject.rfc4514_string() == "CN=web"
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(name.value) for name in names] == ["a.example", "10.0.0.1", "::1"]
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert authority.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


@pytest.mark.parametrize(
    "call",
    [
        'repeat 100000000 "abc"',
        'indent 100000000 "a"',
        "until 100000000",
        "untilStep 0 100000000 1",
        "randAlpha 100000000",
        'join (repeat 100000 "x") (until 100000)',
        'replace "" (repeat 100000 "x") (repeat 100000 "y")',
    ],
)
def test_results_above_the_memory_limit_are_refused(call):
    assert "too long" in outcome(call)


def test_a_map_that_contains_itself_is_an_error():
    loop = '{{ $d := dict }}{{ $x := set $d "d" $d }}'
    assert "nested too deeply" in fails(loop + "{{ deepCopy $d }}")
    assert fails(loop + "{{ mustToJson $d }}").endswith("nested too deeply")


@given(st.text(max_size=30), st.integers(-40, 40))
def test_cutting_stops_at_the_end_of_the_text(text, size):
    out = render("{{ trunc .n .s }}", {"n": size, "s": text}).encode("utf-8", "surrogateescape")
    data = text.encode("utf-8")
    assert out in (data, data[:size] if size >= 0 else data[size:])
