# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision table of the package type, row by row (behaviour.md 8)."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.package.difference import differences
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.package.type import PackageState

from .states import seen


def wanted(ensure, name="zsh"):
    return PACKAGE.made({"name": name, "ensure": ensure, "provider": ""})


def there(version="absent", **fields):
    return seen(PackageState, "zsh", version, {"name": "zsh", "version": version}, **fields)


TABLE = [
    # state, ensure, verb, what noop says
    (there("5.9-4"), "present", (), ""),
    (there(), "present", ("install",), "Would have installed version present"),
    (there(), "absent", (), ""),
    (there("5.9-4"), "absent", ("uninstall",), "Would have uninstalled"),
    (there(), "latest", ("install_latest",), "Would have installed latest"),
    (there("5.9-4", order=-1), "latest", ("install_latest",), "Would have upgraded to latest"),
    (there("5.9-4", order=0), "latest", (), ""),
    (there("5.9-4", order=1), "latest", ("install_latest",), "Would have upgraded to latest"),
    (there(), "5.9-4", ("install_version",), "Would have installed version 5.9-4"),
    (there("5.9-4", order=0), "5.9-4", (), ""),
    (there("5.9-4", order=-1), "6.0-1", ("upgrade",), "Would have upgraded to 6.0-1"),
    (there("5.9-4", order=1), "5.8-1", ("downgrade",), "Would have downgraded to 5.8-1"),
]


@pytest.mark.parametrize(("state", "ensure", "verbs", "message"), TABLE)
def test_decides_by_the_table(state, ensure, verbs, message):
    decision = PACKAGE.decide(state, wanted(ensure), False)
    assert decision.verbs == verbs
    assert decision.noop_message == message


AFTER = [
    # state after, ensure, why it is not as asked for
    (there("1.0"), "present", ""),
    (there(), "present", "present: package is absent, expected present"),
    (there(), "absent", ""),
    (there("1.0"), "absent", "absent: package version 1.0 installed, expected absent"),
    (there(), "latest", "latest: package is absent, expected latest"),
    (there("1.0"), "latest", ""),
    (there("2.0", order=0, candidate="2.0", version_before="1.0"), "latest", ""),
    (there("3.0", order=1, candidate="2.0", version_before="1.0"), "latest", ""),
    (there("1.0", order=-1, candidate="2.0", version_before="1.0"), "latest", ""),
    (
        there("1.5", order=-1, candidate="2.0", version_before="1.0"),
        "latest",
        "latest: version 1.5 is below the candidate 2.0",
    ),
    (
        there("1.5", order=-1, candidate="2.0", version_before="absent"),
        "latest",
        "latest: version 1.5 is below the candidate 2.0",
    ),
    (there("1.0", order=0), "1.00", ""),
    (there("1.0", order=-1), "2.0", "2.0: version mismatch: state=1.0 requested=2.0"),
    (there(), "2.0", "2.0: version mismatch: state=absent requested=2.0"),
]


@pytest.mark.parametrize(("state", "ensure", "reason"), AFTER)
def test_says_how_far_it_is_from_what_was_asked_for(state, ensure, reason):
    assert PACKAGE.shortfall(state, wanted(ensure)) == reason


@pytest.mark.parametrize(("before", "after", "changed"), [("1.0", "2.0", True), ("1.0", "1.0", False)])
def test_has_changed_when_another_version_is_there(before, after, changed):
    assert PACKAGE.has_changed(there(before), there(after)) is changed


@pytest.mark.parametrize("ensure", ["present", "absent", "latest"])
def test_groups_packages_without_exact_version(ensure):
    assert PACKAGE.is_groupable(wanted(ensure))
    assert not PACKAGE.is_groupable(wanted("1.0"))


@pytest.mark.parametrize("ensure", [">=1.0", "$(x)", "1.0;x"])
def test_refuses_versions_that_a_shell_could_take_for_more(ensure):
    with pytest.raises(InvalidResource, match="dangerous characters"):
        PACKAGE.validate(wanted(ensure))


def test_leaves_it_to_the_provider_what_a_version_is():
    PACKAGE.validate(wanted("bad version"))


def test_differs_by_the_version_where_something_is_to_be_done():
    (shown,) = differences(wanted("2.0"), there("1.0", order=-1))
    assert (shown["before"], shown["after"]) == ("zsh 1.0\n", "zsh 2.0\n")
    assert differences(wanted("present"), there("1.0")) == []
