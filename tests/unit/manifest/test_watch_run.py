# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Some resources of a manifest are managed again, and what left the manifest is undone."""

from __future__ import annotations

import os
import signal

import pytest

from tests.patience import wait_until
from tests.unit.watching import content


@pytest.mark.starts_processes
def test_a_new_value_goes_to_its_receiver(watching, tmp_path):
    mint = watching.exec("mint", f"cat {tmp_path}/secret", meta={"watch_files": [str(tmp_path / "secret")]})
    (tmp_path / "secret").write_text("one\n")
    watching.write(mint, watching.file("token", "{{ sent('exec#mint').stdout }}"))
    with watching.started():
        (tmp_path / "secret").write_text("two\n")
        wait_until(content(tmp_path / "token", "two"))


@pytest.mark.starts_processes
def test_what_a_manifest_does_not_declare_any_more_is_undone(watching, tmp_path):
    (tmp_path / "one").write_text("before\n")
    watching.write(watching.file("one", meta={"reverse": True}), watching.file("two"))
    with watching.started():
        wait_until(content(tmp_path / "one"))
        watching.write(watching.file("two"))
        wait_until(content(tmp_path / "one", "before\n"))


@pytest.mark.starts_processes
def test_several_resources_are_managed_at_once(watching, tmp_path):
    """Each command waits until all of them have begun."""
    (tmp_path / "begun").mkdir()
    waiting = f'touch {tmp_path}/begun/$0; until test "$(ls {tmp_path}/begun | wc -l)" = 4; do sleep 0.01; done'
    subscribed = {"refreshonly": True, "subscribe": [f"file#{tmp_path}/one"]}
    names = [f"c{number}" for number in range(4)]
    commands = [watching.exec(name, f"sh -c '{waiting}' {name}", **subscribed) for name in names]
    watching.write(watching.file("one"), *commands)
    with watching.started("--parallel", "4"):
        for name in names:
            (tmp_path / "begun" / name).unlink()
        (tmp_path / "one").unlink()
        wait_until(lambda: all(watching.count(f"exec#{name} refreshed") == 2 for name in names))


@pytest.mark.starts_processes
def test_what_is_undone_is_an_event_like_others(watching, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one", meta={"reverse": True}), watching.file("two"))
    with watching.started("--events", "json-lines", "--session", session):
        wait_until(content(tmp_path / "one"))
        watching.settle()
        watching.write(watching.file("two"))
        wait_until(lambda: not (tmp_path / "one").exists())
        wait_until(lambda: watching.count('"ensure":"absent"') >= 1)
        (tmp_path / "two").unlink()
        wait_until(content(tmp_path / "two"))


@pytest.mark.starts_processes
def test_new_data_go_to_templates_and_applied_manifests(watching, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/t").write_text("[[ Data.word ]]")
    (tmp_path / "data.yaml").write_text("data: {word: one}\n")
    watching.write(watching.file("inner", "{{ Data.word }}"), name="child.yaml")
    tree = {"ensure": "present", "source": "templates", "engine": "jet"}
    watching.write({"scaffold": [{str(tmp_path / "tree"): tree}]}, {"apply": [{"child.yaml": {}}]})
    with watching.started("--hiera", tmp_path / "data.yaml"):
        wait_until(content(tmp_path / "inner", "one"))
        (tmp_path / "data.yaml").write_text("data: {word: two}\n")
        wait_until(content(tmp_path / "tree/t", "two"))
        wait_until(content(tmp_path / "inner", "two"))


@pytest.mark.starts_processes
def test_a_manifest_that_cannot_run_undoes_nothing(watching, tmp_path):
    watching.write(watching.file("inner"), name="child.yaml")
    applying = {"apply": [{"child.yaml": {}}]}
    watching.write(watching.file("keep", meta={"reverse": True}), applying)
    with watching.started():
        watching.settle()
        watching.write(applying, watching.file("other", provider="nope"))
        wait_until(lambda: watching.count("The manifest is not used, the one before stays at work") == 1)
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        watching.settle()
        assert content(tmp_path / "keep")()


@pytest.mark.starts_processes
def test_what_was_stable_is_undone_when_it_leaves(ccm, watching, tmp_path):
    keep = watching.file("keep", "{{ 'x' }}", meta={"reverse": True})
    watching.write(keep, watching.file("two"))
    watching.environment["CCM_STATE"] = os.environ["CCM_STATE"]
    for _run in range(2):
        assert ccm("apply", tmp_path / "m.yaml").status == 0
    with watching.started():
        watching.write(watching.file("two"))
        wait_until(lambda: not (tmp_path / "keep").exists())


@pytest.mark.starts_processes
def test_a_reload_runs_nothing_again_that_is_the_same(watching, tmp_path):
    command = watching.exec("each", f"sh -c 'echo $A >> {tmp_path}/log'", environment=["A={{ Environ.HOME }}"])
    watching.write(command)
    with watching.started():
        watching.process.send_signal(signal.SIGHUP)
        wait_until(lambda: watching.count("The manifest was read again") == 1)
        watching.settle()
    assert len((tmp_path / "log").read_text().splitlines()) == 1


@pytest.mark.starts_processes
def test_a_command_does_not_run_again_when_what_it_requires_recovers(watching, tmp_path):
    (tmp_path / "d").mkdir()
    watching.write(watching.file("d/one"), watching.appending("after", "log", require=[f"file#{tmp_path}/d/one"]))
    with watching.started():
        wait_until(content(tmp_path / "log", "after\n"))
        (tmp_path / "d").rename(tmp_path / "moved")
        (tmp_path / "d").write_text("no directory")
        wait_until(lambda: watching.count("d/one failed") >= 1)
        (tmp_path / "d").unlink()
        (tmp_path / "moved").rename(tmp_path / "d")
        wait_until(lambda: watching.count("d/one stable") == 1)
        watching.settle()
    assert (tmp_path / "log").read_text() == "after\n"


@pytest.mark.starts_processes
def test_one_and_true_are_different_data(watching, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {value: 1}\n")
    watching.write(watching.file("one", "{{ Data.value }}"))
    with watching.started("--hiera", tmp_path / "data.yaml"):
        wait_until(content(tmp_path / "one", "1"))
        (tmp_path / "data.yaml").write_text("data: {value: true}\n")
        wait_until(content(tmp_path / "one", "true"))
