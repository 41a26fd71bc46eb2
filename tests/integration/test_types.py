# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resource types that another collection offers: in ccm.core.apply, and as a module of that collection."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.integration.conftest import ROOT, SYSTEM_PYTHON

EXAMPLE = ROOT / "docs/examples/acme-web/ansible_collections/acme"
BELL = """
from ansible_collections.ccm.core.plugins.module_utils.api import (
    NOTHING, Decision, Property, Provider, SimpleType, State, Step
)


class BellState(State):
    type = "bell"


class BellProvider(Provider):
    name = "file"

    def status(self, properties):
        return BellState(properties.name, "started", {"metadata": {"name": properties.name, "provider": "file"}})

    def ring(self, properties, state):
        with open(properties.name, "a") as file:
            file.write("rang ")


class BellType(SimpleType):
    name = "bell"
    contract = 1
    ensure_choices = ("started",)
    verbs = ("ring",)
    providers = (BellProvider,)
    own_properties = (Property("subscribe", "strings"),)

    def subscriptions(self, properties):
        return properties.subscribe

    def decide(self, state, properties, refresh):
        return Decision(Step("ring", "Would have rung", "Rang"), refreshed=True, converged=True) if refresh else NOTHING


TYPE = BellType()
"""
MANIFEST = "{ccm: {resources: [{hostname: {name: other.example, ensure: present}}]}}"


@pytest.fixture
def collections(tmp_path):
    """A directory with the collections ccm.core and acme.web, and acme.empty without types."""
    root = tmp_path / "collections/ansible_collections"
    (root / "ccm").mkdir(parents=True)
    (root / "ccm/core").symlink_to(ROOT)
    (root / "acme/empty").mkdir(parents=True)
    (root / "acme/web").symlink_to(EXAMPLE / "web")
    for name, before, after in (
        ("old", "contract = 1", "contract = 0"),
        ("loud", "    def decide", "    print('loud')\n\n    def decide"),
        ("faulty", "        if state", "        [].pop()\n        if state"),
    ):
        for path in ("plugins/module_utils/resource_types/hostname.py", "plugins/modules/hostname.py"):
            text = (EXAMPLE / "web" / path).read_text(encoding="utf-8")
            (root / "acme" / name / path).parent.mkdir(parents=True)
            (root / "acme" / name / path).write_text(text.replace(before, after), encoding="utf-8")
    for part, text in (
        ("module_utils/resource_types", BELL),
        ("modules", (EXAMPLE / "web/plugins/modules/hostname.py").read_text(encoding="utf-8")),
        ("action", (EXAMPLE / "web/plugins/action/hostname.py").read_text(encoding="utf-8")),
    ):
        path = root / "acme/bell/plugins" / part / "bell.py"
        path.parent.mkdir(parents=True)
        path.write_text(text.replace("hostname", "bell"), encoding="utf-8")
    return root.parent


def test_handlers_of_types_that_declare_subscriptions_are_refreshed(ansible, here):
    tasks = f"""
    - name: task
      acme.bell.bell: {{name: {here}/bell, state: started}}
    - name: change
      ansible.builtin.command: echo changed
      notify: [handler, unwanted, in manifest]
    - name: asked
      acme.bell.bell: {{name: {here}/bell, refresh: true}}
    - name: subscribed
      acme.bell.bell: {{name: {here}/bell, subscribe: [file#/x]}}
      ignore_errors: true
    """
    handlers = f"""
    - name: handler
      acme.bell.bell: {{name: {here}/bell}}
    - name: unwanted
      acme.bell.bell: {{name: {here}/bell, refresh: false}}
    - name: in manifest
      ccm.core.apply: {{types: [acme.bell], manifest: {{ccm: {{resources: [{{bell: {{name: {here}/other}}}}]}}}}}}
    """
    run = ansible.play(tasks, handlers=handlers)
    messages = {task.name: task.msg for task in run.tasks if task.name not in ("change", "in manifest")}
    advice = messages.pop("subscribed")
    assert messages == {"task": "Nothing to do", "asked": "Rang", "handler": "Rang", "unwanted": "Nothing to do"}
    assert advice.startswith("bell#") and "subscribe is for manifests: give the other task notify" in advice
    assert ((here / "bell").read_text(), (here / "other").exists()) == ("rang rang ", False)


def test_types_of_another_collection_in_check_mode(ansible):
    run = ansible.play(
        f"""
        - name: option
          ccm.core.apply: {{types: [acme.web], manifest: {MANIFEST}}}
          check_mode: true
        - name: setting
          ccm.core.apply:
            manifest: {{ccm: {{engine: {{types: [acme.web]}}, resources: [{{hostname: {{name: other.example}}}}]}}}}
          check_mode: true
        - name: module
          acme.web.hostname: {{name: other.example}}
          check_mode: true
        """
    )
    for name in ("option", "setting", "module"):
        assert run[name].outcome == "changed"
    assert run["module"].msg == "Would have set the name of the host"
    assert run["option"].result["resources"][0]["msg"] == "Would have set the name of the host"


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("[acme.nosuch]", "types: the collection acme.nosuch is not installed on the controller"),
        ("[acme.empty]", "types: the collection acme.empty has no types in plugins/module_utils/resource_types"),
        ("[acme]", "types: 'acme' is not the name of a collection, like acme.web"),
        ("[]", "unknown resource type hostname"),
    ],
)
def test_collections_without_the_type_are_named(ansible, types, message):
    run = ansible.play(
        f"""
        - name: apply
          ccm.core.apply: {{types: {types}, manifest: {MANIFEST}}}
          ignore_errors: true
        """
    )
    assert run["apply"].outcome == "failed"
    assert message in run["apply"].msg


def test_faults_of_a_type_are_results_of_its_module(ansible):
    run = ansible.play(
        """
        - name: old
          acme.old.hostname: {name: other.example}
          ignore_errors: true
        - name: faulty
          acme.faulty.hostname: {name: other.example}
          ignore_errors: true
        - name: loud
          acme.loud.hostname: {name: other.example}
          check_mode: true
        """
    )
    reason = "it is for contract 0, and this is contract 1"
    message = f"resource type hostname of the collection acme.old cannot be used: {reason}"
    assert (run["old"].outcome, run["old"].msg) == ("failed", message)
    assert "decide of the type hostname of the collection acme.faulty raised IndexError in line" in run["faulty"].msg
    assert run["loud"].outcome == "changed"


@pytest.fixture(scope="module")
def python_with_packages(tmp_path_factory):
    """A function: a Python in which pip has installed the package ccm-hostname, with or without ccm-core."""
    scratch = tmp_path_factory.mktemp("packages")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    copy = shutil.ignore_patterns(".*", "tests", "build", "__pycache__", "*.egg-info")
    for name, source in (("core", ROOT), ("type", ROOT / "docs/examples/ccm-hostname")):
        shutil.copytree(source, scratch / name, ignore=copy)
        build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", scratch / f"{name}-wheel"]
        subprocess.run([*pip, *build, scratch / name], check=True)

    def made(*names):
        folder = scratch / "-".join(("python", *names))
        if not folder.exists():
            subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", folder], check=True)
            wheels = [next((scratch / f"{name}-wheel").glob("*.whl")) for name in names]
            into = ["--python", folder / "bin/python", "install", "--no-index", "--no-deps"]
            subprocess.run([*pip, *into, *wheels], check=True)
        return f"{folder}/bin/python"

    return made


@pytest.mark.parametrize("names", [("core", "type"), ("type",)], ids=["with ccm-core", "without ccm-core"])
def test_types_of_packages_on_the_node(ansible, python_with_packages, names):
    """The environment of Ansible itself is the node of plays for localhost; a named collection has precedence."""
    run = ansible.play(
        f"""
        - name: package
          ccm.core.apply: {{manifest: {MANIFEST}}}
          check_mode: true
        - name: collection
          ccm.core.apply: {{types: [acme.loud], manifest: {MANIFEST}}}
          check_mode: true
        - name: module
          acme.web.hostname: {{name: other.example}}
          check_mode: true
        """,
        python=python_with_packages(*names),
    )
    for name in ("package", "collection"):
        [found] = run[name].result["resources"]
        assert (found["outcome"], found["msg"]) == ("changed", "Would have set the name of the host")
    assert run["module"].outcome == "changed"


def test_an_error_of_a_type_of_a_package_is_its_message(ansible, python_with_packages):
    """The engine catches the error class of the package."""
    run = ansible.play(
        """
        - name: package
          ccm.core.apply: {manifest: {ccm: {resources: [{hostname: {name: "--nosuch", ensure: present}}]}}}
          ignore_errors: true
        """,
        python=python_with_packages("core", "type"),
    )
    assert run["package"].outcome == "failed"
    assert "cannot set the name --nosuch" in run["package"].msg
