# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a host: modules in check mode, for real and once more, each from a state that a script makes.

Reads `{"cases": [{"module", "arguments", "setup", "probe"}, ...]}` from standard input; `setup` and `probe` are for
/bin/sh. Writes one JSON line a case: what the module said in `check`, `run` and `again`, and what the probe printed
`before` and `after` the check. Each module runs in a process of its own, in which everything is imported already.
"""

import importlib
import json
import os
import subprocess
import sys

from ansible.module_utils import basic

basic._ANSIBLE_PROFILE = "legacy"


def said(module, arguments, **mode):
    """What a module prints as its result."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.dup2(writer, 1)
        given = {**arguments, **{f"_ansible_{name}": value for name, value in mode.items()}}
        basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode()
        try:
            importlib.import_module(f"ansible_collections.ccm.core.plugins.modules.{module}").main()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as output:
        text = output.read()
    os.waitpid(pid, 0)
    return json.loads(text.strip().splitlines()[-1])


def shell(script):
    done = subprocess.run(["/bin/sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def main():
    cases = json.load(sys.stdin)["cases"]
    for module in {case["module"] for case in cases}:
        importlib.import_module(f"ansible_collections.ccm.core.plugins.modules.{module}")
    for case in cases:
        code, output = shell("set -e\n" + case["setup"])
        if code:
            sys.exit(f"setup of {case} failed: {output}")
        answer = {"before": shell(case["probe"])[1]}
        answer["check"] = said(case["module"], case["arguments"], check_mode=True, diff=True)
        answer["after"] = shell(case["probe"])[1]
        answer["run"] = said(case["module"], case["arguments"], diff=True)
        answer["again"] = said(case["module"], case["arguments"], check_mode=True)
        print(json.dumps(answer), flush=True)


main()
