# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that manage packages: many names in one run; their results, with and without check mode."""

from __future__ import annotations

import itertools

import pytest
from ccm.ansible_tasks.package_task import package_argument_spec, run_packages
from ccm.ansible_tasks.quoting import NotQuoted, check_version
from ccm.model.batch_provider import BatchProvider
from ccm.model.errors import ResourceFailed
from ccm.model.provider import ProviderOptions
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.package.type import PackageState, PackageType

from .module import ran

NEWEST = "2.0"
# The installed packages by name, and the actions: (verb, names).
INSTALLED = {}
DONE = []
INSTANCES = []


class Packages(BatchProvider):
    """A provider that can install each package at 1.0 and at NEWEST, except those named `broken`."""

    name = "fake"
    batch_verbs = ("install", "install_latest", "uninstall")

    def status(self, properties):
        if self not in INSTANCES:
            INSTANCES.append(self)
        if properties.name.startswith("unknowable"):
            raise ResourceFailed("cannot be known")
        version = INSTALLED.get(properties.name, "absent")
        wanted = NEWEST if properties.ensure == "latest" else properties.ensure
        metadata = {"name": properties.name, "version": version, "provider": "fake"}
        state = PackageState(properties.name, version, {"metadata": metadata})
        state.order = (version > wanted) - (version < wanted)
        return state

    def act(self, verb, properties, state):
        self.act_on_batch(verb, [(properties, state)])

    def partition(self, verb, acting, settled):
        return [acting]

    def act_on_batch(self, verb, members):
        names = [properties.name for properties, _state in members]
        DONE.append((verb, names))
        if any(name.startswith("broken") for name in names):
            raise ResourceFailed("the tool failed: no such thing")
        for properties, _state in members:
            self.user_log.info(f"{verb} {properties.name}")
            if verb == "uninstall":
                del INSTALLED[properties.name]
            else:
                versions = {"install": NEWEST, "install_latest": NEWEST}
                INSTALLED[properties.name] = versions.get(verb, properties.ensure)


@pytest.fixture(autouse=True)
def fake_provider(monkeypatch):
    monkeypatch.setattr(PackageType, "provider_names", ("fake",))
    monkeypatch.setattr(PackageType, "provider", lambda self, name: Packages, raising=False)
    for kept in (INSTALLED, DONE, INSTANCES):
        kept.clear()


def task(name, ensure="present", check=False, diff=False, **more):
    arguments = {"name": name, "ensure": ensure, **more}
    return ran(lambda module: run_packages(module, PACKAGE), package_argument_spec(PACKAGE), arguments, check, diff)


def test_all_names_are_installed_in_one_batch():
    INSTALLED["b"] = "1.0"
    result = task(["a", "b", "c"])
    assert DONE == [("install", ["a", "c"])]
    assert len(INSTANCES) == 1
    assert (result["changed"], result["failed"], result["msg"]) == (True, False, "2 of 3 packages changed")
    assert [(event["name"], event["final_ensure"], event["changed"]) for event in result["events"]] == [
        ("a", NEWEST, True),
        ("b", "1.0", False),
        ("c", NEWEST, True),
    ]
    assert "event" not in result
    assert result["log"] == ["install a", "install c"]
    again = task(["a", "b", "c"], diff=True)
    assert (again["changed"], again["msg"], again["diff"]) == (False, "0 of 3 packages changed", [])


@pytest.mark.parametrize("name", ["a", ["a"]])
def test_the_result_of_one_name_is_like_those_of_other_resources(name):
    preview = task(name, check=True)
    assert preview["msg"] == "Would have installed version present"
    result = task(name)
    assert (result["changed"], result["msg"]) == (True, "Installed version present")
    assert result["events"] == [result["event"]]
    assert result["event"]["properties"] == {"name": "a", "ensure": "present"}
    assert task(name)["msg"] == "Nothing to do"
    assert task("a", "absent")["msg"] == "Uninstalled"


@pytest.mark.parametrize(
    ("installed", "ensure"),
    list(itertools.product(({}, {"a": "1.0"}, {"a": NEWEST, "b": "1.0"}), ("present", "absent", "latest", "1.0"))),
)
def test_check_mode_predicts_the_run(installed, ensure):
    for names in (["a"], ["a", "b"]):
        INSTALLED.clear()
        INSTALLED.update(installed)
        preview = task(names, ensure, check=True, diff=True)
        assert (installed, []) == (INSTALLED, DONE)
        done = task(names, ensure, diff=True)
        assert done["changed"] == preview["changed"] == (installed != INSTALLED)
        assert [event["changed"] for event in done["events"]] == [event["changed"] for event in preview["events"]]
        predicted = preview["msg"].replace("Would have ", "").replace("would change", "changed").lower()
        assert done["msg"].lower() == predicted
        assert bool(done["diff"]) == bool(preview["diff"]) == done["changed"]
        DONE.clear()


def test_a_version_applies_to_all_names_in_sequence():
    INSTALLED["b"] = NEWEST
    result = task(["a", "b"], "1.0", diff=True)
    assert DONE == [("install_version", ["a"]), ("downgrade", ["b"])]
    headers = {"before_header": "packages", "after_header": "packages"}
    assert result["diff"] == [{**headers, "before": "a absent\nb 2.0\n", "after": "a 1.0\nb 1.0\n"}]


def test_differences_are_versions():
    INSTALLED["b"] = "1.0"
    (diff,) = task(["a", "b", "c"], "latest", check=True, diff=True)["diff"]
    assert (diff["before"], diff["after"]) == ("a absent\nb 1.0\nc absent\n", "a latest\nb latest\nc latest\n")
    (diff,) = task(["a", "b", "c"], "latest", diff=True)["diff"]
    assert (diff["before"], diff["after"]) == ("a absent\nb 1.0\nc absent\n", "a 2.0\nb 2.0\nc 2.0\n")


def test_only_packages_with_an_error_fail():
    result = task(["a", "broken", "b", "unknowable"], diff=True)
    assert (result["failed"], result["changed"]) == (True, True)
    assert INSTALLED == {"a": NEWEST, "b": NEWEST}
    assert result["msg"] == (
        "2 of 4 packages failed: package#broken: the tool failed: no such thing; package#unknowable: cannot be known"
    )
    assert [event["failed"] for event in result["events"]] == [False, True, False, True]
    (diff,) = result["diff"]
    assert diff["after"] == "a 2.0\nb 2.0\n"
    one = task("broken")
    assert (one["failed"], one["changed"], one["msg"]) == (
        True,
        False,
        "package#broken: the tool failed: no such thing",
    )


def test_many_failures_are_counted():
    result = task([f"broken{number}" for number in range(9)])
    assert result["msg"].startswith("9 of 9 packages failed: package#broken0: the tool failed")
    assert result["msg"].endswith("; and 4 more, see events")


def test_the_lock_timeout_is_passed_to_the_provider():
    task(["a", "b"], lock_timeout="1m30s")
    assert [provider.context.options.lock_timeout for provider in INSTANCES] == [90_000_000_000]
    assert [properties.name for properties in INSTANCES[0].siblings] == ["a", "b"]
    task("a")
    assert INSTANCES[1].context.options.lock_timeout == ProviderOptions.lock_timeout


@pytest.mark.parametrize(
    ("given", "age"),
    [("1h", 3600 * 10**9), (True, 0), ("true", 0), ("0", 0), (False, None), ("no", None), (None, None)],
)
def test_the_index_age_is_passed_to_the_provider(given, age):
    task("a", update_cache=given)
    assert INSTANCES[0].context.options.package_index == age


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": []}, "package: name is an empty list; name a package, or leave the task out with when"),
        (
            {"name": ["b", "a", "c", "a", "b"]},
            "package: name has a, b more than once; name each package once",
        ),
        ({"name": ["a", "b"], "alias": "x"}, "package: alias is for one package, and name has 2; leave alias out"),
        ({"name": ["a", "b;c"]}, 'package#b;c: package name contains dangerous characters: "b;c"'),
        ({"name": "a,b c"}, 'package#b c: package name contains invalid characters: "b c" (allowed: alphanumeric,'),
        ({"name": ["a"], "ensure": "1 > 2"}, 'package#a: package version/ensure contains dangerous characters: "1 >'),
        ({"name": ["a"], "ensure": ""}, "package#a: "),
        ({"name": ["a", ""]}, "package#: "),
        ({"name": "a", "provider": "magic"}, 'provider not found (provider: "magic"); providers of package: fake'),
        ({"name": "a", "update_cache": "soon"}, 'package: package_index "soon": invalid duration; write a duration'),
        ({"name": "a", "lock_timeout": "soon"}, 'package: lock_timeout "soon": invalid duration; write a duration'),
    ],
)
def test_invalid_options_are_reported_before_the_run(arguments, message):
    result = task(**arguments)
    assert (result["failed"], result["changed"]) == (True, False)
    assert message in result["msg"]
    assert (DONE, INSTANCES) == ([], [])


@pytest.mark.parametrize("value", [5.1, 90, 8, True, [1]])
def test_versions_must_be_quoted(value):
    with pytest.raises(NotQuoted, match=r"ensure must be text, but YAML reads .*: (quote it|write it as text)"):
        check_version("ensure", value)
    check_version("ensure", "5.10")


def test_the_platform_decides_between_equal_providers(monkeypatch):
    """Where two package managers are usable, the platform's package manager is chosen."""

    class OtherProvider(Packages):
        name = "other"
        platform_families = ("suse",)

    monkeypatch.setattr(PackageType, "provider_names", ("fake", "other"))
    monkeypatch.setattr(PackageType, "provider", lambda self, name: OtherProvider if name == "other" else Packages)
    monkeypatch.setattr("ccm.host.distribution.os_family", lambda: "suse")
    assert task("a")["event"]["provider"] == "other"
    monkeypatch.setattr("ccm.host.distribution.os_family", lambda: "debian")
    assert task("a")["event"]["provider"] == "fake"
