# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What other repositories use to lint their manifests: the hook of pre-commit, and the action."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
import yaml

from tests.blocks import blocks
from tests.clones import git
from tests.tools.running import ROOT

from .conftest import VERSION

GUIDE = ROOT / "docs/runner.md"
GOOD = "ccm: {resources: [{exec: {name: echo hello}}]}\n"
WRONG = "ccm: {resources: [{exec: {name: echo hello, wd: /tmp}}]}\n"


@pytest.fixture
def manifests(tmp_path):
    """A repository of a user."""
    folder = tmp_path / "site"
    (folder / "web one").mkdir(parents=True)
    (folder / "web one/manifest.yaml").write_text(GOOD, encoding="utf-8")
    (folder / "sites/a").mkdir(parents=True)
    (folder / "sites/a/manifest.yaml").write_text(GOOD, encoding="utf-8")
    (folder / "other.yaml").write_text(WRONG, encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "manifests")
    return folder


def test_the_hook_finds_mistakes_in_manifests(released, manifests, tmp_path, ran):
    """With the configuration of the guide, which takes the manifests of `sites`."""
    [block] = [block for block in blocks(GUIDE) if block.name == ".pre-commit-config.yaml"]
    shown = block.text.replace("https://github.com/ccm-core/ccm.core", str(released.folder))
    configured = re.sub(r"rev: v\S+", f"rev: v{VERSION}", shown)
    (manifests / block.name).write_text(configured, encoding="utf-8")
    git(manifests, "add", "--all")
    environ = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    environ.pop("VIRTUAL_ENV", None)
    program = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]

    def run():
        return subprocess.run(program, cwd=manifests, env=environ, capture_output=True, text=True, check=False)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ccm lint\.+Passed$", done.stdout, re.MULTILINE)
    (manifests / "sites/a/manifest.yaml").write_text(WRONG, encoding="utf-8")
    git(manifests, "add", "--all")
    done = run()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "unknown property" in done.stdout or "wd" in done.stdout
    ran(block)


ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def run_step(name, folder, work, **inputs):
    """Run a step as GitHub does: bash with these options, and inputs in the variables of the step only."""
    values = {f"inputs.{key}": entry["default"] for key, entry in ACTION["inputs"].items()}
    values |= {f"inputs.{key}": value for key, value in inputs.items()}
    values["github.action_path"] = inputs.get("action_path", "")
    step = STEPS[name]
    given = {
        key: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text) for key, text in step["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **given, "RUNNER_TEMP": str(work)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(released, tmp_path_factory):
    """The directory in which the action installed the command from its own checkout."""
    work = tmp_path_factory.mktemp("runner")
    done = run_step("Install ccm", released.folder, work, action_path=str(released.folder))
    assert done.returncode == 0, done.stdout
    said = subprocess.run([work / "ccm/bin/ccm", "--version"], capture_output=True, text=True, check=True)
    assert VERSION in said.stdout + said.stderr
    return work


def test_a_version_is_asked_of_the_index(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\nprintf \'#!/bin/sh\\necho "$@"\\n\' > "$3/bin/pip"\nchmod +x "$3/bin/pip"\n',
        encoding="utf-8",
    )
    (tmp_path / "bin/python3").chmod(0o755)
    environ = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), "SOURCE": "/action"}
    for version, wanted in (("1.2.3", "ccm-core==1.2.3"), ("", "/action")):
        words = ["bash", "-eo", "pipefail", "-c", STEPS["Install ccm"]["run"]]
        done = subprocess.run(words, env={**environ, "VERSION": version}, capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1] == wanted


@pytest.mark.parametrize(
    ("inputs", "status", "said"),
    [
        ({}, 0, "nothing found"),
        ({"path": "web one/manifest.yaml\n\n"}, 0, "nothing found"),
        ({"path": "web*/manifest.yaml\nother.yaml", "format": "text"}, 1, "wd"),
        ({"path": "*.yaml"}, 1, "::error file=other.yaml"),
        ({"path": "nowhere/*.yaml"}, 1, "::error::no manifest matches nowhere/*.yaml: see the input path"),
        ({"path": "$(touch made)`touch made`"}, 1, "$(touch made)"),
        ({"path": "\n"}, 1, "::error::the input path names no manifest"),
        ({"strict": "yes"}, 1, "::error::the input strict is yes: write true or false"),
        ({"strict": "true"}, 0, ""),
        ({"path": "--help"}, 1, "--help"),
    ],
)
def test_the_action_lints(installed, manifests, inputs, status, said):
    done = run_step("Lint manifests", manifests, installed, **{"format": "github", **inputs})
    assert done.returncode == status, done.stdout
    assert said in done.stdout or not done.stdout
    assert not (manifests / "made").exists()


def test_the_action_writes_findings_into_a_file(installed, manifests):
    done = run_step("Lint manifests", manifests, installed, path="other.yaml", format="sarif", output="findings.sarif")
    assert (done.returncode, done.stdout) == (1, "")
    assert '"version": "2.1.0"' in (manifests / "findings.sarif").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(STEPS))
def test_the_steps_of_the_action_have_no_mistakes(name):
    shellcheck = shutil.which("shellcheck")
    if not shellcheck:
        pytest.skip("needs shellcheck: apt-get install -y shellcheck")
    script = "#!/bin/bash\n" + STEPS[name]["run"]
    done = subprocess.run([shellcheck, "-"], input=script, stdout=subprocess.PIPE, text=True, check=False)
    assert done.stdout == ""


def test_the_steps_of_the_guide_lint(installed, manifests, tmp_path, ran):
    """In a workflow in which actionlint finds no mistake, where there is one."""
    [block] = [block for block in blocks(GUIDE) if block.words == ("yaml", "workflow")]
    _checkout, lint = yaml.safe_load(block.text)
    assert lint["uses"].partition("@v")[0] == "ccm-core/ccm.core"
    assert set(lint["with"]) <= set(ACTION["inputs"])
    done = run_step("Lint manifests", manifests, installed, **lint["with"])
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
    (manifests / "sites/a/manifest.yaml").write_text(WRONG, encoding="utf-8")
    done = run_step("Lint manifests", manifests, installed, **lint["with"])
    assert (done.returncode, "::error file=sites/a/manifest.yaml" in done.stdout) == (1, True), done.stdout
    workflow = tmp_path / "workflow.yml"
    steps = textwrap.indent(block.text, "      ")
    workflow.write_text(f"on: push\njobs:\n  lint:\n    runs-on: ubuntu-24.04\n    steps:\n{steps}", encoding="utf-8")
    checked = subprocess.run([ROOT / "tests/tools/workflows", workflow], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    ran(block)
