# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.apply with manifests that apply others: from trees, beside files and plays, on nodes without PyYAML."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from .conftest import SYSTEM_PYTHON


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Python that has no PyYAML."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(folder)], check=True)
    assert subprocess.run([f"{folder}/bin/python", "-c", "import yaml"], stderr=-3, check=False).returncode
    return f"{folder}/bin/python"


def touches(here, name, data=""):
    top = f"data: {data}\n" if data else ""
    return f"{top}ccm:\n  resources:\n  - exec: [{{'touch {here}/{name}': {{creates: '{here}/{name}'}}}}]\n"


def applies(*names):
    return "ccm:\n  resources:\n" + "".join(f"  - apply: [{{{name}}}]\n" for name in names)


def references(task):
    return [re.sub("#.*/", "#", each["resource"]) for each in task.result["resources"]]


def test_a_tree_goes_with_its_children_and_their_data(ansible, here, bare):
    """Child manifests named by an expression or as plain text, with any suffix, with data of parent or resource."""
    ansible.write("files/site/manifest.yaml", "data: {kid: kid, x: parents}\n" + applies(
        "'${ Data.kid }.yaml': {}", "sub/other.manifest: {data: {x: given}}"
    ))  # fmt: skip
    ansible.write("files/site/kid.yaml", touches(here, "${ Data.x }", "{x: own}"))
    ansible.write("files/site/sub/other.manifest", applies("further.yaml: {}"))
    ansible.write("files/site/sub/further.yaml", touches(here, "${ Data.x }", "{x: own}"))
    ansible.write("files/site/notes.yaml", "no: [manifest")
    tasks = "- {name: it, ccm.core.apply: {path: site}}"
    preview = ansible.play(tasks, "--check", python=bare)["it"]
    assert (preview.outcome, os.listdir(here)) == ("changed", []), preview
    run = ansible.play(tasks, python=bare)["it"]
    assert run.outcome == "changed", run
    assert references(run) == [
        "exec#parents",
        "apply#kid.yaml",
        "exec#given",
        "apply#further.yaml",
        "apply#other.manifest",
    ]
    assert sorted(os.listdir(here)) == ["given", "parents"]
    assert ansible.play(tasks, python=bare)["it"].outcome == "ok"


def test_children_beside_a_single_manifest_go_with_it(ansible, here, bare):
    ansible.write("files/one.yaml", applies("two.yaml: {}"))
    ansible.write("files/two.yaml", applies("sub/three.yaml: {}"))
    ansible.write("files/sub/three.yaml", touches(here, "a"))
    run = ansible.play("- {name: it, ccm.core.apply: {path: one.yaml}}", python=bare)["it"]
    assert references(run) == ["exec#a", "apply#three.yaml", "apply#two.yaml"], run


def test_children_of_a_manifest_in_the_play_are_looked_up_on_the_controller(ansible, here, bare):
    ansible.write("files/kids/two.yaml", applies("three.yaml: {}"))
    ansible.write("files/kids/three.yaml", touches(here, "a"))
    run = ansible.play(
        """
        - name: it
          ccm.core.apply: {manifest: {ccm: {resources: [{apply: [{kids/two.yaml: {}}]}]}}}
        """,
        python=bare,
    )["it"]
    assert references(run) == ["exec#a", "apply#three.yaml", "apply#two.yaml"], run


def test_children_that_are_wrong_fail_with_their_place_and_the_others_run(ansible, here, bare):
    ansible.write(
        "files/site/manifest.yaml", applies("bad.yaml: {}", "wrong.yaml: {}", "none.yaml: {}", "good.yaml: {}")
    )
    ansible.write("files/site/bad.yaml", "ccm:\n  resources: [oops\n")
    ansible.write("files/site/wrong.yaml", "ccm:\n  resources:\n  - file: [{rel: {ensure: absent}}]\n")
    ansible.write("files/site/good.yaml", touches(here, "a"))
    run = ansible.play("- {name: it, ccm.core.apply: {path: site}}", python=bare)["it"]
    assert run.outcome == "failed"
    assert os.listdir(here) == ["a"]
    assert "apply#bad.yaml: bad.yaml:" in run.msg, run.msg
    assert "wrong.yaml:3:" in run.msg, run.msg
    assert "file path must be absolute" in run.msg
    assert "none.yaml: no such file or directory" in run.msg


def test_a_child_may_be_on_the_node_and_never_beside_the_tree(ansible, here, tmp_path, python_with_yaml):
    tree = tmp_path / "node-tmp"
    tree.mkdir()
    (tree / "evil.yaml").write_text(touches(here, "evil"))
    elsewhere = ansible.write("elsewhere.yaml", touches(here, "a"))
    ansible.write("files/site/manifest.yaml", applies(f"{elsewhere}: {{}}", "../evil.yaml: {}"))
    run = ansible.play(
        "- {name: it, ccm.core.apply: {path: site}}",
        keywords=f"environment: {{TMPDIR: {tree}}}\n",
        python=python_with_yaml,
    )["it"]
    assert os.listdir(here) == ["a"]
    assert "evil.yaml is outside of the directory that was sent" in run.msg


def test_a_circle_ends(ansible, bare):
    ansible.write("files/site/manifest.yaml", applies("manifest.yaml: {}"))
    run = ansible.play("- {name: it, ccm.core.apply: {path: site}}", python=bare)["it"]
    assert "is being applied already with the same data: site/manifest.yaml > manifest.yaml" in run.msg


def test_diffs_of_children_are_shown(ansible, here):
    ansible.write("files/one.yaml", applies("two.yaml: {}"))
    file = f"{{{here}/f: {{ensure: present, content: x, owner: root, group: root, mode: '0644'}}}}"
    ansible.write("files/two.yaml", f"ccm: {{resources: [{{file: [{file}]}}]}}")
    run = ansible.play("- {name: it, ccm.core.apply: {path: one.yaml}}", "--check", "--diff")["it"]
    assert [entry["after"] for entry in run.result["diff"]][:1] == ["x"]
