# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A module in a locale that is not UTF-8: it runs again in a Python that takes names as UTF-8 (decisions.md Q92).

Python cannot change the encoding of names in a process that runs.
"""

from __future__ import annotations

import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .ansible_module import AnsibleModule

# What Ansible does to run a module: its arguments are JSON, the profile is the form of that JSON.
_AGAIN = """
import sys
module, profile, *sys.path = sys.argv[1:]
del sys.argv[1:]
import runpy
from ansible.module_utils import basic
basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = sys.stdin.buffer.read(), profile
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def run_in_utf8(module: AnsibleModule) -> NoReturn:
    """Run the module of this process in a process with UTF-8 names, which prints the result; end as that ends.

    Ends in fail_json of `module` if there can be no other process.
    """
    given = vars(sys.modules["ansible.module_utils.basic"])
    spec = vars(sys.modules["__main__"]).get("__spec__")
    if spec is None:
        _refuse(module, "the module was not started by Ansible")
    command = [sys.executable, "-X", "utf8", "-c", _AGAIN, spec.name, given["_ANSIBLE_PROFILE"], *sys.path]
    try:
        done = subprocess.run(command, input=given["_ANSIBLE_ARGS"], check=False)
    except OSError as error:
        _refuse(module, f"{error.filename}: {error.strerror}")
    raise SystemExit(done.returncode)


def _refuse(module: AnsibleModule, reason: str) -> NoReturn:
    module.fail_json(
        msg="names of files are not UTF-8 in this locale, and Python cannot be started again to change that: "
        f"{reason}; set LC_ALL: C.UTF-8 in the environment of the task"
    )
