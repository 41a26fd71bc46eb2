# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides are correct: their commands run, their lists are complete, and `make docs` writes its pages.

The first line of a fenced block names its kind:

- `yaml manifest`: a manifest that our validation and the schema accept, and in which lint finds nothing;
- `yaml manifest wrong`: one that our validation refuses;
- `yaml file=NAME`, `sh file=NAME`, `html file=NAME`: a file for the console blocks below it, in a directory of the
  page, and a manifest if it has the form of one (`yaml file=NAME wrong`: a wrong one, `doubtful`: lint warns about it);
- `console`: commands after `$`, and their output; `...` matches any text, within a line or in place of lines;
- `console host`: the same as root on a booted host (tests/hosts/test_guides.py), beside the files of the page;
- `expr`: lines `expression => its value as text`, or `=> error: TEXT`, with the facts, data and environment of FACTS,
  DATA and ENVIRON;
- `template`: the same for whole texts;
- `yaml play`, `yaml tasks`: a playbook or tasks, which run on this machine in check mode (`yaml tasks run`: without
  check mode), with the files of STAND_INS where the page has none; there and in `console`, a stand-in reports every
  service as running (systemctl.py);
- `conf file=NAME`: a file; in the page about NATS, a free port takes the place of 4222;
- `text`: no code;
- `python` in the page about writing a type: a part of an example, whose tests run (test_installed.py); elsewhere not
  tested;
- `yaml`: not tested; the same holds for `sh`, for commands that install, download or take long.

README.md is tested like the guides. `/tmp` in files and commands is replaced by a directory of the test.
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
from ccm.resources.types import TYPE_NAMES, TYPES, resource_type
from ccm.schema.manifest import manifest_schema
from jsonschema import Draft202012Validator

from tests.conformance.nats_cases.server import free_port
from tests.conformance.vectors import OURS, read
from tests.patience import LIMIT
from tests.tools import docs, messages, steps, targets
from tests.tools.module_docs import generated_files

from .layout import PACKAGE, PLUGINS, ROOT, sources, tracked
from .systemctl import stand_in_for_systemctl

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(docs.DOCS.glob("*.md")), *sorted(docs.DOCS.glob("gallery/*.md"))]
FENCE = re.compile(r"^```(\S[^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNTESTED = {"text", "python", "yaml", "sh"}
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
    "templates/app.conf.j2": "host = {{ inventory_hostname }}\n",
    "templates/app/app.conf": "port = {{ .data.port }}\n",
}

SEPARATOR = "=== next command ==="


def blocks(page):
    """Return the fenced blocks of a page in order: words of the first line, content."""
    return [(kind.split(), text) for kind, text in FENCE.findall(page.read_text(encoding="utf-8"))]


def blocks_of_kinds(*kinds):
    """Return each block of these kinds on any page, for one test each; files with a manifest are manifests too."""
    found = []
    for page in PAGES:
        for number, (words, text) in enumerate(blocks(page), 1):
            if words[:1] == ["yaml"] and words[1:2] and words[1].startswith("file=") and "\nccm:" in "\n" + text:
                words = ["yaml", "manifest", *words[2:]]
            if tuple(words) in kinds:
                found.append(pytest.param(text, id=f"{page.stem}-{number}"))
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
    known = {
        ("yaml", "manifest"),
        ("yaml", "manifest", "wrong"),
        ("console",),
        ("console", "host"),
        ("expr",),
        ("template",),
        *PLAYS,
    }
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(FENCE.findall(text))
    for words, _text in blocks(page):
        is_file = words[1:2] and words[1].startswith("file=") and words[2:] in ([], ["wrong"], ["doubtful"])
        right = is_file or tuple(words) in known or (len(words) == 1 and words[0] in UNTESTED)
        assert right, f"```{' '.join(words)}: the docstring of this file lists the kinds of blocks"


def test_the_page_of_expressions_shows_the_data_of_its_examples():
    page = docs.DOCS / "expressions.md"
    [shown] = [text for words, text in blocks(page) if words[:2] == ["yaml", "file=data.yaml"]]
    assert yaml.load(shown, "data.yaml").value == {"data": DATA}
    sentences = page.read_text(encoding="utf-8").partition("The facts are ")[2].partition("To try")[0]
    given = re.findall(r"`([^`]*)`", sentences)
    facts = [f"{name}: {value}" for name, value in FACTS.items() if name != "host"]
    assert given == [*facts, "host.info.platformFamily: debian", *(f"{name}={ENVIRON[name]}" for name in ENVIRON)]


def _inputs():
    return Inputs(facts=FACTS, environ=ENVIRON)


@pytest.mark.parametrize("text", blocks_of_kinds(("yaml", "manifest")))
def test_manifests(text, tmp_path):
    read_manifest(text.encode(), "manifest.yaml", str(tmp_path), _inputs())
    Draft202012Validator(manifest_schema()).validate(yaml.load(text, "manifest.yaml").value)


@pytest.mark.parametrize("text", blocks_of_kinds(("yaml", "manifest", "wrong")))
def test_wrong_manifests(text, tmp_path):
    with pytest.raises(CCMError):
        read_manifest(text.encode(), "manifest.yaml", str(tmp_path), _inputs())


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
    for number, (words, text) in enumerate(blocks(page), 1):
        name = words[1].partition("=")[2] if words[1:2] else ""
        if name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        is_manifest = words == ["yaml", "manifest"] or (name and "\nccm:" in "\n" + text)
        if words[:1] == ["yaml"] and is_manifest and not {"wrong", "doubtful"} & set(words):
            manifests.append((name or f"{number}.yaml", text))
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


@pytest.mark.parametrize("text", blocks_of_kinds(("expr",)))
def test_expressions(text):
    for expression, value in _pairs(text):
        assert matches(value, _resolved("${ " + expression + " }")), expression


@pytest.mark.parametrize("text", blocks_of_kinds(("template",)))
def test_templates(text):
    for template, value in _pairs(text):
        assert matches(value, _resolved(template)), template


def script_of(page, temporary, kind=("console",)):
    """Return a shell script with the commands of a page, and the expected output of each command."""
    script = []
    wanted = []
    port = free_port()
    for words, text in blocks(page):
        text = text.replace("/tmp/", f"{temporary}/")
        if page.stem == "nats":
            text = text.replace(":4222", f":{port}")
        if words[1:2] and words[1].startswith("file="):
            name = words[1].partition("=")[2]
            script.append(f"mkdir -p $(dirname {name}); cat > {name} <<'END OF FILE'\n{text}END OF FILE\n")
        if tuple(words) != kind:
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            while lines[0].endswith("\\") and len(lines) > 1:
                lines[0] = lines[0][:-1] + lines.pop(1).strip()
            command, *output = lines
            script.append(f"before=$?; echo '{SEPARATOR}'; (exit $before)\n{command}\n")
            wanted.append((command, "\n".join(output)))
    return "".join(script), wanted


# The first manifest of the README creates files of root; a play of the other page manages users.
NEEDS = {page: [pytest.mark.needs("root")] for page in ("README", "users-and-keys")}
WITH_COMMANDS = [
    pytest.param(page, id=page.stem, marks=NEEDS.get(page.stem, []))
    for page in PAGES
    if any(words == ["console"] for words, _text in blocks(page))
]


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
def test_commands(page, tmp_path):
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


WITH_PLAYS = [
    pytest.param(page, id=page.stem, marks=NEEDS.get(page.stem, []))
    for page in PAGES
    if any(tuple(words) in PLAYS for words, _text in blocks(page))
]


@pytest.mark.starts_processes
@pytest.mark.parametrize("page", WITH_PLAYS)
def test_plays(page, tmp_path):
    environ = _environ(tmp_path)
    here = pathlib.Path(environ["HOME"])
    for name, text in STAND_INS.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    books = []
    for number, (words, text) in enumerate(blocks(page), 1):
        if page.parent.name == "gallery" and words[1:2] and words[1].startswith("file="):
            path = here / words[1].partition("=")[2]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if tuple(words) not in PLAYS:
            continue
        if words[1] == "tasks":
            text = "- hosts: all\n  tasks:\n" + textwrap.indent(text, "    ")
        if "run" in words:
            text = text.replace("- hosts: all\n", "- hosts: all\n  check_mode: false\n", 1)
        (here / f"block-{number}.yml").write_text(text, encoding="utf-8")
        books.append(f"block-{number}.yml")
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


def matches(wanted, printed):
    """Return whether the output is the expected one; `...` matches any text, and blank lines are ignored."""
    pattern = ""
    for line in wanted.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        elif line.strip():
            pattern += ".*".join(map(re.escape, line.rstrip().split("..."))) + "\n"
    text = "".join(line.rstrip() + "\n" for line in printed.splitlines() if line.strip())
    return re.fullmatch(pattern, text) is not None


def test_output_is_compared():
    assert matches("a ... c\n...\nend", "a b c\nx\ny\nend\n")
    assert matches("", "\n")
    assert not matches("a", "b")
    assert not matches("a", "a\nb")
    assert not matches("", "a")
    assert not matches("...\nend", "end\nmore\n")


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
