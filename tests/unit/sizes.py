# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much code each module sends to a node and imports there, and the declared budgets.

A budget is the size when it was declared, rounded; a module without one has the budget of "". Tests fail only for more
than ROOM above it, so that usual changes need no new number; `python -m tests.bench.sizes` prints the sizes beside the
budgets.
"""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import subprocess
import sys

from .layout import PLUGINS, ROOT, shipped, sources
from .systemctl import stand_in_for_systemctl

ROOM = 0.1
# Bytes of source that Ansible sends with each task: all that a module can import. package has two package managers,
# scaffold and hiera_info the languages of templates and expressions, archive downloads and formats, resource_info five
# types; keys and files are written with all attributes of the file before. The module apply has none: its action plugin
# sends the package in one piece.
SHIPPED = {
    "archive": 479_000,
    "exec": 280_000,
    "facts_info": 312_000,
    "file": 433_000,
    "group": 324_000,
    "hiera_info": 1_086_000,
    "package": 449_000,
    "resource_info": 880_000,
    "scaffold": 1_425_000,
    "service": 300_000,
    "ssh_authorized_key": 365_000,
    "user": 360_000,
    "": 262_000,
}
# Bytes of compiled code without docstrings and line numbers, which differs least between versions of Python. Ansible
# compiles all of it at each task, which takes about 1 ms for 10 KB; a scaffold includes its languages, and a service
# reads [Install] of units, which spares a command for each run.
IMPORTED = {
    "archive": 122_000,
    "exec": 105_000,
    "file": 124_000,
    "package": 125_000,
    "scaffold": 387_000,
    "service": 128_000,
}


def excess(sizes, budgets, name):
    """Return a sentence for each size that is more than ROOM above its budget."""
    found = []
    for module, size in sizes.items():
        budget = budget_of(module, budgets)
        if size > budget * (1 + ROOM):
            found.append(
                f"{module} has {size:,} bytes, more than {ROOM:.0%} above its budget of {budget:,}: import less, or"
                f" raise it in {name} in tests/unit/sizes.py, with the reason in the commit"
            )
    return found


def budget_of(module, budgets):
    """Return the budget of a module."""
    return budgets[module if module in budgets else ""]


def shipped_sizes():
    """Return the bytes of source that Ansible sends with each module, but apply."""
    modules = [path for path in sources(PLUGINS / "modules") if path.stat().st_size and path.stem != "apply"]
    return {path.stem: sum(part.stat().st_size for part in shipped(path)) for path in modules}


def owner():
    """Return the names of the user and the group that run this."""
    return pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(os.getgid()).gr_name


# A converged run of a module by its own main(), and the size of our code in sys.modules after it, without comments
# and docstrings, which cost a task no time.
MODULE_RUN = """
import json, marshal, runpy, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.argv[2].encode()
basic._ANSIBLE_PROFILE = "legacy"
try:
    runpy.run_module("ansible_collections.ccm.core.plugins.modules." + sys.argv[1], run_name="__main__")
except SystemExit as err:
    status = err.code
ours = [module.__file__ for name, module in sys.modules.items()
        if name.startswith("ansible_collections.ccm.core.plugins.module_utils.") and getattr(module, "__file__", None)]
def code_size(code):
    parts = [code_size(part) if hasattr(part, "co_code") else len(marshal.dumps(part)) for part in code.co_consts]
    return len(code.co_code) + sum(parts) + sum(len(name) for name in code.co_names + code.co_varnames)
def size(path):
    with open(path, "rb") as file:
        return code_size(compile(file.read(), path, "exec", optimize=2))
print(json.dumps({"status": status, "sizes": {path: size(path) for path in ours}}))
"""


def programs(folder):
    """Make a directory with the programs that modules call, so that other programs of the host make no difference."""
    stand_in_for_systemctl(folder)
    for name in ("apt-cache", "apt-get", "apt-mark", "dpkg", "dpkg-query", "touch"):
        if shutil.which(name):
            (folder / name).symlink_to(shutil.which(name))
    return folder


def imported_code(module, folder):
    """Run a module twice in a folder; return the second result and the size of each import of this package."""
    arguments = arguments_for(module, folder)
    collection = folder / "ansible_collections/ccm/core"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    given = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    env = dict(os.environ, PYTHONPATH=str(folder), PATH=str(programs(folder / "bin")))
    for _run in range(2):
        done = subprocess.run(
            [sys.executable, "-c", MODULE_RUN, module, given], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        result, measured = (json.loads(line) for line in done.stdout.strip().splitlines()[-2:])
        assert measured["status"] in (0, None), result
    return result, measured["sizes"]


def arguments_for(module, folder):
    """Return arguments that make a module manage one resource in a folder."""
    user, group = owner()
    path = str(folder / "made")
    if module == "archive":
        archive = folder / "made.tar"
        archive.touch()
        return {"name": str(archive), "ensure": "present", "url": "http://h/a.tar", "owner": user, "group": group}
    if module == "package":
        return {"name": ["dpkg"], "ensure": "present"}
    if module == "service":
        return {"name": "web", "enable": True}
    if module == "file":
        return {"name": path, "ensure": "present", "content": "x", "owner": user, "group": group, "mode": "0644"}
    if module == "scaffold":
        source = folder / "templates"
        source.mkdir()
        (source / "a").write_text("[[ data.x ]]")
        return {"name": path, "ensure": "present", "source": str(source), "remote_src": True, "data": {"x": 1}}
    return {"name": f"touch {path}", "creates": path}
