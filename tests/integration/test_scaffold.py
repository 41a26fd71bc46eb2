# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.scaffold in plays: trees of the controller and of the node, previews, diffs, purging, mistakes."""

from __future__ import annotations

import os

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


def test_trees_of_the_controller(ansible, here):
    """Preview, run, run again, remove; each tree is transferred as one file, with any content."""
    for engine, texts in TEMPLATES.items():
        for name, text in {**texts, "sub/b": b"\tb\n"}.items():
            ansible.write(f"templates/{engine}/{name}", text)
    tasks = "".join(
        f"""
    - name: {engine}
      ccm.core.scaffold:
        {{name: {here}/{engine}, ensure: ENSURE, source: {engine}, engine: {engine}, data: {{port: 80}}}}
    """
        for engine in TEMPLATES
    )
    preview = ansible.play(tasks.replace("ENSURE", "present"), "--check", "--diff")
    assert os.listdir(here) == []
    run = ansible.play(tasks.replace("ENSURE", "present"))
    left = there(here)
    again = ansible.play(tasks.replace("ENSURE", "present"))
    gone = ansible.play(tasks.replace("ENSURE", "absent"))
    assert os.listdir(here) == []
    for engine in TEMPLATES:
        said, task = preview[engine], run[engine]
        assert (said.outcome, said.msg) == ("changed", "Would have changed 2 scaffold files"), said
        assert [entry["after"] for entry in said.result["diff"]] == ["80 p80", "\tb\n"]
        assert (task.outcome, task.msg) == ("changed", "Changed 2 scaffold files"), task
        assert task.event["properties"]["source"] == engine
        assert task.event["status"]["metadata"]["stable"] == [f"{here}/{engine}/a.conf", f"{here}/{engine}/sub/b"]
        assert (left.pop(f"{engine}/a.conf"), left.pop(f"{engine}/sub/b")) == ("80 p80", "\tb\n")
        assert (again[engine].outcome, again[engine].msg) == ("ok", "Nothing to do")
        assert gone[engine].outcome == "changed"
    assert left == {}


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


def test_controller_and_node_take_a_source_alike(ansible, here):
    tasks = ""
    for number, (entry, (make, _wanted)) in enumerate(ENTRIES.items()):
        text = '[[ data.x ? render("sub/it/_partials/l", .) : "" ]]'
        source = ansible.write(f"templates/{number}/sub/a", text).parent.parent
        make(source / "sub" / "it")
        for name, given in (("sent", f"source: {number}"), ("there", f"source: {source}, remote_src: true")):
            tasks += f"""
        - name: {entry}, {name}
          ignore_errors: true
          ccm.core.scaffold:
            {{name: {here}/{number}, ensure: present, {given}, data: {{x: {entry == "partials"}}}}}
        """
    run = ansible.play(tasks)
    for number, (entry, (_make, wanted)) in enumerate(ENTRIES.items()):
        sent, on_node = (run[f"{entry}, {name}"] for name in ("sent", "there"))
        if wanted:
            assert wanted in sent.msg
            assert sent.msg == on_node.msg
            continue
        assert (sent.outcome, on_node.outcome) == ("changed", "ok"), sent.msg
        found = there(here / str(number))
        assert found == ({"sub/a": "f"} if entry == "partials" else {"sub/a": "", "sub/it/.git/f": "f"})
