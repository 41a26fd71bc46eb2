# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm undo`, and what `ccm apply` undoes by itself."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest
from ccm.engine.state import undo_journal, undone_types
from ccm.engine.state.files import StateFiles, unusable
from ccm.host import files
from ccm.host.errors import HostError

from tests.unit.attributes import attributes

REVERSE = {"meta": {"reverse": True}}


class Site:
    """A directory with a manifest, and a tree of files that the manifest changes."""

    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.manifest = directory / "m.yaml"
        self.tree = directory / "tree"
        self.tree.mkdir()
        self.owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}

    def path(self, name):
        return self.tree / name

    def file(self, name, **properties):
        """Return a file of the tree whose change can be undone."""
        content = {} if "source" in properties or properties.get("ensure") else {"content": "new\n"}
        return {"file": [{str(self.path(name)): {**self.owner, **content, **REVERSE, **properties}}]}

    def write(self, *resources, **others):
        self.manifest.write_text(json.dumps({"ccm": {"resources": list(resources), **others}}))

    def apply(self, *resources, words=(), **others):
        """Write the manifest, unless there are no resources, and apply it; return the lines without times."""
        if resources:
            self.write(*resources, **others)
        return lines(self.ccm("apply", self.manifest, "--no-report", *words))

    def undo(self, *words):
        return self.ccm("undo", self.manifest, *words)

    def snapshot(self):
        found = {}
        for path in sorted(self.tree.rglob("*")):
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, content)
        return found


def lines(ran):
    assert ran.status == 0, ran
    return [re.sub(r" runtime=\S+| since \S+Z", "", line).strip() for line in ran.out.splitlines()][1:]


NOOP = ({"exec": [{"true": {"creates": "/"}}]},)


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_a_new_file_is_removed_again(site):
    before = site.snapshot()
    site.apply(site.file("a"))
    ran = site.undo()
    assert lines(ran) == [f"WARN  file#{site.path('a')} changed ensure=absent provider=posix", "1 of 1 changes undone"]
    assert site.snapshot() == before
    assert site.undo().out == "Nothing to undo\n"


def test_a_resource_that_left_the_manifest_is_undone(site):
    site.path("a").write_text("old\n")
    site.path("a").chmod(0o640)
    before = site.snapshot()
    site.apply(site.file("a"))
    assert site.apply(*NOOP) == [
        "INFO  exec#true stable ensure=present provider=posix",
        f"INFO  undoing: changed resource=file#{site.path('a')}",
        f"WARN  file#{site.path('a')} changed ensure=present provider=posix",
    ]
    assert site.snapshot() == before
    assert site.apply() == ["INFO  exec#true stable ensure=present provider=posix"]


def test_the_last_change_is_undone_first(site):
    site.apply(site.file("d", ensure="directory"), site.file("d/a"))
    ran = site.undo()
    changed = re.findall(r"WARN  file#(\S+) changed", ran.out)
    assert changed == [str(site.path("d/a")), str(site.path("d"))]
    assert site.snapshot() == {}


def test_the_first_state_comes_back_after_several_changes(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    for content in ("one\n", "two\n", "three\n"):
        site.apply(site.file("a", content=content))
    site.undo()
    assert site.snapshot() == before


def test_noop_undoes_nothing(site):
    site.apply(site.file("d", ensure="directory"), site.file("d/a"))
    before = site.snapshot()
    ran = site.undo("--noop")
    assert ran.out.endswith("2 of 2 changes would be undone\n")
    assert "noop=Would have undone the change: 1 removed" in ran.out
    assert site.snapshot() == before
    assert site.undo().out.endswith("2 of 2 changes undone\n")


def test_noop_of_the_manifest_undoes_nothing(site):
    site.apply(site.file("a"))
    before = site.snapshot()
    shown = site.apply(*NOOP, words=["--noop"])
    assert shown[1] == f"INFO  would be undone: changed resource=file#{site.path('a')}"
    assert shown[2].endswith("noop=Would have undone the change: 1 removed")
    assert site.snapshot() == before


def test_differences_do_not_show_contents(site):
    site.path("a").write_text("secret of old times\n")
    site.apply(site.file("a", content="secret of new times\n"))
    ran = site.undo("--noop", "--diff")
    assert "-mode: 0600\n+mode: 0644\n" in ran.out
    assert "sha256" in ran.out
    assert "secret" not in ran.out


def test_what_something_else_changed_is_not_undone(site):
    site.apply(site.file("a"))
    site.path("a").write_text("by hand")
    site.path("a").chmod(0o644)
    reason = f"{site.path('a')} has mode 0644, had 0600 and has another content"
    error = f"not undone: something else changed it since: {reason}; ccm undo --force undoes it nevertheless, "
    error += "ccm undo --forget leaves it as it is"
    for words in ([], ["--noop"]):
        ran = site.undo(*words)
        assert ran.status == 1
        assert f"errors={error}\n0 of 1 changes " in ran.out
    assert error in site.apply(*NOOP)[-1]
    # It is reported in each run.
    assert error in site.apply(*NOOP)[-1]
    assert site.path("a").read_text() == "by hand"
    assert site.undo("--force").status == 0
    assert site.snapshot() == {}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "is absent, was file"),
        (lambda path: (path.unlink(), path.mkdir()), "is directory, was file"),
        (lambda path: (path.unlink(), path.symlink_to("/etc/passwd")), "is link, was file"),
    ],
)
def test_something_else_in_the_place(site, change, reason):
    site.path("a").write_text("old\n")
    site.path("a").chmod(0o644)
    before = site.snapshot()
    site.apply(site.file("a"))
    change(site.path("a"))
    assert f"{site.path('a')} {reason}; ccm undo" in site.undo().out
    assert site.undo("--force").status == 0
    assert site.snapshot() == before


def test_what_is_as_before_already_is_forgotten(site):
    site.apply(site.file("a"))
    site.path("a").unlink()
    ran = site.undo()
    assert lines(ran)[-1] == "1 of 1 changes undone"
    assert " stable " in ran.out


def test_a_directory_with_other_files_stays(site):
    site.apply(site.file("d/e", ensure="directory", mode="0755"))
    site.path("d/e/other").write_text("by hand")
    assert f"errors=not undone: {site.path('d/e')} is not empty" in site.undo().out
    ran = site.undo("--force")
    assert ran.status == 0
    assert f" WARN  A directory is not empty, and stays path={site.path('d/e')}\n" in ran.out
    assert site.path("d/e/other").read_text() == "by hand"
    assert site.undo().out == "Nothing to undo\n"


def test_parents_that_others_use_stay(site):
    site.apply(site.file("d/e/f", ensure="directory", mode="0755"))
    site.path("d/other").write_text("by hand")
    assert site.undo().status == 0
    assert sorted(site.snapshot()) == [str(site.path("d")), str(site.path("d/other"))]


@pytest.mark.needs("root")
def test_a_removed_tree_comes_back(site):
    site.path("d/deep/er").mkdir(parents=True)
    site.path("d/deep/er/a").write_bytes(b"\0\xff")
    site.path("d/deep/link").symlink_to("../../nowhere")
    site.path("d/deep/er").chmod(0o500)
    before = site.snapshot()
    site.apply(site.file("d", ensure="absent", force=True))
    assert site.snapshot() == {}
    assert site.undo().status == 0
    assert site.snapshot() == before
    site.path("d/deep/er").chmod(0o700)


def test_a_link_that_was_replaced_comes_back(site):
    site.path("target").write_text("target")
    site.path("a").symlink_to("target")
    before = site.snapshot()
    site.apply(site.file("a"))
    assert not site.path("a").is_symlink()
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_scaffold_is_undone(site, tmp_path):
    (tmp_path / "source/sub").mkdir(parents=True)
    (tmp_path / "source/one").write_text("one [[ 1 + 1 ]]\n")
    (tmp_path / "source/sub/two").write_text("two\n")
    site.path("s").mkdir()
    for name in ("one", "purged", "other"):
        site.path(f"s/{name}").write_text(f"old {name}\n")
    before = site.snapshot()
    scaffold = {"ensure": "present", "source": str(tmp_path / "source"), "purge": True, **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    assert site.path("s/one").read_text() == "one 2\n"
    (tmp_path / "source/three").write_text("three\n")
    site.apply()
    assert site.path("s/three").exists()
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_scaffold_that_was_removed_comes_back(site, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/one").write_text("one\n")
    scaffold = {"ensure": "present", "source": str(tmp_path / "source"), **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    before = site.snapshot()
    shutil.rmtree(tmp_path / "home")
    site.apply({"scaffold": [{str(site.path("s")): {**scaffold, "ensure": "absent"}}]})
    assert site.snapshot() == {}
    assert site.undo().status == 0
    assert site.snapshot() == before


@pytest.mark.starts_processes
def test_a_command_is_undone_by_another_one(site):
    made, gone = site.path("made"), site.path("gone")
    command = {
        "command": f"touch {made}",
        "creates": str(made),
        "meta": {"undo": "{{ 'sh' }} -c 'echo $0 > " + f"{gone}' x"},
    }
    site.apply({"exec": [{"make": command}]})
    ran = site.undo("--noop")
    assert "noop=Would have undone the change: would have executed\n" in ran.out
    assert not gone.exists()
    assert "WARN  exec#make changed ensure=present provider=posix" in lines(site.undo())
    assert gone.read_text() == "x\n"


@pytest.mark.starts_processes
def test_an_undo_that_fails_is_made_again(site):
    flag = site.path("flag")
    command = {"command": "true", "meta": {"reverse": True, "undo": f"test -e {flag}"}}
    site.apply({"exec": [{"make": command}]})
    ran = site.undo()
    assert ran.status == 1
    assert "exec#make failed" in ran.out
    flag.touch()
    assert site.undo().out.endswith("1 of 1 changes undone\n")


def test_an_undo_that_was_interrupted_goes_on(site, monkeypatch):
    (site.manifest.parent / "source").mkdir()
    for name in "abc":
        (site.manifest.parent / "source" / name).write_text(name)
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    removed = []

    def remove_two(path):
        if len(removed) == 2:
            raise HostError("cut short")
        removed.append(path)
        os.unlink(path)

    with monkeypatch.context() as patch:
        patch.setattr(files, "remove_file", remove_two)
        assert "errors=cut short" in site.apply(*NOOP)[-1]
    assert len(site.snapshot()) == 2
    assert site.apply(*NOOP)[-1] == f"WARN  scaffold#{site.path('s')} changed ensure=absent provider=choria"
    assert site.snapshot() == {}


def test_some_are_undone(site):
    site.apply(site.file("a"), site.file("b"))
    assert site.undo(f"file#{site.path('a')}").out.endswith("1 of 1 changes undone\n")
    assert list(site.snapshot()) == [str(site.path("b"))]
    ran = site.undo("file#/c")
    assert ran.err == f"ccm: error: no change of file#/c can be undone\n  those that can: file#{site.path('b')}\n"
    assert ran.status == 1


def test_the_manifest_may_be_gone(site):
    site.apply(site.file("a"))
    site.manifest.unlink()
    assert site.undo().status == 0
    assert site.snapshot() == {}


def test_nothing_is_kept_without_reverse(site):
    site.apply(site.file("a", meta={}))
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out == "Nothing to undo\n"


def test_what_is_no_longer_to_be_reversed_is_forgotten(site):
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}))
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out == "Nothing to undo\n"


def test_a_converged_resource_is_not_undone(site):
    site.apply(site.file("a"))
    shutil.rmtree(site.manifest.parent / "home")
    site.apply(site.file("a"))
    assert site.undo().out == "Nothing to undo\n"
    assert site.path("a").exists()


def test_a_control_that_is_false_undoes_nothing(site):
    site.apply(site.file("a", control={"if": "true"}))
    site.apply(site.file("a", control={"if": "false"}))
    assert site.path("a").exists()


def test_other_facts_undo_nothing(site):
    resource = site.file("{{ Facts.name }}")
    site.apply(resource, words=["--fact", "name=a"])
    site.apply(resource, words=["--fact", "name=b"])
    assert sorted(site.snapshot()) == [str(site.path("a")), str(site.path("b"))]
    site.apply(*NOOP, words=["--fact", "name=b"])
    assert site.snapshot() == {}


def test_a_resource_that_is_written_otherwise_is_the_same(site):
    site.apply(site.file("a"))
    site.apply(site.file("{{ Facts.name }}"), words=["--fact", "name=a"])
    site.apply(words=["--fact", "name=b"])
    assert site.path("a").exists()


def test_resources_of_a_template_are_undone_with_it(site):
    template = site.manifest.parent / "r.jet"
    resource = json.dumps(site.file("[[ Facts.name ]]"))
    template.write_text(f"[{resource}]\n")
    site.manifest.write_text(json.dumps({"ccm": {"resources_jet_file": "r.jet"}}))
    site.apply(words=["--fact", "name=a"])
    site.apply(words=["--fact", "name=b"])
    assert site.path("a").exists()
    site.apply(*NOOP)
    assert site.snapshot() == {}


def test_resources_of_an_applied_manifest(site):
    child = site.manifest.parent / "child.yaml"
    child.write_text(json.dumps({"ccm": {"resources": [site.file("a"), site.file("b")]}}))
    applied = {"apply": [{"child.yaml": {}}]}
    site.apply(applied)
    child.write_text(json.dumps({"ccm": {"resources": [site.file("b")]}}))
    site.apply({"apply": [{"child.yaml": {"control": {"if": "false"}}}]})
    assert site.path("a").exists()
    site.apply(applied)
    assert list(site.snapshot()) == [str(site.path("b"))]
    site.apply(*NOOP)
    assert site.snapshot() == {}


@pytest.mark.starts_processes
def test_a_run_that_ends_early_undoes_nothing(site):
    site.apply(site.file("a"))
    failing = ({"exec": [{"false": {}}]}, {"exec": [{"true": {}}]})
    site.apply(*failing, fail_on_error=True)
    assert site.path("a").exists()


def test_without_state_nothing_is_undone(site):
    site.apply(site.file("a"))
    site.apply(*NOOP, words=["--no-state"])
    assert site.path("a").exists()


def test_what_is_too_large_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(undo_journal, "LARGEST_CONTENT", 1 << 20)
    site.path("a").write_bytes(bytes((1 << 20) + 1))
    shown = site.apply(site.file("a"))
    reason = f"{site.path('a')} is too large: at most 1 MiB are kept"
    assert shown[0] == f"WARN  What changes cannot be undone resource=file#{site.path('a')} reason={reason}"
    assert site.undo().out == "Nothing to undo\n"


def test_too_many_paths_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(undo_journal, "MOST_PATHS", 2)
    site.path("d/e").mkdir(parents=True)
    site.path("d/a").touch()
    shown = site.apply(site.file("d", ensure="absent", force=True))
    assert shown[0].endswith("reason=3 paths are more than the 2 that are kept")


def test_a_fifo_cannot_be_undone(site):
    site.path("d").mkdir()
    os.mkfifo(site.path("d/fifo"))
    shown = site.apply(site.file("d", ensure="absent", force=True))
    assert shown[0].endswith(f"reason={site.path('d/fifo')} is neither a file, a directory nor a link")


def test_a_change_that_was_cut_short_needs_force(site):
    """A run that is killed between a change and the note of what it left."""
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    state.write_text(re.sub(r'"reached":\{[^}]*\}', '"reached":{}', state.read_text()))
    assert f"{site.path('a')}, which was not seen after the change; ccm undo" in site.undo().out
    # The next run finds the resource as it left it.
    site.apply(site.file("a"), site.file("b"))
    assert site.undo().status == 0
    assert site.snapshot() == {}


def test_contents_are_removed_with_the_changes_that_need_them(site):
    for name in ("a", "b", "c"):
        site.path(name).write_text("other\n" if name == "c" else "same\n")
    site.apply(*map(site.file, "abc"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()

    def contents():
        return sorted(path.read_text() for path in directory.glob("before-*"))

    assert contents() == ["other\n", "same\n"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in directory.glob("before-*"))
    site.undo(f"file#{site.path('a')}")
    assert contents() == ["other\n", "same\n"]
    site.undo()
    assert contents() == []


def test_a_content_that_is_gone_is_an_error(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    for path in directory.glob("before-*"):
        path.unlink()
    ran = site.undo()
    assert ran.status == 1
    assert "no such file or directory" in ran.out
    assert site.path("a").read_text() == "new\n"


@pytest.mark.parametrize("text", ["", "{}", "[]", "not JSON", '{"declared": 1}'])
def test_a_damaged_change_is_put_aside(site, text):
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    state.write_text(re.sub(r"(?m)^kept\t(\S+)\t.*$", lambda found: f"kept\t{found[1]}\t{text}", state.read_text()))
    ran = site.undo()
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"ccm: error: {state} is damaged\n")


def test_a_type_that_is_gone_is_an_error(site):
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    state.write_text(state.read_text().replace('"type":"file"', '"type":"gone"'))
    ran = site.undo()
    assert ran.status == 1
    assert "there is no type gone whose changes can be undone" in ran.out


def test_what_can_be_undone_is_shown(site):
    site.apply(site.file("a"))
    ran = site.ccm("state", "show", site.manifest)
    assert re.search(rf"Can Be Undone\n\n  file#{site.path('a')} since 20\S+Z\n", ran.out)
    (kept,) = json.loads(site.ccm("state", "show", site.manifest, "--json").out)["undo"]
    assert kept["resource"] == f"file#{site.path('a')}"


def test_undone_resources_are_in_the_report(site):
    site.apply(site.file("a"))
    site.write(*NOOP)
    ran = site.ccm("apply", site.manifest, "--log-format", "json")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert [record["fields"]["cause"] for record in records if "cause" in record.get("fields", {})] == ["manifest"]
    assert records[-1]["fields"]["changed_resources"] == 1


def test_many_differences_are_counted(site, tmp_path):
    (tmp_path / "source").mkdir()
    for name in range(7):
        (tmp_path / f"source/{name}").touch()
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    for name in range(7):
        site.path(f"s/{name}").write_text("by hand")
    shown = site.undo().out
    assert f"{site.path('s/4')} has another content, and 2 more; ccm undo" in shown
    assert "s/5" not in shown


def test_what_is_there_again_at_once_is_not_undone(site, monkeypatch):
    site.apply(site.file("a"))
    monkeypatch.setattr(undone_types, "put_back", lambda *_given: [])
    assert f"errors=failed to reach desired state: not undone: {site.path('a')}\n" in site.undo().out
    monkeypatch.undo()


def test_a_content_that_cannot_be_kept_is_named(site, monkeypatch):
    """The change itself is made: only undoing it needs what was there."""
    site.path("a").write_text("old\n")

    def refuse(_self, _name, _data, _directory, *, synced):
        raise unusable("/state/before-0", OSError(28, ""))

    monkeypatch.setattr(StateFiles, "replace", refuse)
    shown = site.apply(site.file("a"))
    assert shown[0] == "WARN  Going on without state between runs: /state/before-0: no space left on device"
    assert site.path("a").read_text() == "new\n"


def test_what_was_changed_and_cannot_be_read(site, monkeypatch):
    def unreadable_after(change, _resource, _state):
        raise HostError("gone wrong")

    monkeypatch.setattr(undo_journal, "parts_now", unreadable_after)
    shown = site.apply(site.file("a"))
    assert shown[0] == f"WARN  What was changed cannot be read resource=file#{site.path('a')} reason=gone wrong"


def test_a_name_when_nothing_can_be_undone(site):
    site.apply(*NOOP)
    ran = site.undo("file#/a")
    assert ran.err == "ccm: error: no change of file#/a can be undone\n  those that can: none\n"


def directory_of(site):
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    return directory


def write_child(site, name, *resources):
    (site.manifest.parent / name).write_text(json.dumps({"ccm": {"resources": [*resources, *NOOP]}}))


def test_a_resource_that_moved_to_another_manifest_is_not_undone(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.path("a").read_text() == "new\n"
    os.rename(site.manifest.parent / "child.yaml", site.manifest.parent / "kid.yaml")
    site.apply({"apply": [{"kid.yaml": {}}]})
    assert site.path("a").read_text() == "new\n"
    write_child(site, "kid.yaml")
    site.apply()
    assert site.snapshot() == before


def test_a_resource_that_moved_and_changed_is_undone_to_what_was_first(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    write_child(site, "child.yaml", site.file("a", content="newer\n"))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.path("a").read_text() == "newer\n"
    site.apply(*NOOP)
    assert site.snapshot() == before


def test_a_path_that_another_resource_manages_now_is_not_undone(site, tmp_path):
    site.apply(site.file("s", ensure="directory"), site.file("s/a"))
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a").write_text("new\n")
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": str(tmp_path / "source")}}]})
    assert site.path("s/a").read_text() == "new\n"


@pytest.mark.parametrize("mode", ["noop", "health_check_only"])
def test_a_manifest_that_changes_nothing_undoes_nothing(site, mode):
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]})
    write_child(site, "child.yaml")
    site.apply({"apply": [{"child.yaml": {mode: True}}]})
    assert site.path("a").exists()
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.snapshot() == {}


def test_a_child_of_another_release_is_the_same(site):
    engine = {"engine": {"state": "release"}}
    applied = {"apply": [{"child.yaml": {}}]}
    site.manifest = site.manifest.parent / "one/m.yaml"
    site.manifest.parent.mkdir()
    write_child(site, "child.yaml", site.file("a"))
    site.apply(applied, **engine)
    site.manifest = site.manifest.parent.parent / "two/m.yaml"
    site.manifest.parent.mkdir()
    write_child(site, "child.yaml")
    site.apply(applied, **engine)
    assert site.snapshot() == {}


def test_two_runs_at_once_keep_what_was_there_first(site):
    """The second run read the state before the first one noted its change."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a", content="one\n"))
    first = (directory_of(site) / "state").read_bytes()
    for path in directory_of(site).glob("state"):
        path.unlink()
    site.apply(site.file("a", content="two\n"))
    second = (directory_of(site) / "state").read_text()
    kept = next(line for line in second.splitlines() if line.startswith("kept\t"))
    (directory_of(site) / "state").write_bytes(first)
    (directory_of(site) / "journal").write_text(f"\n{kept}\n")
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_removed_scaffold_leaves_other_files_alone(site, tmp_path):
    (tmp_path / "source").mkdir()
    for path in (tmp_path / "source/one", site.path("s/one"), site.path("s/other")):
        path.parent.mkdir(exist_ok=True)
        path.write_text("one\n")
    scaffold = {"ensure": "absent", "source": str(tmp_path / "source"), **REVERSE}
    site.apply({"scaffold": [{str(site.path("s")): scaffold}]})
    assert not site.path("s/one").exists()
    site.path("s/other").write_text("by hand")
    site.apply(*NOOP)
    assert site.path("s/one").read_text() == "one\n"
    assert site.path("s/other").read_text() == "by hand"


def test_a_directory_below_a_scaffold_that_is_not_empty_stays(site, tmp_path):
    for name in "ab":
        (tmp_path / f"source/{name}").mkdir(parents=True)
        (tmp_path / f"source/{name}/file").touch()
    site.path("s").mkdir()
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    site.path("s/a/other").touch()
    assert site.undo().status == 0
    assert [path.name for path in sorted(site.path("s").rglob("*"))] == ["a", "other"]


def test_what_was_not_kept_at_first_is_not_kept_later(site, monkeypatch):
    site.path("a").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(undo_journal, "LARGEST_CONTENT", 1)
        site.apply(site.file("a", content="one\n"))
    site.apply(site.file("a", content="two\n"))
    site.apply(*NOOP)
    assert site.path("a").read_text() == "two\n"
    # After it left the manifest, it can begin anew.
    site.apply(site.file("a", content="three\n"))
    site.apply(*NOOP)
    assert site.path("a").read_text() == "two\n"


@pytest.mark.needs("root")
def test_a_directory_that_is_half_back_is_no_difference(site):
    site.path("d").mkdir()
    for name in "ab":
        site.path(f"d/{name}").write_text(name)
    site.path("d").chmod(0o555)
    before = site.snapshot()
    site.apply(site.file("d", ensure="absent", force=True))
    site.path("d").mkdir(0o755)
    site.path("d").chmod(0o755)
    assert site.undo().status == 0
    assert site.snapshot() == before
    site.path("d").chmod(0o755)


def test_a_second_change_that_was_cut_short(site):
    site.apply(site.file("a"))
    state = directory_of(site) / "state"
    line = next(line for line in state.read_text().splitlines() if line.startswith("kept\t"))
    line = re.sub(r'"reached":\{[^}]*\}', '"reached":{}', line.replace("kept", "keep", 1))
    (directory_of(site) / "journal").write_text(f"\n{line}\n")
    site.path("a").write_text("newer\n")
    site.apply(site.file("a", content="newer\n"))
    site.apply(*NOOP)
    assert site.snapshot() == {}


@pytest.mark.starts_processes
def test_a_corrected_command_is_used(site):
    made = str(site.path("made"))
    command = {"command": f"touch {made}", "creates": made}
    site.apply({"exec": [{"make": {**command, "meta": {"undo": "false"}}}]})
    site.apply({"exec": [{"make": {**command, "meta": {"undo": f"rm {made}"}}}]})
    site.apply(*NOOP)
    assert site.snapshot() == {}


def test_a_change_that_failed_and_changed_nothing_is_forgotten(site):
    site.apply(site.file("none/a"))
    assert site.undo().out == "Nothing to undo\n"
    site.path("none").mkdir()
    site.path("none/a").write_text("by hand")
    site.apply(*NOOP)
    assert site.path("none/a").read_text() == "by hand"


def test_a_content_that_is_damaged_is_not_put_back(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    (content,) = directory_of(site).glob("before-*")
    content.write_text("")
    ran = site.undo()
    assert f"errors={content} does not have the content of {site.path('a')} any more\n" in ran.out
    assert site.path("a").read_text() == "new\n"


def test_a_part_of_another_form_is_damaged(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    state = directory_of(site) / "state"
    state.write_text(re.sub(r'\["file"[^]]*\]', "[]", state.read_text()))
    assert site.undo().err.startswith(f"ccm: error: {state} is damaged\n")


def test_control_characters_are_escaped(site):
    name = "x\x1b[31m\n ERROR forged"
    site.apply(site.file(name))
    ran = site.undo()
    assert "\x1b" not in ran.out
    assert not any(line.startswith(" ERROR") for line in ran.out.splitlines())
    site.apply(site.file(name))
    ran = site.undo("file#/none")
    assert "\x1b" not in ran.err


@pytest.mark.starts_processes
def test_a_resource_is_named_with_arrows_in_its_name(site):
    write_child(
        site, "child.yaml", {"exec": [{"sh -c 'echo a > b'": {"meta": {"undo": "true"}, "cwd": str(site.tree)}}]}
    )
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.undo("exec#sh -c 'echo a > b'").out.endswith("1 of 1 changes undone\n")


def test_a_resource_that_is_skipped_loses_its_reverse(site):
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}, control={"if": "false"}))
    site.apply(*NOOP)
    assert site.path("a").exists()


@pytest.mark.parametrize("was_link", [False, True])
@pytest.mark.parametrize("now", ["full directory", "empty directory", "named pipe"])
def test_what_cannot_be_replaced_is_named_in_noop_too(site, was_link, now):
    path = site.path("a")
    path.symlink_to("nowhere") if was_link else path.write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    path.unlink()
    if now == "named pipe":
        os.mkfifo(path)
        error = f"{path} exists as a named pipe; cannot replace it by a file"
    else:
        path.mkdir()
        (path / "inside").touch() if now == "full directory" else None
        error = f"{path} is a directory that is not empty" if now == "full directory" else ""
    for words in (["--noop"], []):
        ran = site.undo("--force", *words)
        assert re.findall("errors=(.*)", ran.out) == ([error] if error else [])
        assert ran.status == bool(error)
    assert (site.snapshot() == before) == (not error)


def test_what_an_earlier_undo_removes_is_not_in_the_way_in_noop(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    site.path("a").unlink()
    site.path("a").mkdir()
    site.apply(site.file("a/inside"))
    for words in (["--noop"], []):
        assert "2 of 2 changes " in site.undo("--force", *words).out
    assert site.path("a").read_text() == "old\n"


def test_contents_that_no_change_needs_are_removed_later(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    site.apply(site.file("a", content="old\n", mode="0644"))
    (content,) = directory_of(site).glob("before-*")
    site.apply(site.file("b"))
    assert content.exists()
    os.utime(content, (0, 0))
    site.apply(site.file("c"))
    assert not content.exists()


def test_a_change_is_forgotten(site):
    site.apply(site.file("a"), site.file("b"))
    shown = f"The change of file#{site.path('a')} would be forgotten\n"
    assert site.undo("--forget", "--noop", f"file#{site.path('a')}").out == shown
    shown = f"The change of file#{site.path('a')} forgotten\n"
    assert site.undo("--forget", f"file#{site.path('a')}").out == shown
    site.apply(*NOOP)
    assert list(site.snapshot()) == [str(site.path("a"))]


def test_lists_count_what_can_be_undone(site):
    site.apply(site.file("a"))
    assert site.ccm("state", "list").out.endswith("  1 change can be undone\n")
    ran = site.ccm("state", "forget", site.manifest)
    assert ran.out == f"Forgot the state of {site.manifest}, with 1 change that could be undone\n"


def test_an_unknown_manifest_is_refused(site):
    ran = site.undo()
    assert ran.status == 1
    assert ran.err.startswith(f"ccm: error: no state is kept of {site.manifest}\n")


def test_what_is_forgotten_still_drifts_and_is_left_behind(ccm, tmp_path, me):
    owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    files = {name: {"content": name, **owner, "meta": {"reverse": True}} for name in ("one", "two")}

    def write(*names):
        resources = [{"file": [{str(tmp_path / name): files[name]}]} for name in names]
        (tmp_path / "f.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))

    write("one", "two")
    for _run in range(2):
        ccm("apply", "f.yaml")
    assert ccm("undo", "f.yaml", "--forget", f"file#{tmp_path}/one").status == 0
    (tmp_path / "one").write_text("by hand")
    done = ccm("drift", "f.yaml")
    assert (done.status, done.out.partition(":")[0]) == (2, "drift")
    write("two")
    done = ccm("orphans", "f.yaml")
    assert (done.status, done.out.splitlines()[0]) == (2, f"file#{tmp_path}/one")


def test_force_and_forget_exclude_each_other(ccm, tmp_path):
    done = ccm("undo", "m.yaml", "--force", "--forget")
    assert done.status == 1
    assert "--force undoes changes, and --forget leaves them as they are" in done.err


def test_an_undo_that_cannot_be_noted_has_failed(ccm, tmp_path, me):
    owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    entry = {str(tmp_path / "one"): {"content": "x", **owner, "meta": {"reverse": True}}}
    (tmp_path / "f.yaml").write_text(json.dumps({"ccm": {"resources": [{"file": [entry]}]}}))
    ccm("apply", "f.yaml")
    (lock,) = (tmp_path / "home/state/manifests").glob("*/lock")
    lock.unlink()
    lock.mkdir()
    done = ccm("undo", "f.yaml")
    assert done.status == 1
    assert done.out.count("Going on without state between runs") == 1
    assert f"{lock}: is a directory" in done.out


@pytest.mark.needs("root", "trusted_attributes", "user_attributes")
def test_attributes_that_a_replaced_file_loses_are_named(site):
    path = site.path("f")
    path.write_text("old")
    site.apply(site.file("f"))
    os.setxattr(path, "trusted.k", b"v")
    os.setxattr(path, "user.k", b"v")
    warning = "WARN  The new file does not have these attributes of the old one"
    assert f"{warning} file={path} attributes=trusted.k" in lines(site.undo())
    assert (path.read_text(), attributes(path)) == ("old", {"user.k": b"v"})


def test_set_id_and_sticky_bits_are_put_back(site):
    site.path("d").mkdir()
    site.path("d").chmod(0o2755)
    site.path("f").write_text("old")
    site.path("f").chmod(0o4755)
    site.path("plain").mkdir(mode=0o755)
    before = site.snapshot()
    site.apply(
        site.file("d", ensure="directory", mode="1700"),
        site.file("plain", ensure="directory", mode="3755"),
        site.file("f", mode="0644"),
    )
    modes = [f"{site.path(name).stat().st_mode & 0o7777:04o}" for name in ("d", "plain", "f")]
    assert modes == ["1700", "3755", "0644"]
    assert lines(site.undo())[-1] == "3 of 3 changes undone"
    assert site.snapshot() == before
