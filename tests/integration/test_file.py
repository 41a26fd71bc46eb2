# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.file in plays: states, modes, sources, templates, diffs, mistakes."""

from __future__ import annotations

import grp
import os
import pathlib
import pwd
import re
import shutil
import tempfile
import textwrap

import pytest
import yaml

from .conftest import SYSTEM_PYTHON

USER = pwd.getpwuid(os.geteuid()).pw_name
GROUP = grp.getgrgid(os.getegid()).gr_name
OWN = f"owner: {USER}, group: {GROUP}"
TEXT = "wanted\n"


def make(path, kind):
    """Bring `path` to one of the states that the tests start from."""
    if kind == "absent":
        return
    if kind == "directory":
        path.mkdir()
        return
    if kind == "full directory":
        path.mkdir()
        (path / "inside").write_text("x", encoding="utf-8")
        return
    target = path.with_name(path.name + ".target") if kind == "link" else path
    target.write_text("other\n" if kind == "content" else TEXT, encoding="utf-8")
    target.chmod(0o600 if kind == "mode" else 0o644)
    if kind == "link":
        path.symlink_to(target)
    if kind == "owner":
        os.chown(target, 1, -1)
    if kind == "group":
        os.chown(target, -1, 1)


WANTED = {
    "content": {"ensure": "present", "content": TEXT, "mode": "0644"},
    "attributes": {"ensure": "present", "mode": "0644"},
    "directory": {"ensure": "directory", "mode": "0755"},
    "absent": {"ensure": "absent"},
    "removed": {"ensure": "absent", "force": True},
}
# Each state and each wish, in the pairs that differ; tests/hosts/test_check_mode.py has all of them.
PAIRS = {
    "content": ("absent", "right", "content", "mode", "owner", "group", "directory", "link"),
    "attributes": ("content", "full directory"),
    "directory": ("absent", "directory"),
    "absent": ("absent", "content", "full directory", "link"),
    "removed": ("full directory",),
}


def look(folder):
    """Everything below a folder that a task could change, times included."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        at = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        seen[str(path)] = (at.st_mode, at.st_uid, at.st_gid, at.st_mtime_ns, at.st_ino, content)
    return seen


@pytest.mark.needs("root")
def test_check_mode_says_what_the_run_then_does(ansible, here):
    """States to start from with states to end in: preview, run, run again."""
    tasks = []
    for name, state in [(name, state) for name, states in PAIRS.items() for state in states]:
        wanted = WANTED[name]
        path = here / f"{state} {name}".replace(" ", "-")
        make(path, state)
        options = {"name": str(path), **wanted}
        if wanted["ensure"] != "absent":
            options.update(owner=USER, group=GROUP)
        tasks.append({"name": path.name, "ccm.core.file": options, "ignore_errors": True})
    text = yaml.safe_dump(tasks)
    before = look(here)
    preview = ansible.play(text, "--check", "--diff")
    assert look(here) == before
    run = ansible.play(text, "--diff")
    again = ansible.play(text)

    assert len(run.tasks) == len(tasks)
    for task in run.tasks:
        said = preview[task.name]
        if task.outcome == "failed" and said.outcome != "failed":
            # Only what is not known before the removal: whether a directory is empty.
            assert "directory is not empty" in task.msg, (said, task)
            continue
        assert said.outcome == task.outcome, (said, task)
        if task.outcome == "changed":
            done = said.event["noop_message"].replace("Would have ", "")
            assert said.msg == said.event["noop_message"] or re.fullmatch(r"would update \([a-z, ]+\)", said.msg)
            assert task.msg == done[0].upper() + done[1:]
            assert without_times(said.result["diff"]) == without_times(task.result["diff"]) != []
            assert (said.event["noop"], said.event["changed"]) == (True, True)
        else:
            assert said.msg == task.msg
    expected = {task.name: "failed" if task.outcome == "failed" else "ok" for task in run.tasks}
    assert again.outcomes == expected
    # A right file and a directory that is there need nothing; a directory in a file's place fails.
    assert run.outcomes["right-content"] == run.outcomes["link-content"] == run.outcomes["absent-absent"] == "ok"
    assert run.outcomes["content-attributes"] == run.outcomes["directory-directory"] == "ok"
    assert run["directory-content"].outcome == run["full-directory-attributes"].outcome == "failed"
    assert "exists as a directory" in run["directory-content"].msg
    for state in ("absent", "content", "mode", "owner", "group"):
        assert run.outcomes[f"{state}-content"] == "changed"


def without_times(diffs):
    return [{key: value for key, value in diff.items() if key != "mtime"} for diff in diffs]


def test_modes(ansible, here):
    """A mode that YAML read as a number becomes octal text where its meaning is clear, and is refused otherwise."""
    cases = {
        "text": ('"0640"', "0640"),
        "octal": ("0640", "0640"),
        "octal of three digits": ('"640"', "0640"),
        "with 0o": ("0o640", "0640"),
        "from a variable": ('"{{ 416 }}"', "0640"),
        "decimal": ("640", "quote it"),
        "decimal 644": ("644", 'mode must be text from "0000" to "7777", but YAML reads the number 644: quote it'),
        "too many bits": ('"14755"', 'mode "14755" exceeds maximum value 7777'),
        "letters": ('"u+x"', 'mode "u+x" is not a valid octal number; write it like 0644'),
        "boolean": ("true", "YAML reads the boolean true: quote it"),
        "fraction": ("6.4", "YAML reads the number 6.4: quote it"),
        "list": ("[6, 4, 4]", "YAML reads a list: quote it"),
        "negative": ("-1", "quote it"),
        "enormous": ("9" * 400, "quote it"),
    }
    tasks = ""
    for name, (mode, _expected) in cases.items():
        path = here / name.replace(" ", "-")
        tasks += (
            f"- name: {name}\n  ignore_errors: true\n"
            f"  ccm.core.file: {{name: {path}, ensure: present, {OWN}, mode: {mode}}}\n"
        )
    run = ansible.play(tasks)
    for name, (_given, expected) in cases.items():
        if expected.isdigit():
            assert run[name].outcome == "changed", run[name]
            assert run[name].event["properties"]["mode"] == expected
            assert oct((here / name.replace(" ", "-")).stat().st_mode)[-4:] == expected
        else:
            assert run[name].outcome == "failed"
            assert expected in run[name].msg
            assert str(here / name.replace(" ", "-")) in run[name].msg
            assert not (here / name.replace(" ", "-")).exists()


@pytest.mark.parametrize("vars", [None, {"ansible_managed": "by {{ word }}"}])
def test_a_template_has_the_same_header_as_with_the_builtin_module(ansible, here, vars):
    """The variable `ansible_managed` of a user wins over the text in Ansible's settings."""
    ansible.write("templates/header.j2", "# {{ ansible_managed }}, {{ template_path }}\n")
    keywords = f"vars: {{ansible_managed: {vars['ansible_managed']!r}, word: hand}}\n" if vars else ""
    tasks = f"""
    - name: builtin
      ansible.builtin.template: {{src: header.j2, dest: {here}/builtin, mode: "0644"}}
    - name: ours
      ccm.core.file: {{name: {here}/ours, template: header.j2, mode: "0644", {OWN}}}
    """
    ansible.play(tasks, keywords=keywords)
    assert (here / "ours").read_text("utf-8") == (here / "builtin").read_text("utf-8")
    assert (here / "ours").read_text("utf-8").startswith("# by hand" if vars else "# Ansible managed")


def test_sources_templates_and_content(ansible, here):
    """The controller's files and templates, text or not, small or large; the node's own files."""
    binary = bytes(range(256)) * 10
    large = b"0123456789abcdef\n" * 70_000
    ansible.write("files/text.txt", "from files\n")
    ansible.write("files/binary", binary)
    ansible.write("files/large", large)
    ansible.write("files/zero", b"a\0b")
    ansible.write("files/folder/inside", "x")
    ansible.write("templates/part.j2", "part of {{ word }}\n")
    ansible.write(
        "templates/whole.j2", "{% for n in [1, 2] %}\n{{ n }} {{ word }}\n{% endfor %}\n{% include 'part.j2' %}\n"
    )
    ansible.write("templates/number.j2", "{{ 40 + 2 }}\n")
    ansible.write("templates/evil.j2", "{{ untrusted.stdout }}\n")
    ansible.write("templates/broken.j2", "{{ no_such_variable }}\n")
    ansible.write("templates/syntax.j2", "{% if %}\n")
    node = ansible.write("on-node.txt", "of the node\n")
    cases = {
        "text": ("source: text.txt", b"from files\n"),
        "binary": ("source: binary", binary),
        "large": ("source: large", large),
        "zero": ("source: zero", b"a\0b"),
        "absolute": (f"source: {ansible.folder}/files/text.txt", b"from files\n"),
        "template": ("template: whole.j2", b"1 hello\n2 hello\npart of hello\n"),
        "expression": ("template: number.j2", b"42\n"),
        "untrusted": ("template: evil.j2", b"{{ 1 + 1 }}\n"),
        "node": (f"source: {node}, remote_src: true", b"of the node\n"),
        "literal": ("content: '${ 1 + 1 } [[ x ]]'", b"${ 1 + 1 } [[ x ]]"),
        "empty": ("content: ''", b""),
        "no such source": ("source: nowhere.txt", "nowhere.txt"),
        "folder": ("source: folder", "is not a file"),
        "no such template": ("template: nowhere.j2", "nowhere.j2"),
        "undefined": ("template: broken.j2", "no_such_variable"),
        "syntax": ("template: syntax.j2", "yntax"),
        "relative on node": ("source: x, remote_src: true", "source must be an absolute path with remote_src: true"),
        "missing on node": ("source: /no/such/file, remote_src: true", "/no/such/file"),
        "two": ("content: x, source: text.txt", "mutually exclusive: content|source|template"),
        "fraction": (
            "content: 1.10",
            "content must be text, but YAML reads the number 1.1: quote it",
        ),
        "boolean": ("content: yes", "content must be text, but YAML reads the boolean true"),
        "hidden": ("_staged_source: /etc/passwd", "Unsupported parameters"),
    }
    right = """
    - name: say
      check_mode: false
      ansible.builtin.command: printf '%s' '{{ "{{ 1 + 1 }}" }}'
      register: untrusted
    """
    right, wrong = textwrap.dedent(right), ""
    for name, (options, expected) in cases.items():
        path = here / name.replace(" ", "-")
        task = (
            f"- name: {name}\n  ignore_errors: true\n"
            f"  ccm.core.file: {{name: {path}, ensure: present, {OWN}, mode: '0644', {options}}}\n"
        )
        right, wrong = (right + task, wrong) if isinstance(expected, bytes) else (right, wrong + task)
    vars = {"word": "hello"}
    preview = ansible.play(right, "--check", "--diff", vars=vars)
    assert list(here.iterdir()) == []
    run = ansible.play(right + wrong, vars=vars)
    again = ansible.play(right, vars=vars)
    for name, (_given, expected) in cases.items():
        path = here / name.replace(" ", "-")
        if isinstance(expected, bytes):
            assert preview[name].outcome == run[name].outcome == "changed", (preview[name], run[name])
            assert path.read_bytes() == expected
            assert again[name].outcome == "ok"
        else:
            assert run[name].outcome == "failed", run[name]
            assert expected in run[name].msg
            assert not path.exists()
    # The event has what the user wrote, not the path of the transferred content.
    assert run["text"].event["properties"]["source"] == "text.txt"
    assert run["binary"].event["properties"]["source"] == "binary"
    assert "content" not in run["text"].event["properties"]
    diff = preview["text"].result["diff"]
    assert (diff[0]["before"], diff[0]["after"]) == ("", "from files\n")
    assert diff[1]["after"]["mode"] == "0644"
    assert preview["binary"].result["diff"][0]["src_binary"] == 1
    assert preview["large"].result["diff"][0]["src_larger"] == 100_000


def test_diffs_show_what_was_there(ansible, here):
    """The text before and after, and attributes on their own; nothing of binary content; no diff without a change."""
    for name, content in (("text", "one\ntwo\n"), ("binary", b"\xff\xfe\0"), ("mode", "same\n")):
        ansible.write(here / name, content).chmod(0o600 if name == "mode" else 0o644)
    tasks = f"""
    - name: text
      ccm.core.file: {{name: {here}/text, ensure: present, {OWN}, mode: "0644", content: "one\\n2\\n"}}
    - name: binary
      ccm.core.file: {{name: {here}/binary, ensure: present, {OWN}, mode: "0644", content: "text"}}
    - name: mode
      ccm.core.file: {{name: {here}/mode, ensure: present, {OWN}, mode: "0644", content: "same\\n"}}
    """
    run = ansible.play(tasks, "--diff")
    (text,) = run["text"].result["diff"]
    assert (text["before"], text["after"], text["before_header"]) == ("one\ntwo\n", "one\n2\n", f"{here}/text")
    assert run["binary"].result["diff"][0]["dst_binary"] == 1
    (mode,) = run["mode"].result["diff"]
    assert (mode["before"], mode["after"]) == ({"mode": "0600"}, {"mode": "0644"})
    assert "-two" in run.output
    assert "+2" in run.output
    assert "diff skipped: destination file appears to be binary" in run.output
    assert [task.result["diff"] for task in ansible.play(tasks, "--diff").tasks] == [[], [], []]


def test_mistakes_are_told_in_one_message(ansible, here):
    """Each message has what is wrong; messages of the type also name the resource."""
    (here / "file").write_text("x", encoding="utf-8")
    cases = {
        "no name": ("ensure: absent", "missing required arguments: name"),
        "unknown option": (f"name: {here}/x, ensure: absent, ensur: x", "Unsupported parameters for (ccm.core.file)"),
        "unknown state": (
            f"name: {here}/x, ensure: gone",
            "value of ensure must be one of: present, absent, directory, link",
        ),
        "relative": ("name: x, ensure: absent", "file#x: file path must be absolute"),
        "not canonical": (
            f"name: {here}/a/../x, ensure: absent",
            "/a/../x: file path must be canonical (name: ",
        ),
        "empty owner": (f"name: {here}/x, ensure: present, owner: ''", "owner cannot be empty"),
        "unknown user": (
            f"name: {here}/x, ensure: present, content: x, owner: nobody-knows, group: {GROUP}, mode: '0644'",
            f'file#{here}/x: could not lookup user "nobody-knows"',
        ),
        "no parent": (f"name: {here}/no/x, ensure: present, content: x, {OWN}, mode: '0644'", "is not a directory"),
        "parent is a file": (
            f"name: {here}/file/x, ensure: present, content: x, {OWN}, mode: '0644'",
            "not a directory",
        ),
        "tree": (
            f"name: {here}/x, ensure: directory, source: tree, recurse: true",
            "source of a directory must be on the node, with remote_src: true: tree",
        ),
        "tree of a relative source": (
            f"name: {here}/x, ensure: directory, source: tree, recurse: true, remote_src: true",
            "source must be an absolute path with remote_src: true",
        ),
        "force": (
            f"name: {here}/x, ensure: directory, {OWN}, mode: '0755', force: true",
            "'force: true' is only valid",
        ),
        "provider": (f"name: {here}/x, ensure: absent, provider: magic", "provider not found"),
        "boolean": (f"name: {here}/x, ensure: absent, force: perhaps", "force"),
        "NUL": ('name: "/tmp/a\\0b", ensure: absent', "file#/tmp/a"),
        "too long": (
            f"name: {here}/{'x' * 300}, ensure: present, content: x, {OWN}, mode: '0644'",
            "file name too long",
        ),
    }
    tasks = "".join(
        f"- name: {name}\n  ignore_errors: true\n  ccm.core.file: {{{options}}}\n"
        for name, (options, _expected) in cases.items()
    )
    run = ansible.play(tasks)
    for name, (_given, expected) in cases.items():
        assert run[name].outcome == "failed", run[name]
        assert expected in run[name].msg
    assert sorted(path.name for path in here.iterdir()) == ["file"]


def test_ad_hoc(ansible, here):
    """Everything is text there."""
    arguments = f"name={here}/x ensure=present content=hello owner={USER} group={GROUP} mode=0640"
    assert [task.outcome for task in ansible.ad_hoc("ccm.core.file", arguments).tasks] == ["changed"]
    assert (here / "x").read_text("utf-8") == "hello"
    assert oct((here / "x").stat().st_mode)[-4:] == "0640"
    assert [task.outcome for task in ansible.ad_hoc("ccm.core.file", arguments).tasks] == ["ok"]
    (here / "full").mkdir()
    (here / "full/x").mkdir()
    removed = ansible.ad_hoc("ccm.core.file", f"name={here}/full ensure=absent force=true")
    assert removed.returncode == 0
    assert not (here / "full").exists()


@pytest.mark.needs("root")
def test_as_another_user_and_in_the_background(ansible, request):
    """async with a source that is transferred, and become without one."""
    # Each start of pytest closes its directories to other users.
    here = pathlib.Path(tempfile.mkdtemp())
    request.addfinalizer(lambda: shutil.rmtree(here))
    here.chmod(0o777)
    ansible.write("files/large", b"x" * 1_200_000)
    run = ansible.play(
        f"""
        - name: in the background
          async: 30
          poll: 1
          ccm.core.file: {{name: {here}/background, ensure: present, source: large, {OWN}, mode: "0644"}}
        - name: as another user
          become: true
          become_user: nobody
          become_method: ansible.builtin.su
          vars: {{ansible_become_flags: -s /bin/sh}}
          ccm.core.file: {{name: {here}/nobody, ensure: present, owner: nobody, group: nogroup, mode: "0600"}}
        """,
        python=SYSTEM_PYTHON,
    )
    assert run["as another user"].outcome == "changed", run.output
    assert (here / "nobody").stat().st_uid == pwd.getpwnam("nobody").pw_uid
    assert (here / "background").stat().st_size == 1_200_000
