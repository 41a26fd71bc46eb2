# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: versions and grouping; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.package.difference import differences
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.package.type import PackageState


def wanted(ensure, name="zsh"):
    return PACKAGE.made({"name": name, "ensure": ensure, "provider": ""})


def installed(version="absent", **fields):
    state = PackageState("zsh", version, {"metadata": {"name": "zsh", "version": version}})
    vars(state).update(fields)
    return state


@pytest.mark.parametrize(("before", "after", "changed"), [("1.0", "2.0", True), ("1.0", "1.0", False)])
def test_another_installed_version_is_a_change(before, after, changed):
    assert PACKAGE.has_changed(installed(before), installed(after)) is changed


@pytest.mark.parametrize("ensure", ["present", "absent", "latest"])
def test_packages_without_an_exact_version_are_groupable(ensure):
    assert PACKAGE.is_groupable(wanted(ensure))
    assert not PACKAGE.is_groupable(wanted("1.0"))


@pytest.mark.parametrize("ensure", [">=1.0", "$(x)", "1.0;x"])
def test_versions_with_shell_characters_are_refused(ensure):
    with pytest.raises(InvalidResource, match="dangerous characters"):
        PACKAGE.validate(wanted(ensure))


def test_the_type_accepts_versions_of_any_format():
    PACKAGE.validate(wanted("bad version"))


def test_a_difference_has_the_version():
    (expected,) = differences(wanted("2.0"), installed("1.0", order=-1))
    assert (expected["before"], expected["after"]) == ("zsh 1.0\n", "zsh 2.0\n")
    assert differences(wanted("present"), installed("1.0")) == []
