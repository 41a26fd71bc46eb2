# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: versions and grouping; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.package.difference import differences
from ccm.resources.package.facets import REVERSAL
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.package.type import PackageState


def wanted(ensure, name="zsh", mark=""):
    return PACKAGE.made({"name": name, "ensure": ensure, "provider": "", "mark": mark})


def installed(version="absent", **fields):
    state = PackageState("zsh", version, {"metadata": {"name": "zsh", "version": version}})
    vars(state).update(fields)
    return state


@pytest.mark.parametrize(("before", "after", "changed"), [("1.0", "2.0", True), ("1.0", "1.0", False)])
def test_another_installed_version_is_a_change(before, after, changed):
    assert PACKAGE.has_changed(installed(before), installed(after)) is changed


@pytest.mark.parametrize("ensure", ["present", "absent", "latest", "purged"])
def test_packages_without_an_exact_version_and_a_mark_are_groupable(ensure):
    assert PACKAGE.is_groupable(wanted(ensure))
    assert not PACKAGE.is_groupable(wanted("1.0"))
    assert not PACKAGE.is_groupable(wanted(ensure, mark="none"))


def test_a_package_without_its_configuration_or_with_another_mark_has_changed():
    assert PACKAGE.has_changed(installed(configuration=["amd64"]), installed())
    assert PACKAGE.has_changed(installed("1.0", mark="none"), installed("1.0", mark="hold"))


@pytest.mark.parametrize(
    ("ensure", "mark", "message"),
    [
        ("present", "held", 'invalid mark value: held expects "hold" or "none"'),
        ("absent", "hold", "a package that is absent cannot be held"),
        ("purged", "hold", "a package that is purged cannot be held"),
    ],
)
def test_a_mark_that_cannot_be_is_refused(ensure, mark, message):
    with pytest.raises(InvalidResource) as refused:
        PACKAGE.validate(wanted(ensure, mark=mark))
    assert str(refused.value) == message
    PACKAGE.validate(wanted(ensure, mark="none"))


@pytest.mark.parametrize(
    ("before", "ensure", "mark", "undone"),
    [
        (installed(), "present", "", {"ensure": "absent"}),
        (installed(mark="none"), "present", "hold", {"ensure": "absent", "mark": "none"}),
        (installed("1.0", mark="none"), "present", "hold", {"ensure": "present", "mark": "none"}),
        (installed("1.0", mark="hold"), "present", "none", {"ensure": "present", "mark": "hold"}),
        (installed("1.0", mark="none", order=-1), "2.0", "hold", None),
        (installed("1.0", order=-1), "2.0", "", None),
        (installed("1.0", mark="hold"), "absent", "none", None),
    ],
)
def test_what_is_undone(before, ensure, mark, undone):
    properties = wanted(ensure, mark=mark)
    assert REVERSAL.is_reversible(properties, before) is (undone is not None)
    if undone is not None:
        given = REVERSAL.undone(properties, REVERSAL.parts(properties, before))
        assert given == {**undone, "provider": ""}
        PACKAGE.validate(wanted(given["ensure"], mark=given.get("mark", "")))


@pytest.mark.parametrize("ensure", [">=1.0", "$(x)", "1.0;x"])
def test_versions_with_shell_characters_are_refused(ensure):
    with pytest.raises(InvalidResource, match="dangerous characters"):
        PACKAGE.validate(wanted(ensure))


def test_the_type_accepts_versions_of_any_format():
    PACKAGE.validate(wanted("bad version"))


def test_a_package_that_only_provides_the_name_is_never_taken_for_undone():
    before, after, undoing = installed(), installed("1.0", package="one"), installed(provided_by=["one"])
    properties, removed = wanted("present", name="lib"), wanted("absent", name="lib")
    parts = [REVERSAL.parts(properties, before), REVERSAL.parts(properties, after), REVERSAL.parts(removed, undoing)]
    assert [part["version"] for part in parts] == ["absent", "1.0 of one", "absent, provided by one"]


def test_a_difference_has_the_version():
    (expected,) = differences(wanted("2.0"), installed("1.0", order=-1))
    assert (expected["before"], expected["after"]) == ("zsh 1.0\n", "zsh 2.0\n")
    assert differences(wanted("present"), installed("1.0")) == []
    (expected,) = differences(wanted("present", mark="hold"), installed("1.0", mark="none"))
    assert (expected["before"], expected["after"]) == ("zsh 1.0\nmark: none\n", "zsh present\nmark: hold\n")
