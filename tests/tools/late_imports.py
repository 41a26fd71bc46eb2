# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the imports inside functions, and what each spares: python -m tests.tools.late_imports

An import is at the top of its file unless a measured run does without the module then, a circle of files would come
of it, or the library is an extra. The exit status is 1 for imports that have none of these reasons.
"""

from __future__ import annotations

import ast
import base64
import collections
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zlib

import yaml
from ccm.ansible_tasks.apply_options import PACKED
from ccm.ansible_tasks.sent_package import PACKED_PACKAGE
from ccm.manifest.reader import parse_manifest
from ccm.manifest.transport import pack, to_text
from ccm.model.protocols import ENSURE_REQUEST

from tests.unit.layout import PACKAGE, ROOT, parts_of, sources, tree
from tests.unit.systemctl import stand_in_for_systemctl

HEADER = """\
# Imports inside functions

An import is at the top of its file. Those that are not are listed here, each with what it spares: a run that loads
the file and does without what is imported, a circle of files, or a library that need not be installed.

| file | imported | reason |
| --- | --- | --- |
"""
EXTRAS = {"bcrypt", "bz2", "cryptography", "jeepney", "jinja2", "lzma", "markupsafe", "nats", "passlib", "yaml"}
CIRCLE = "circle of files"
EXTRA = "need not be installed"

FILE = """\
    - file:
        - {folder}/{name}:
            ensure: present
            content: "{content}"
            owner: "{owner}"
            group: "{group}"
            mode: "0644"
"""
CCM = """
import sys
sys.path[:0] = {paths!r}
from ccm.cli.main import main
try:
    main()
except SystemExit:
    pass
finally:
    with open({report!r}, "w") as report:
        report.write("\\n".join(sys.modules))
"""
MODULE = """
import runpy, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.argv[2].encode()
basic._ANSIBLE_PROFILE = "legacy"
try:
    runpy.run_module("ansible_collections.ccm.core.plugins.modules." + sys.argv[1], run_name="__main__")
except SystemExit:
    pass
with open({report!r}, "w") as report:
    report.write("\\n".join(sys.modules))
"""
PIPE = "`ccm ensure api pipe`"
# A run on a host with dnf, on which one package is installed.
WITH_DNF = "`ccm apply` of a package with dnf"
PROGRAMS = {"dnf": "exit 1", "rpm": "echo base 0 1.0 1 noarch"}
OURS = "ansible_collections.ccm.core.plugins.module_utils."


class Import:
    """One import inside a function: its `file` below the package, the `text`, and the `modules` that it loads."""

    def __init__(self, module, node):
        self.module = module
        self.file = str(path_of(module).relative_to(PACKAGE))
        self.text = ast.unparse(node)
        self.line = node.lineno
        self.modules = loaded_by(module, node)


@functools.cache
def modules():
    """The files of the package by the names of their modules."""
    return {".".join(parts_of(path)): path for path in sources()}


def path_of(module):
    return modules()[module]


def loaded_by(module, node):
    """The names of the modules that an import loads; those that are not of the package begin with "std:"."""
    if isinstance(node, ast.Import):
        return {"std:" + alias.name for alias in node.names}
    if not node.level:
        return {"std:" + node.module}
    package = module.split(".") if path_of(module).name == "__init__.py" else module.split(".")[:-1]
    base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
    named = {".".join([*base, alias.name]) for alias in node.names}
    return {name if name in modules() else ".".join(base) for name in named}


@functools.cache
def imports():
    """The imports of the package: by module what it loads at once, and a list of those inside functions."""
    at_once, late = collections.defaultdict(set), []

    def walk(module, node, function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                if function:
                    late.append(Import(module, child))
                else:
                    at_once[module] |= loaded_by(module, child)
            walk(module, child, function or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    for module, path in modules().items():
        walk(module, tree(path), False)
    return at_once, [found for found in late if "__future__" not in found.text]


def closure(names):
    """The modules that are loaded with some."""
    at_once, _late = imports()
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += at_once.get(name, ())
    return found


def reported(code, arguments, folder, *options, programs="bin", stdin=""):
    """The modules that a run loads, of the package by their names in it; `options` are Python's.

    `programs` is the directory in the folder whose programs are found first; `stdin` is what the run reads.
    """
    report = str(folder / "modules.txt")
    paths = [str(folder / "package"), str(pathlib.Path(yaml.__file__).parents[1])]
    command = [sys.executable, *options, "-c", code.format(report=report, paths=paths), *arguments]
    environment = {
        **os.environ,
        "PATH": f"{folder / programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(folder / "collection"),
        "CCM_STATE": str(folder / "state"),
    }
    subprocess.run(command, cwd=folder, env=environment, input=stdin.encode(), capture_output=True, check=False)
    with open(report, encoding="utf-8") as file:
        names = file.read().split("\n")
    ours = {name[len(lead) :] for name in names for lead in ("ccm.", OURS) if name.startswith(lead)}
    return ours | {"std:" + name for name in names}


def runs(folder):
    """The modules that each measured run loads, by what the run is called."""
    owner, group = str(os.getuid()), str(os.getgid())
    (folder / "package").mkdir()
    (folder / "package/ccm").symlink_to(PACKAGE)
    collection = folder / "collection/ansible_collections/ccm/core"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    stand_in_for_systemctl(folder / "bin")
    (folder / "dnf").mkdir()
    for name, text in PROGRAMS.items():
        (folder / "dnf" / name).write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        (folder / "dnf" / name).chmod(0o755)

    def manifest(name, *resources, data="", engine=""):
        settings = f"  engine: {engine}\n" if engine else ""
        text = f"{data}ccm:\n{settings}  resources:\n"
        (folder / name).write_text(text + "".join(resources), encoding="utf-8")
        return str(folder / name)

    def file(name, content="x", more=""):
        return FILE.format(folder=folder, name=name, content=content, owner=owner, group=group) + more

    checks = "            health_checks:\n              - command: /bin/true\n"
    templates = folder / "templates"
    templates.mkdir()
    (templates / "a").write_text('{{ now | date "2006" }}', encoding="utf-8")
    plain = folder / "plain"
    plain.mkdir()
    (plain / "a").write_text("{{ .x }}", encoding="utf-8")
    data = folder / "data.yaml"
    data.write_text("data: {greeting: hello}\n", encoding="utf-8")
    one = manifest("one.yaml", file("one"))
    ordered = manifest("ordered.yaml", file("one"), file("four"), engine="{order: graph}")
    written = manifest("written.yaml", file("written"))
    expression = manifest("expression.yaml", file("two", "{{ Data.greeting }}"), data="data:\n  greeting: hello\n")
    overridden = manifest("overridden.yaml", file("three", "{{ Data.greeting }}"))
    checked = manifest("checked.yaml", file("one", more=checks))
    rules = "            health_checks:\n              - goss_rules: {file: {/: {exists: true}}}\n"
    ruled = manifest("ruled.yaml", file("one", more=rules))
    (folder / "a.tar").touch()
    archived = (
        f"    - archive:\n        - {folder}/a.tar:\n            ensure: present\n            url: http://h/a.tar\n"
    )
    archive = manifest("archive.yaml", archived + f'            owner: "{owner}"\n            group: "{group}"\n')
    with tarfile.open(folder / "b.tar.gz", "w:gz") as packed:
        packed.add(folder / "data.yaml", "x")
    digest = hashlib.sha256((folder / "b.tar.gz").read_bytes()).hexdigest()
    archived = archived.replace("a.tar", "b.tar.gz") + f"            checksum: {digest}\n"
    archived += f"            extract_parent: {folder}/out\n            creates: {folder}/out/x\n"
    unpacked = manifest("unpacked.yaml", archived + f'            owner: "{owner}"\n            group: "{group}"\n')
    command = manifest("exec.yaml", f"    - exec:\n        - /bin/true:\n            creates: {folder}\n")
    tree_of_files = f"    - scaffold:\n        - {folder}/tree:\n            ensure: present\n"
    scaffold = manifest("scaffold.yaml", tree_of_files + f"            source: {templates}\n            engine: go\n")
    jet = manifest("jet.yaml", tree_of_files + f"            source: {templates}\n            engine: jet\n")
    commands = {
        "`ccm --version`": ["--version"],
        "`ccm --help`": ["--help"],
        "`ccm apply` of a file": ["apply", one],
        "`ccm apply --no-state`": ["apply", one, "--no-state"],
        "`ccm apply --noop`": ["apply", one, "--noop"],
        "`ccm apply` that writes a file": ["apply", written],
        "`ccm apply` in graph order": ["apply", ordered],
        "`ccm apply --parallel`": ["apply", ordered, "--parallel", "2"],
        "`ccm apply` of a command": ["apply", command],
        "`ccm apply` with an expression": ["apply", expression],
        "`ccm apply --hiera`": ["apply", overridden, "--hiera", str(data)],
        "`ccm apply` with a health check": ["apply", checked],
        "`ccm apply` of a scaffold": ["apply", scaffold],
        "`ccm apply` with rules of goss": ["apply", ruled],
        "`ccm apply` of an archive": ["apply", archive],
        "`ccm apply` that unpacks an archive": ["apply", unpacked],
        "`ccm ensure file`": ["ensure", "file", str(folder / "one"), "--content", "x", "--mode", "0644"],
        PIPE: ["ensure", "api", "pipe"],
        "`ccm status`": ["status", "file", str(folder / "one")],
        "`ccm facts`": ["facts"],
        "`ccm apply` of an address": ["apply", "http://127.0.0.1:1/m.tgz"],
        "`ccm watch`": ["watch", one, "--exit-converged", "1ms", "--max-runtime", "1m"],
        "`ccm lint`": ["lint", one],
        "`ccm lint` of Go templates": ["lint", scaffold],
        "`ccm lint` of Jet templates": ["lint", jet],
        "`ccm hiera parse`": ["hiera", "parse", str(data)],
        "`ccm apply` of a package": [
            "apply",
            manifest("package.yaml", "    - package:\n        - dpkg:\n            ensure: present\n"),
        ],
        WITH_DNF: [
            "apply",
            manifest("rpm.yaml", "    - package:\n        - base:\n            provider: dnf\n"),
        ],
        "`ccm apply` of a service": [
            "apply",
            manifest("service.yaml", "    - service:\n        - cron:\n            ensure: running\n"),
            "--noop",
        ],
    }
    properties = {"name": str(folder / "one"), "ensure": "present", "content": "x", "mode": "0644"}
    requested = {"type": "file", "properties": {**properties, "owner": owner, "group": group}}
    requests = {PIPE: json.dumps({"protocol": ENSURE_REQUEST, **requested})}
    found = {}
    for name, arguments in commands.items():
        # The second run keeps that nothing changed; the third finds that kept.
        for _run in range(3):
            (folder / "written").unlink(missing_ok=True)
            (folder / "out/x").unlink(missing_ok=True)
            # What virtual environments load when they start is not loaded where ccm is installed.
            programs = "dnf" if name == WITH_DNF else "bin"
            stdin = requests.get(name, "")
            found[name] = reported(CCM, arguments, folder, "-S", "-E", programs=programs, stdin=stdin)
    owned = {"owner": owner, "group": group}
    options = {
        "file": {"name": str(folder / "four"), "ensure": "present", "content": "x", "mode": "0644", **owned},
        "exec": {"name": "/bin/true", "creates": str(folder)},
        "archive": {"name": str(folder / "a.tar"), "ensure": "present", "url": "http://h/a.tar", **owned},
        "package": {"name": ["dpkg"], "ensure": "present"},
        "service": {"name": "cron", "ensure": "running", "_ansible_check_mode": True},
        "scaffold": {
            "name": str(folder / "five"),
            "ensure": "present",
            "source": str(plain),
            "remote_src": True,
            "data": {"x": 1},
        },
    }
    written = (folder / "one.yaml").read_text(encoding="utf-8")
    index = json.dumps({"places": {}, "python": ""}).encode("ascii")
    nothing_sent = base64.b64encode(zlib.compress(index + b"\n")).decode("ascii")
    payload = {"document": pack(parse_manifest(written.encode(), "one.yaml"))}
    options["apply"] = {"manifest": {PACKED: to_text(payload)}, PACKED_PACKAGE: nothing_sent}
    for module, given in options.items():
        for _run in range(2):
            arguments = [module, json.dumps({"ANSIBLE_MODULE_ARGS": given})]
            found[f"module `{module}`"] = reported(MODULE, arguments, folder)
    # After the others: where there are two package managers, they are chosen in another way.
    for program, text in (("rpm", "echo base 0 1.0 1 noarch"), ("dnf", "exit 0")):
        (folder / "bin" / program).write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        (folder / "bin" / program).chmod(0o755)
    for ensure in ("present", "latest"):
        declared = f"    - package:\n        - base:\n            provider: dnf\n            ensure: {ensure}\n"
        arguments = ["apply", manifest("dnf.yaml", declared)]
        for _run in range(2):
            found[f"`ccm apply` of a package that is {ensure}, with dnf"] = reported(CCM, arguments, folder, "-S", "-E")
    return found


def reason(late, measured):
    """Why an import is not at the top of its file; "" when nothing says so."""
    if any(name.partition(".")[0] in {"std:" + extra for extra in EXTRAS} for name in late.modules):
        return EXTRA
    if late.module in closure(late.modules):
        return CIRCLE
    wanted = closure(late.modules)
    sparing = [name for name, loaded in measured.items() if late.module in loaded and not wanted <= loaded]
    return ", ".join(sparing[:2])


def table(measured):
    """The rows of the page: the file, the import and what it spares, in the order of the files."""
    late = sorted(imports()[1], key=lambda late: (late.file, late.line))
    return list(dict.fromkeys(f"| `{each.file}` | `{each.text}` | {reason(each, measured)} |" for each in late))


def without_reason(measured):
    """The imports that have no reason, each with what to do."""
    return [
        f"{late.file}:{late.line}: {late.text}: move it to the top of the file, it spares no measured run anything"
        for late in imports()[1]
        if not reason(late, measured)
    ]


def main():
    with tempfile.TemporaryDirectory() as folder:
        measured = runs(pathlib.Path(folder))
    print(HEADER + "\n".join(table(measured)))
    wrong = without_reason(measured)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
