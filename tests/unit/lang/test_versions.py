# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions of packages: properties of an order, and equal results of the tools that define it."""

import subprocess

import pytest
from ccm.lang.versions import debian, rpm
from hypothesis import given, settings
from hypothesis import strategies as st

TOKENS = ["0", "00", "1", "01", "9", "10", "123", "a", "b", "Z", "rc", "~", "~~", ".", "..", "+", "1.0", "dfsg"]
parts = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map("".join)


@st.composite
def debian_versions(draw):
    epoch = draw(st.sampled_from(["", "0:", "1:", "01:", "2147483647:"]))
    upstream = "0" + draw(parts)
    if epoch:
        upstream += draw(st.sampled_from(["", ":1"]))
    upstream += draw(st.sampled_from(["", "-1", "-a"]))
    return epoch + upstream + draw(st.sampled_from(["", "-0", "-1", "-1~bpo", "-1+b1", "-a"]))


@st.composite
def rpm_versions(draw):
    version = draw(parts) + draw(st.sampled_from(["", "^", "^git1", "~^", "_1"]))
    return draw(st.sampled_from(["", "0:", "1:"])) + version + draw(st.sampled_from(["", "-1", "-1.el9", "-1^a"]))


@pytest.mark.parametrize(
    ("compare", "versions"), [(debian.compare, debian_versions()), (rpm.compare, rpm_versions())], ids=["deb", "rpm"]
)
def test_comparison_is_a_total_order(compare, versions):
    @given(versions, versions, versions)
    def check_order(one, two, three):
        assert compare(one, one) == 0
        assert compare(one, two) == -compare(two, one)
        if compare(one, two) <= 0 and compare(two, three) <= 0:
            assert compare(one, three) <= 0
        if compare(one, two) == 0:
            assert compare(one, three) == compare(two, three)

    check_order()


def dpkg_accepts(one, two):
    for relation, answer in (("lt", -1), ("eq", 0)):
        if subprocess.run(["dpkg", "--compare-versions", one, relation, two], check=False).returncode == 0:
            return answer
    return 1


@pytest.mark.starts_processes
@pytest.mark.needs("dpkg")
@settings(max_examples=60, deadline=None)
@given(debian_versions(), debian_versions())
def test_comparison_equals_that_of_dpkg(one, two):
    assert debian.compare(one, two) == dpkg_accepts(one, two)


@pytest.mark.starts_processes
@pytest.mark.needs("dpkg")
@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="01aZ.:-+~_ /", max_size=8))
def test_versions_that_dpkg_refuses_are_refused(rest):
    """Or that dpkg warns about, except for blanks around, which it removes, and versions that begin without a digit."""
    text = f"1{rest}"
    message = subprocess.run(["dpkg", "--validate-version", text], capture_output=True, text=True, check=False)
    no_digit = "does not start with digit" in message.stderr
    try:
        debian.parse(text)
    except debian.VersionError:
        assert message.returncode or text != text.strip()
    else:
        assert not message.returncode or no_digit


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("1.0", (None, "1.0", None)),
        ("1:1.0-2.el9", (1, "1.0", "2.el9")),
        (":1.0", (0, "1.0", None)),
        ("a:1.0", (None, "a:1.0", None)),
        ("1-2-3", (None, "1-2", "3")),
        ("bad version", (None, "bad version", None)),
    ],
)
def test_parts_of_an_rpm_version(text, parsed):
    version = rpm.parse(text)
    assert (version.epoch, version.version, version.release) == parsed


@pytest.mark.parametrize("text", ["1.0", "1:1.0-1", "1.0~rc1^git2-1.el9"])
def test_rpm_versions_are_printed_as_written(text):
    assert str(rpm.parse(text)) == text


@pytest.mark.parametrize(
    ("one", "two", "order"),
    [
        ("1.0~rc1", "1.0", -1),
        ("1.0^git1", "1.0", 1),
        ("1.0^git1", "1.0.1", -1),
        ("1.0~^", "1.0~", 1),
        ("1.0-1", "1.0", 1),
        ("1:0.1", "2.0", 1),
        ("1.0..1", "1.0_1", 0),
        ("1.a", "1.1", -1),
        ("1.01", "1.1", 0),
    ],
)
def test_comparison_equals_that_of_rpm(one, two, order):
    assert rpm.compare(one, two) == order


@pytest.mark.parametrize("text", ["-1", "1-", "1:-1", ":1", "2147483648:1", "x:1", "1 ", "1.0-1:2/"])
def test_invalid_debian_versions_are_refused(text):
    with pytest.raises(debian.VersionError, match="unable to parse"):
        debian.parse(text)


def test_an_epoch_before_a_colon_is_kept():
    assert str(debian.parse("0:1:2")) == "0:1:2"
    assert str(debian.parse("0:1-2-3")) == "1-2-3"
