# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.scaffold in plays: trees of the controller and of the node, previews, diffs, purging, mistakes."""

from __future__ import annotations

import os

import pytest

TEMPLATES = {
    "jet": {
        "a.conf": "[[ data.port ]] [[ render('_partials/p', .) ]]".replace("'", '"'),
        "_partials/p": "p[[ data.port ]]",
    },
    "go": {"a.conf": "{{ .data.port }} {{ render `_partials/p` . }}", "_partials/p": "p{{ .data.port }}"},
    "jinja2": {
        "a.conf": "{{ data.port }} {{ render('_partials/p', {'data': data}) }}",
        "_partials/p": "p{{ data.port }}",
    },
}


def there(place):
    return {str(path.relative_to(place)): path.read_text() for path in sorted(place.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("engine", TEMPLATES)
def test_a_tree_of_the_controller(ansible, here, engine):
    """Preview, run, run again, remove; the tree is transferred as one file, with any content."""
    for name, text in {**TEMPLATES[engine], "sub/b": "\tb\n"}.items():
        ansible.write(f"templates/app/{name}", text if name != "sub/b" else b"\tb\n")
    tasks = f"""
    - name: it
      ccm.core.scaffold: {{name: {here}/app, ensure: ENSURE, source: app, engine: {engine}, data: {{port: 80}}}}
    """
    preview = ansible.play(tasks.replace("ENSURE", "present"), "--check", "--diff")["it"]
    assert (preview.outcome, preview.msg) == ("changed", "Would have changed 2 scaffold files"), preview
    assert [entry["after"] for entry in preview.result["diff"]] == ["80 p80", "\tb\n"]
    assert os.listdir(here) == []
    run = ansible.play(tasks.replace("ENSURE", "present"))["it"]
    assert (run.outcome, run.msg) == ("changed", "Changed 2 scaffold files"), run
    assert run.event["properties"]["source"] == "app"
    assert run.event["status"]["metadata"]["stable"] == [f"{here}/app/a.conf", f"{here}/app/sub/b"]
    assert there(here) == {"app/a.conf": "80 p80", "app/sub/b": "\tb\n"}
    again = ansible.play(tasks.replace("ENSURE", "present"))["it"]
    assert (again.outcome, again.msg) == ("ok", "Nothing to do")
    gone = ansible.play(tasks.replace("ENSURE", "absent"))["it"]
    assert (gone.outcome, os.listdir(here)) == ("changed", [])


def test_a_tree_of_the_node_sees_its_facts(ansible, here, python_with_yaml):
    source = ansible.write("node/a", '{{ lookup "facts.host.info.os" }} {{ file "b" }}').parent
    ansible.write("node/b", "b")
    run = ansible.play(
        f"""
        - name: it
          ccm.core.scaffold:
            name: {here}/out
            ensure: present
            source: {source}
            remote_src: true
            engine: go
            purge: true
            post: [{{"a": "chmod 0600"}}]
        """,
        python=python_with_yaml,
    )["it"]
    assert run.outcome == "changed", run
    assert there(here / "out") == {"a": "linux b", "b": "b"}
    assert (here / "out" / "a").stat().st_mode & 0o777 == 0o600


def test_mistakes(ansible, here):
    ansible.write("templates/app/a", "[[ nosuch ]]")
    run = ansible.play(
        f"""
        - name: template
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/app, ensure: present, source: app}}
        - name: missing
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/app, ensure: present, source: none}}
        - name: file
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/app, ensure: present, source: app/a}}
        - name: relative
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/app, ensure: present, source: app, remote_src: true}}
        - name: post
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/app, ensure: present, source: app, post: [{{a: 5}}]}}
        - name: name
          ignore_errors: true
          ccm.core.scaffold: {{name: app, ensure: present, source: app}}
        """
    )
    assert f"scaffold#{here}/app: " in run["template"].msg
    assert "nosuch" in run["template"].msg
    assert "none" in run["missing"].msg
    assert "source is not a directory" in run["file"].msg
    assert "source must be an absolute path with remote_src: true" in run["relative"].msg
    assert "post value for key" in run["post"].msg
    assert "name must be an absolute path" in run["name"].msg
    assert set(run.outcomes.values()) == {"failed"}
    assert os.listdir(here) == []


ENTRIES = {
    "link": (lambda path: path.symlink_to("a"), "invalid file in source: it"),
    "link to a directory": (lambda path: path.symlink_to("."), "invalid file in source: it"),
    "dangling link": (lambda path: path.symlink_to("nowhere"), "invalid file in source: it"),
    "pipe": (os.mkfifo, "invalid file in source: it"),
    "version control": (lambda path: _filled(path / ".git"), None),
    "partials": (lambda path: _filled(path / "_partials").joinpath("l").symlink_to("f"), None),
}


def _filled(directory):
    directory.mkdir(parents=True)
    directory.joinpath("f").write_text("f")
    return directory


@pytest.mark.parametrize("entry", ENTRIES)
def test_controller_and_node_take_a_source_alike(ansible, here, entry):
    make, wanted = ENTRIES[entry]
    source = ansible.write("templates/app/sub/a", '[[ data.x ? render("sub/it/_partials/l", .) : "" ]]').parent.parent
    make(source / "sub" / "it")
    tasks = [
        f"""
        - name: {name}
          ignore_errors: true
          ccm.core.scaffold: {{name: {here}/out, ensure: present, {given}, data: {{x: {entry == "partials"}}}}}
        """
        for name, given in (("sent", "source: app"), ("there", f"source: {source}, remote_src: true"))
    ]
    run = ansible.play("".join(tasks))
    if wanted:
        assert wanted in run["sent"].msg
        assert run["sent"].msg == run["there"].msg
        return
    assert [run[name].outcome for name in ("sent", "there")] == ["changed", "ok"], run["sent"].msg
    found = there(here / "out")
    assert found == ({"sub/a": "f"} if entry == "partials" else {"sub/a": "", "sub/it/.git/f": "f"})
