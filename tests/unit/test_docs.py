# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides are correct: their commands run, their lists are complete, and `make docs` writes its pages.

tests/blocks.py lists the kinds of blocks, and where each kind runs.
"""

from __future__ import annotations

import json
import os
import pathlib
import pwd
import re
import subprocess
import sys
import textwrap

import pytest
from ccm.cli.manpage import manual_page
from ccm.cli.root import ROOT as COMMANDS
from ccm.data.environment import Environment
from ccm.data.templates import resolve_string
from ccm.lang import yaml
from ccm.lang.expr.catalogue import BUILTINS
from ccm.lint.check import findings
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError
from ccm.model.property import DURATION_PATTERN, Property
from ccm.resources.types import TYPE_NAMES, TYPES, resource_type
from ccm.schema.manifest import manifest_schema
from jsonschema import Draft202012Validator

from tests.blocks import FENCE, PAGES, blocks, pages_with
from tests.conformance.vectors import OURS, read
from tests.patience import LIMIT
from tests.scripts import SEPARATOR, matches, script_of
from tests.tools import docs, messages, steps, targets
from tests.tools.module_docs import generated_files

from .layout import PACKAGE, PLUGINS, ROOT, sources, tracked
from .systemctl import stand_in_for_systemctl

PLAYS = {("yaml", "play"), ("yaml", "tasks"), ("yaml", "tasks", "run")}

FACTS = {"hostname": "web1", "cores": 8, "load": 0.75, "site": "ams", "host": {"info": {"platformFamily": "debian"}}}
DATA = {
    "port": 8080,
    "greeting": "Hello",
    "ratio": 1.0,
    "users": [{"name": "ann", "admin": True, "id": 1001}, {"name": "bob", "admin": False, "id": 1002}],
    "tags": ["web", "edge"],
    "limits": {"soft": 100, "hard": 200},
    "empty": "",
    "nothing": None,
}
ENVIRON = {"HOME": "/home/ann", "USER": "ann"}

MANIFEST = "ccm: {resources: [{exec: {name: echo hello}}]}\n"
STAND_INS = {
    "site.yaml": MANIFEST,
    "files/webserver/manifest.yaml": MANIFEST,
    "files/common.yaml": "data: {web: {port: 80}}\n",
    "templates/app.conf.j2": "host = {{ inventory_hostname }}\n",
    "templates/app/app.conf": "port = {{ .data.port }}\n",
}


def blocks_of_kinds(*kinds):
    """Return each block of these kinds on any page, for one test each; files with a manifest are manifests too."""
    found = []
    for page in PAGES:
        for block in blocks(page):
            words = ("yaml", "manifest", *block.words[2:]) if block.is_manifest else block.words
            if words in kinds:
                found.append(pytest.param(block, id=f"{page.stem}-{block.number}"))
    return found


def test_make_docs_writes_its_pages(tmp_path, monkeypatch):
    survey = messages.Survey.__new__(messages.Survey)
    survey.read([messages.Source(PACKAGE / "x.py", "raise ValueError(f'either {a}|{b}')")])
    monkeypatch.setattr(docs, "all_messages", survey.messages)
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    docs.main()
    written = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*") if path.is_file()}
    kept = {name for name in written if name.partition("/")[0] != "docs"}
    assert kept == set(generated_files())
    ignored_by_git = {line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()}
    not_shipped = set(yaml.load((ROOT / "galaxy.yml").read_text("utf-8"), "galaxy.yml").value["build_ignore"])
    for name in set(written) - kept:
        covering = {name, str(pathlib.PurePath(name).parent)}
        assert covering & ignored_by_git & not_shipped, name
    built = {name: path.read_text(encoding="utf-8") for name, path in written.items()}
    assert json.loads(built["docs/schemas/manifest.json"]) == manifest_schema()
    rows = re.findall(r"^\| `(\S+)`", built["docs/reference/resources.md"], re.MULTILINE)
    assert {prop.name for name in TYPE_NAMES for prop in resource_type(name).properties} <= set(rows)
    assert all(f"\n## {command.name}\n" in built["docs/reference/commands.md"] for command in docs.all_commands())
    assert "\n| `either {a}\\|{b}` | error | x |\n" in built["docs/reference/messages.md"]
    assert built["docs/ccm.1"].endswith(manual_page(COMMANDS))


def test_the_readme_names_existing_targets():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE))
    assert {"demo", "test"} <= named <= {*steps.TARGETS, *targets.OTHERS}


def test_the_readme_lists_missing_features_with_alternatives():
    state = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Status\n")[2].partition("\n## ")[0]
    (missing,) = [part for part in state.split("\n\n") if part.startswith("Not there yet ")]
    for word in ("`ccm agent`", "runner.md#applying-a-manifest-regularly", "`ccm apply`"):
        assert word in missing


def test_every_page_is_in_the_index():
    linked = set(re.findall(r"\]\(([^)#]+)", (docs.DOCS / "index.md").read_text(encoding="utf-8")))
    pages = {str(page.relative_to("docs")) for page in tracked("docs/*.md")}
    assert pages - linked == {"index.md"}, "docs/index.md has to link to the others"


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_every_block_has_a_kind(page):
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(FENCE.findall(text))
    unknown = [f"{block}: ```{' '.join(block.words)}" for block in blocks(page) if not block.known]
    assert unknown == [], "tests/blocks.py lists the kinds of blocks"


def test_the_page_of_expressions_shows_the_data_of_its_examples():
    page = docs.DOCS / "expressions.md"
    [shown] = [block for block in blocks(page) if block.name == "data.yaml"]
    assert yaml.load(shown.text, "data.yaml").value == {"data": DATA}
    sentences = page.read_text(encoding="utf-8").partition("The facts are ")[2].partition("To try")[0]
    given = re.findall(r"`([^`]*)`", sentences)
    facts = [f"{name}: {value}" for name, value in FACTS.items() if name != "host"]
    assert given == [*facts, "host.info.platformFamily: debian", *(f"{name}={ENVIRON[name]}" for name in ENVIRON)]


def test_the_architecture_shows_a_declaration(ran):
    [block] = [block for block in blocks(docs.DOCS / "architecture.md") if block.words == ("python",)]
    shown = eval(block.text, {"Property": Property, "DURATION_PATTERN": DURATION_PATTERN})
    [declared] = [prop for prop in resource_type("exec").properties if prop.name == shown.name]
    assert vars(shown) == vars(declared)
    ran(block)


def test_editors_are_told_where_the_schema_is():
    """The comment and the settings lead from the manifest to the file that the commands of the page write."""
    found = blocks(docs.DOCS / "editors.md")
    files = {block.name: block.text for block in found if block.name}
    written = re.findall(r"^\$ ccm types --schema manifest > (\S+)$", found[0].text, re.MULTILINE)
    [manifest] = [name for name in files if name.endswith(".yaml")]
    [named] = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", files[manifest], re.MULTILINE)
    [(path, patterns)] = json.loads(files[".vscode/settings.json"])["yaml.schemas"].items()
    assert [os.path.normpath(pathlib.Path(manifest).parent / named), os.path.normpath(path)] == written * 2
    assert any(pathlib.PurePath(manifest).match(pattern) for pattern in patterns)


def _inputs():
    return Inputs(facts=FACTS, environ=ENVIRON)


@pytest.mark.parametrize("block", blocks_of_kinds(("yaml", "manifest")))
def test_manifests(block, tmp_path, ran):
    read_manifest(block.text.encode(), "manifest.yaml", str(tmp_path), _inputs())
    Draft202012Validator(manifest_schema()).validate(yaml.load(block.text, "manifest.yaml").value)
    ran(block)


@pytest.mark.parametrize("block", blocks_of_kinds(("yaml", "manifest", "wrong")))
def test_wrong_manifests(block, tmp_path, ran):
    with pytest.raises(CCMError):
        read_manifest(block.text.encode(), "manifest.yaml", str(tmp_path), _inputs())
    ran(block)


# Shown in guides on purpose: a secret that a plan hides, and features that only this implementation has.
LINE_BREAKS = "the original rejects this text because of its line breaks (Q54)"
NOWHERE = "neither data nor overrides have it"
IN_TEMPLATE = ("name", "ports", "limits", "users")
SHOWN = {
    "coming-from-ccm": {"meta is an extension: the original ignores it"},
    "coming-from-puppet": {"ccm.engine is an extension: the original ignores it"},
    "container-host": {"ccm.engine is an extension: the original ignores it", LINE_BREAKS},
    "database": {"ccm.engine is an extension: the original ignores it"},
    # Its data is given with --hiera.
    "environments": {f"there is no Data.{name}: {NOWHERE}" for name in ("log", "workers", "features")},
    "monitoring": {"ccm.engine is an extension: the original ignores it", LINE_BREAKS},
    "nats": {
        "register_when_stable is published by ccm apply and ccm watch with --register only",
        "the original refuses ttl in a manifest",
    },
    "runner": {"content seems to set a secret in plain text", "ccm.engine is an extension: the original ignores it"},
    "templates": {
        "the original fetches no source",
        "the original ignores checksum: it fetches no source",
        "facts.host.info.os is facts.host.info.OS to the original, which does not know this name",
        *(f"the original finds no {name} in .data: write .data.Interface.{name}" for name in IN_TEMPLATE),
    },
    "upgrade-by-archive": {
        "the original does not know target, for it has no links",
        "the original has no links, and refuses ensure: link",
        "the original wants mode to be given",
    },
    "web-server": {
        "ccm.engine is an extension: the original ignores it",
        "the original ignores purge, and copies no directory",
        "the original ignores recurse, and copies no directory",
    },
}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_lint_has_no_findings_in_manifests(page, tmp_path):
    """As `ccm lint --strict`, each manifest beside the other files of its page."""
    manifests = []
    for block in blocks(page):
        if block.name:
            (tmp_path / block.name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
        is_manifest = block.is_manifest or block.words == ("yaml", "manifest")
        if is_manifest and not {"wrong", "doubtful"} & set(block.words):
            manifests.append((block.name or f"{block.number}.yaml", block.text))
    _assert_lint_is_silent(manifests, tmp_path, SHOWN.get(page.stem, set()))


def test_lint_has_no_findings_in_the_examples():
    folders = [path for path in sorted((docs.DOCS / "examples").iterdir()) if (path / "manifest.yaml").exists()]
    assert folders
    for folder in folders:
        _assert_lint_is_silent([("manifest.yaml", (folder / "manifest.yaml").read_text("utf-8"))], folder, set())


def _assert_lint_is_silent(manifests, folder, shown):
    found = [finding for name, text in manifests for finding in findings(text.encode(), name, str(folder))]
    assert [f"{finding.position} {finding.message}" for finding in found if finding.message not in shown] == []


def _pairs(text):
    lines = [line for line in text.splitlines() if line.strip()]
    assert all(" => " in line for line in lines), "expression => value"
    return [tuple(part.strip() for part in line.rsplit(" => ", 1)) for line in lines]


def _resolved(text):
    environment = Environment(FACTS, DATA, ENVIRON, str(ROOT))
    try:
        return resolve_string(text, environment)
    except CCMError as error:
        return "error: " + error.message.partition("\n")[0]


@pytest.mark.parametrize("block", blocks_of_kinds(("expr",)))
def test_expressions(block, ran):
    for expression, value in _pairs(block.text):
        assert matches(value, _resolved("${ " + expression + " }")), expression
    ran(block)


@pytest.mark.parametrize("block", blocks_of_kinds(("template",)))
def test_templates(block, ran):
    for template, value in _pairs(block.text):
        assert matches(value, _resolved(template)), template
    ran(block)


# The first manifest of the README creates files of root; a play of the other page manages users.
NEEDS = {page: [pytest.mark.needs("root")] for page in ("README", "users-and-keys")}
WITH_COMMANDS = [pytest.param(page, id=page.stem, marks=NEEDS.get(page.stem, [])) for page in pages_with("console")]


def _environ(place):
    """Return the environment of the shell of a reader; Ansible finds the checkout and uses this host as its nodes."""
    for folder in ("home", "tmp", "ansible_collections/ccm"):
        (place / folder).mkdir(parents=True)
    (place / "ansible_collections/ccm/core").symlink_to(ROOT)
    (place / "inventory").write_text("[web]\nweb1 ansible_connection=local ansible_become=false\n", encoding="utf-8")
    return {
        "PATH": f"{stand_in_for_systemctl(place / 'bin')}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "CCM_STATE": str(place / "home/state"),
        "USER": pwd.getpwuid(os.geteuid()).pw_name,
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(place),
        "ANSIBLE_INVENTORY": str(place / "inventory"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
    }


@pytest.mark.starts_processes
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands(page, tmp_path, ran):
    script, wanted = script_of(page, tmp_path / "tmp")
    environ = _environ(tmp_path)
    done = subprocess.run(
        ["bash", "-c", "exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n" + script],
        cwd=environ["HOME"],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    printed = done.stdout.split(SEPARATOR + "\n")[1:]
    assert len(printed) == len(wanted), done.stdout
    for (command, output), text in zip(wanted, printed, strict=True):
        assert matches(output, text), f"$ {command}\n{text}"
    ran(*(block for block in blocks(page) if block.name or block.words == ("console",)))


WITH_PLAYS = [
    pytest.param(page, id=page.stem, marks=NEEDS.get(page.stem, [])) for page in pages_with(*map(" ".join, PLAYS))
]


@pytest.mark.starts_processes
@pytest.mark.parametrize("page", WITH_PLAYS)
def test_plays(page, tmp_path, ran):
    environ = _environ(tmp_path)
    here = pathlib.Path(environ["HOME"])
    for name, text in STAND_INS.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    books = []
    for block in blocks(page):
        text = block.text
        if page.parent.name == "gallery" and block.name:
            path = here / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if block.words not in PLAYS:
            continue
        if block.words[1] == "tasks":
            text = "- hosts: all\n  tasks:\n" + textwrap.indent(text, "    ")
        if "run" in block.words:
            text = text.replace("- hosts: all\n", "- hosts: all\n  check_mode: false\n", 1)
        (here / f"block-{block.number}.yml").write_text(text, encoding="utf-8")
        books.append(f"block-{block.number}.yml")
    environ["ANSIBLE_GATHERING"] = "explicit"
    done = subprocess.run(
        ["ansible-playbook", "--check", *books],
        cwd=here,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stdout
    ran(*(block for block in blocks(page) if block.words in PLAYS))


def _code_words(name):
    return set(re.findall(r"`([^`\s]+)`", (docs.DOCS / name).read_text(encoding="utf-8")))


def test_the_guide_to_expressions_lists_every_function():
    words = _code_words("expressions.md")
    assert set(BUILTINS) - {"len"} - words == set(), "docs/expressions.md has to list these functions"
    assert {"lookup", "readFile", "template", "len"} <= words


def _flags(command):
    yield from command.flags
    yield from command.arguments


def test_the_guide_to_the_runner_lists_every_variable():
    table = (docs.DOCS / "runner.md").read_text(encoding="utf-8").partition("## Environment variables")[2]
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    read_by_flags = {flag.env for command in docs.all_commands() for flag in _flags(command) if flag.env}
    sources_read = [path.read_text(encoding="utf-8") for path in sources() if "facts" not in path.parts]
    read_elsewhere = {name for text in sources_read for name in re.findall(r'environ\.get\("([A-Z_]+)"', text)}
    read = (read_by_flags | read_elsewhere) - {"PATH"}
    assert listed == read, "the table of variables in docs/runner.md has those that the command reads"


def test_the_architecture_lists_every_layer():
    text = (docs.DOCS / "architecture.md").read_text(encoding="utf-8")
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert {folder for folder in folders if f"`{folder}" not in text} == set(), "docs/architecture.md lists the layers"


def test_the_differences_list_every_fixed_defect_of_the_original():
    listed = set(re.findall(r"\bQ\d+\b", (docs.DOCS / "differences.md").read_text(encoding="utf-8")))
    mended = set()
    for kind in ("expr", "gjson", "hiera", "shellwords", "template", "validate", "versions"):
        mended |= {vector["mended"] for vector in read(OURS / f"{kind}.jsonl") if "mended" in vector}
    for area in ("cli", "common", "dnf", "exec", "facts", "file", "hiera", "package", "service"):
        for path in OURS.with_name("cases").joinpath(area).glob("*.yaml"):
            head = path.read_text(encoding="utf-8").partition("\nsteps:")[0]
            for line in re.findall(r"^mended:.*$", head, re.MULTILINE):
                mended |= set(re.findall(r"Q\d+", line))
    assert mended - listed == set(), "docs/differences.md has to name these decisions"


def test_the_differences_list_each_extension():
    """As its declaration says (`Property.extension`)."""
    text = (docs.DOCS / "differences.md").read_text(encoding="utf-8").partition("\n## Additions\n")[2]
    for name in TYPE_NAMES:
        for prop in resource_type(name).properties:
            place = f"Additions of docs/differences.md, for the property {prop.name} of {name}"
            assert not prop.extension or f"`{prop.name}" in text, place


def test_the_differences_list_the_modules():
    text = (docs.DOCS / "differences.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (PLUGINS / "modules").glob("*.py")}
    modules -= {listed.name for listed in TYPES if listed.extension}
    assert {name for name in modules if f"`ccm.core.{name}`" not in text} == set(), "docs/differences.md lists modules"
