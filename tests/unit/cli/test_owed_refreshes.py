# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Owed refreshes, through the command: who is owed one, and when it is made."""

from __future__ import annotations

import pytest

from tests.unit.cli.owed import Site
from tests.unit.layout import CCM

pytestmark = pytest.mark.starts_processes


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_a_refresh_is_made_up_for_once(site, engine):
    site.engine = engine
    site.usual(between="false")
    assert site.outcomes() == ["changed", "failed", "skipped"]
    assert site.outcomes() == ["stable", "failed", "skipped"]
    site.usual()
    assert site.outcomes("--noop") == ["stable", "changed", "owed refreshed"]
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]
    assert site.outcomes() == ["stable", "changed", "stable"]


def test_without_state_it_is_lost_as_in_the_original(site):
    site.usual(between="false")
    assert site.outcomes("--no-state") == ["changed", "failed", "skipped"]
    site.usual()
    assert site.outcomes("--no-state") == ["stable", "changed", "stable"]
    assert not site.state.exists()


def test_who_is_owed_a_refresh_and_why_is_said(site):
    site.usual(between="false")
    site.apply()
    site.usual()
    assert f" because of file#{site.file} resource=exec#restart\n" in site.apply()


def test_a_refresh_that_fails_is_owed_still(site):
    site.usual(command="false")
    assert site.outcomes() == ["changed", "changed", "failed"]
    assert site.outcomes() == ["stable", "changed", "owed failed"]
    site.usual()
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]
    assert site.outcomes() == ["stable", "changed", "stable"]


def test_a_resource_in_noop_is_owed_still(site):
    site.usual(meta={"noop": True})
    assert site.outcomes() == ["changed", "changed", "refreshed"]
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]
    site.usual()
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]


def test_a_resource_that_control_excludes_is_owed_still(site):
    site.usual(control={"if": "false"})
    assert site.outcomes() == ["changed", "changed", "skipped"]
    site.usual()
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]


def test_a_resource_that_does_not_subscribe_any_more_is_owed_nothing(site):
    site.usual(between="false")
    site.apply()
    unsubscribed = {"exec": [{"restart": {"command": "true", "refreshonly": True}}]}
    site.write(site.resource_of_file(), {"exec": [{"between": {"command": "true", "creates": "/"}}]}, unsubscribed)
    assert site.outcomes() == ["stable", "stable", "stable"]


def test_what_is_owed_to_a_resource_that_is_gone_is_forgotten(site):
    site.usual(between="false")
    site.apply()
    site.write(site.resource_of_file(), {"exec": [{"other": {"command": "true", "creates": "/"}}]})
    site.apply()
    (kept,) = site.state.glob("manifests/*/state")
    before = kept.stat().st_mtime_ns
    site.apply()
    assert kept.stat().st_mtime_ns == before
    site.usual()
    assert site.outcomes() == ["stable", "changed", "stable"]


def test_one_that_is_notified_is_owed_a_refresh_too(site):
    target = {"exec": [{"restart": {"command": "true", "refreshonly": True, "require": ["exec#between"]}}]}

    def write(between):
        site.write(
            site.resource_of_file(meta={"notify": ["exec#restart"]}),
            {"exec": [{"between": {"command": between}}]},
            target,
        )

    write("false")
    assert site.outcomes() == ["changed", "failed", "skipped"]
    write("true")
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]


def test_a_change_that_fails_and_changed_nothing_leaves_nothing_owed(site):
    blocked = site.directory / "directory"
    blocked.write_text("a file")
    site.file = blocked / "settings"
    site.usual()
    assert site.outcomes() == ["failed", "changed", "stable"]
    blocked.unlink()
    blocked.mkdir()
    site.file.write_text("one\n")
    site.file.chmod(0o600)
    assert site.outcomes() == ["stable", "changed", "stable"]


def test_after_a_command_that_failed_the_refresh_waits_until_it_works(site):
    made = site.directory / "made"

    def write(command):
        given = {"command": command, "unless": f"test -e {made}"}
        site.write({"exec": [{"make": given}]}, site.subscriber(subscribe=["exec#make"]))

    write(f"sh -c 'touch {made}; exit 1'")
    assert site.outcomes() == ["failed", "stable"]
    assert site.outcomes() == ["stable", "owed refreshed"]
    made.unlink()
    write("false")
    assert site.outcomes() == ["failed", "stable"]
    assert site.outcomes() == ["failed", "stable"]
    write(f"touch {made}")
    assert site.outcomes() == ["changed", "refreshed"]
    assert site.outcomes() == ["stable", "stable"]


@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_applied_manifests_are_owed_what_those_above_changed(site, engine):
    site.engine = engine
    stop = {"exec": [{"stop": {"command": "false"}}]}
    child = {"apply": [{"child.yaml": {"require": ["exec#stop"]}}]}
    site.write(site.subscriber(), name="child.yaml")
    site.write(site.resource_of_file(), stop, child)
    assert site.outcomes() == ["changed", "failed", "skipped"]
    site.write(site.resource_of_file(), {"exec": [{"stop": {"command": "true"}}]}, child)
    assert site.outcomes() == ["stable", "changed", "owed refreshed", "changed"]
    assert site.outcomes() == ["stable", "changed", "stable", "stable"]


def test_those_above_are_owed_what_an_applied_manifest_changed(site):
    site.write(site.resource_of_file(), name="child.yaml")
    last = site.subscriber(require=["exec#between"])
    site.write({"apply": [{"child.yaml": {}}]}, {"exec": [{"between": {"command": "false"}}]}, last)
    assert site.outcomes() == ["changed", "changed", "failed", "skipped"]
    site.write({"apply": [{"child.yaml": {}}]}, {"exec": [{"between": {"command": "true"}}]}, last)
    assert site.outcomes() == ["stable", "stable", "changed", "owed refreshed"]


def between(command):
    """Return a command that what follows requires."""
    return {"exec": [{"between": {"command": command}}]}


def test_a_change_of_a_new_cause_counts_beside_an_owed_refresh(site):
    """What was owed because of the file is forgotten with the subscription to it; what the other file owes is not."""
    other = str(site.directory / "other")
    files = [
        site.resource_of_file(),
        {"file": [{other: {"ensure": "present", "content": "1\n", **site.file_attributes}}]},
    ]
    site.write(files[0], between("false"), site.subscriber(require=["exec#between"]))
    assert site.outcomes() == ["changed", "failed", "skipped"]
    last = site.subscriber(require=["exec#between"], subscribe=[f"file#{other}"])
    site.write(*files, between("false"), last)
    assert site.outcomes() == ["stable", "changed", "failed", "skipped"]
    site.write(*files, between("true"), last)
    assert site.outcomes() == ["stable", "stable", "changed", "owed refreshed"]


def test_a_command_that_failed_before_a_manifest_was_applied_owes_a_refresh_once_it_works(site):
    made = site.directory / "made"
    cause = {"exec": [{"cause": {"command": "false", "unless": f"test -e {made}"}}]}
    site.write(site.subscriber(subscribe=["exec#cause"]), name="child.yaml")
    site.write(cause, {"apply": [{"child.yaml": {}}]})
    assert site.outcomes() == ["failed", "stable", "stable"]
    made.touch()
    assert site.outcomes() == ["stable", "owed refreshed", "changed"]
    assert site.outcomes() == ["stable", "stable", "stable"]


def test_a_resource_of_a_manifest_that_was_not_applied_is_owed_a_refresh_by_an_alias(site):
    child = {"apply": [{"child.yaml": {"require": ["exec#between"]}}]}
    site.write(site.subscriber(subscribe=["file#conf"]), name="child.yaml")
    site.write(site.resource_of_file(alias="conf"), between("false"), child)
    assert site.outcomes() == ["changed", "failed", "skipped"]
    site.write(site.resource_of_file(alias="conf"), between("true"), child)
    assert site.outcomes() == ["stable", "changed", "owed refreshed", "changed"]


def test_a_resource_of_a_manifest_that_was_not_applied_is_owed_a_refresh_by_another_manifest(site):
    resources = [{"apply": [{"first.yaml": {}}]}, {"apply": [{"second.yaml": {"require": ["exec#between"]}}]}]
    site.write(site.resource_of_file(), name="first.yaml")
    site.write(site.subscriber(subscribe=["apply#first.yaml"]), name="second.yaml")
    site.write(resources[0], between("false"), resources[1])
    assert site.outcomes() == ["changed", "changed", "failed", "skipped"]
    site.write(resources[0], between("true"), resources[1])
    assert site.outcomes() == ["stable", "stable", "changed", "owed refreshed", "changed"]


def test_another_run_strikes_off_no_refresh_whose_cause_is_changing(site):
    """A run within the command that changes refreshes the subscriber too early: before the end of the change."""
    begun, works = site.directory / "begun", site.directory / "works"
    again = f"{' '.join(CCM)} apply {site.directory / 'm.yaml'} --no-report --state {site.state}"
    command = f"sh -c 'touch {begun} {works}; {again} > {site.directory / 'within'}; rm {works}'"
    cause = {"exec": [{"cause": {"command": command, "creates": str(begun)}}]}
    site.write(cause, between(f"test -e {works}"), site.subscriber(require=["exec#between"], subscribe=["exec#cause"]))
    assert site.outcomes() == ["changed", "failed", "skipped"]
    within = (site.directory / "within").read_text()
    assert "refreshed: owed since" in within
    works.touch()
    assert site.outcomes() == ["stable", "changed", "owed refreshed"]
    assert site.outcomes() == ["stable", "changed", "stable"]
