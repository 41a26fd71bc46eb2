# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of every command, and the pipe API. A command that cannot run here, or does not end, prints its help."""

from __future__ import annotations

import json

from ..__main__ import GROUP, OWNER, files
from .programs import ORIGINAL, OURS
from .runs import PART, START, interpreter, node, system_calls, why

HELP = "--help"
#: What each command is given in a folder with a manifest that was applied; {file} is the file in it.
COMMANDS = {
    "apply": ["m.yaml"],
    "completion": ["bash"],
    "docs": ["file"],
    "drift": ["m.yaml"],
    "ensure archive": [HELP],
    "ensure exec": ["true"],
    "ensure file": ["{file}", "--content", "hello", "--owner", f"{OWNER}:{GROUP}", "--mode", "0644"],
    "ensure group": [HELP],
    "ensure package": [HELP],
    "ensure scaffold": [HELP],
    "ensure service": [HELP],
    "ensure ssh_authorized_key": [HELP],
    "ensure user": [HELP],
    "ensure api piped": [HELP],
    "facts": [],
    "graph": ["m.yaml"],
    "hiera parse": ["hiera.yaml"],
    "hiera facts": [],
    "lint": ["m.yaml"],
    "new": [HELP],
    "orphans": ["m.yaml"],
    "plan": ["m.yaml"],
    "publish": [HELP],
    "registration create": [HELP],
    "registration init": [HELP],
    "registration query": [HELP],
    "registration rm": [HELP],
    "registration watch": [HELP],
    "session new": [],
    "session report": [HELP],
    "state list": [],
    "state show": ["m.yaml"],
    "state forget": [HELP],
    "state move": [HELP],
    "state prune": [HELP],
    "status": ["file", "{file}"],
    "types": [],
    "undo": [HELP],
    "watch": [HELP],
}
VERSION = "--version"
SUBJECT, PIPE = "Start of every command", "The pipe API"


def request(path):
    """One file, for `ccm ensure api pipe`."""
    properties = {"name": path, "ensure": "present", "content": "hello", "owner": OWNER, "group": GROUP, "mode": "0644"}
    protocol = "io.choria.ccm.v1.resource.ensure.request"
    return json.dumps({"protocol": protocol, "type": "file", "properties": properties})


def starts():
    """The title, subject and words of each run, and whether it reads a request."""
    found = [(f"ccm {VERSION}", SUBJECT, [VERSION], False)]
    for name, given in COMMANDS.items():
        words = [*name.split(), *given]
        found.append((" ".join(["ccm", *words]), SUBJECT, words, False))
    found.append(("ccm ensure api pipe, one file", PIPE, ["ensure", "api", "pipe"], True))
    return found


def measured(programs, scratch, settings):
    """Yield a line for each command of ccm.core; the original runs it too, where it has it."""
    chosen = [entry for entry in starts() if settings.chooses(f"{entry[1]}: {entry[0]}")]
    if not chosen:
        return
    folders = {}
    for name in (OURS, ORIGINAL):
        if name not in programs:
            continue
        folders[name] = folder = scratch / f"start-{name}"
        (folder / "target").mkdir(parents=True)
        (folder / "m.yaml").write_text(files(1, folder / "target", "hello"), encoding="utf-8")
        (folder / "hiera.yaml").write_text("data: {port: 80}\n", encoding="utf-8")
        applied = node(programs={name: programs[name].run(folder)}, rounds=2, limit=settings.limit)
        if applied["failed"]:
            raise SystemExit(applied["failed"][name])
    for title, subject, words, is_pipe in chosen:
        runs = {}
        for name, folder in folders.items():
            file = str(folder / "target/f0000")
            run = programs[name].run(folder)
            run["argv"] = [programs[name].path, *(word.format(file=file) for word in words)]
            runs[name] = {**run, "input": request(file) if is_pipe else ""}
        start = {"argv": [interpreter(programs), "-I", "-c", "pass"]}
        found = node(
            programs={**runs, PART + START: start},
            rounds=settings.rounds,
            budget=settings.budget,
            limit=settings.limit,
        )
        if OURS in found["failed"]:
            yield {"title": title, "phase": "start", "missing": f"ccm.core failed: {why(found['failed'][OURS])}"}
            continue
        yield {
            "subject": subject,
            "title": title.replace("{file}", "FILE").partition(" --content")[0],
            "count": 1,
            "phase": "start",
            "by": "cpu",
            "taken": {name: found["taken"][name] for name in runs if name not in found["failed"]},
            "parts": {START: found["taken"][PART + START]},
            "less": {},
            "failed": dict.fromkeys(found["failed"], "it has no such command"),
            "calls": system_calls(runs[OURS]),
        }
