# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the script of every command and flag against a program, and compare with what the original did.

    python run.py --ccm ccm [--record]

It changes the host (a package, a unit), and wants one to throw away: root, apt, systemd. recorded.yaml has of each step
its exit status and what it printed on stdout, in which times and what comes of chance are replaced, and at the end the
tree that the steps made. It runs on test hosts, with their Python.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).parent
RECORDED = HERE / "recorded.yaml"
# As in all tests; test hosts do not have their module.
PATIENCE = float(os.environ.get("CCM_PATIENCE") or 60)
#: What differs between two runs of the same: times, ids.
VOLATILE = (
    (re.compile(r"( runtime=| sleep=|Run Time: ).*?(?= |$)", re.MULTILINE), r"\1@TIME@"),
    (re.compile(r'("?(?:timestamp|event_id|duration|mtime)"?: "?)[^"\s,]+'), r"\1@TIME@"),
    (re.compile(r" (working_dir|format)=\S*"), ""),  # Q33; cases leave them out as well
)


def cases():
    """The runner of the cases, whose scratch directories and marks are ours too."""
    sys.path.insert(0, str(HERE.parents[1]))
    return importlib.import_module("conformance.run")


def outcome(scratch, ccm, step):
    """The exit status of a step, and what it printed on stdout."""
    env = scratch.environ(step.get("env"))
    stdin = scratch.fill(step.get("stdin", ""))
    stdin = stdin if isinstance(stdin, str) else yaml.safe_dump(stdin)
    if "sh" in step:
        argv = ["/bin/sh", "-c", scratch.fill(step["sh"])]
    else:
        argv = ccm + scratch.fill([str(word) for word in step["run"]])[1:]
    done = subprocess.run(
        argv, input=stdin.encode(), capture_output=True, cwd=scratch.dir, env=env, timeout=PATIENCE, check=False
    )
    text = scratch.plain(done.stdout.decode(errors="replace"))
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    if b"Traceback (most recent call last)" in done.stderr:
        text += done.stderr.decode(errors="replace")
    return {"exit": done.returncode, "stdout": text}


def tree(scratch, top):
    """What lies below a directory of the scratch directory, by path."""
    found = {}
    for directory, _directories, files in os.walk(os.path.join(scratch.dir, top)):
        for path in (directory, *(os.path.join(directory, name) for name in files)):
            found[os.path.relpath(path, scratch.dir)] = scratch.state(path)
    return dict(sorted(found.items()))


def played(script, ccm):
    """What a program made of the script."""
    module = cases()
    scratch = module.Scratch(with_http=True, nats=None)
    try:
        scratch.lay(script["files"])
        ready = module.shell(scratch, script["setup"])
        if ready.returncode:
            sys.exit(f"setup failed: {ready.stderr}")
        steps = []
        for step in script["steps"]:
            words = step.get("run") or ["sh", step["sh"]]
            steps.append({"step": shlex.join(map(str, words)), **outcome(scratch, ccm, step)})
        return {"steps": steps, "tree": tree(scratch, script["tree"])}
    finally:
        scratch.close()


def differences(wanted, got):
    """Lines that say where two outcomes differ."""
    found = []
    for want, have in zip(wanted["steps"], got["steps"]):
        if want != have:
            found.append(f"== {want['step']}: exit {want['exit']}, got {have['exit']}")
            found += difflib.unified_diff(
                want["stdout"].splitlines(), have["stdout"].splitlines(), "recorded", "got", lineterm=""
            )
    if len(wanted["steps"]) != len(got["steps"]):
        found.append(f"{len(wanted['steps'])} steps are recorded, there are {len(got['steps'])}")
    for path in sorted({*wanted["tree"], *got["tree"]}):
        want, have = wanted["tree"].get(path), got["tree"].get(path)
        if want != have:
            found.append(f"== {path}: recorded {want}, got {have}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ccm", required=True)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    script = yaml.safe_load((HERE / "steps.yaml").read_text(encoding="utf-8"))
    got = played(script, shlex.split(args.ccm))
    if args.record:
        head = "# Copyright: (c) 2026, ccm.core contributors\n# SPDX-License-Identifier: Apache-2.0\n"
        head += "# What the original did in the steps of steps.yaml: run.py --record.\n"
        text = yaml.safe_dump(got, sort_keys=False, allow_unicode=True, width=1000)
        RECORDED.write_text(head + text, encoding="utf-8")
        return 0
    found = differences(yaml.safe_load(RECORDED.read_text(encoding="utf-8")), got)
    print("\n".join(found) or f"{len(got['steps'])} steps as recorded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
