# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a case wants beside what was seen: how they differ, and how a case is recorded anew. With Python 3.9, too."""

from __future__ import annotations

import json
import re

import yaml

from .scratch import ANSI

LOG = re.compile(r"^\s?(DEBUG|INFO|WARN|ERROR)\s+(.*)$")


def plain_stdout(text):
    """Standard output without the log lines mixed into it, and without the one line of timing."""
    keep = [line for line in ANSI.sub("", text).splitlines() if not LOG.match(line) and "Run Time:" not in line]
    return "".join(line.rstrip() + "\n" for line in keep)


def parsed(text, as_json):
    try:
        return json.loads(text) if as_json else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):
        return "does not parse"


def is_loose(want):
    return isinstance(want, dict) and bool(want) and set(want) <= {"has", "lacks"}


def differ(want, got, at=""):
    """Lines that say how got differs from want.

    {has: [...], lacks: [...]} asks for substrings and for their absence.
    """
    if is_loose(want):
        return [f"{at}: {got!r} lacks {s!r}" for s in want.get("has", []) if s not in str(got)] + [
            f"{at}: {got!r} shows {s!r}" for s in want.get("lacks", []) if s in str(got)
        ]
    if isinstance(want, dict) and isinstance(got, dict):
        out = []
        for key in [*want, *(k for k in got if k not in want)]:
            where = f"{at}.{key}" if at else str(key)
            if key not in got:
                out.append(f"{where}: wanted {want[key]!r}, is missing")
            elif key not in want:
                out.append(f"{where}: unexpected {got[key]!r}")
            else:
                out += differ(want[key], got[key], where)
        return out
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [line for i, (w, g) in enumerate(zip(want, got)) for line in differ(w, g, f"{at}[{i}]")]
    return [] if want == got and type(want) is type(got) else [f"{at}: wanted {want!r}, got {got!r}"]


def merge(old, new):
    """The recorded value, keeping the looser demands of the case that still hold."""
    if is_loose(old):
        return old if not differ(old, new) else new
    if isinstance(old, dict) and isinstance(new, dict):
        return {k: merge(old.get(k), v) for k, v in new.items()}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [merge(o, n) for o, n in zip(old, new)]
    return new


def record(scratch, step, seen):
    """Put what was seen into the step; texts asked for with '?' become the error the program gave."""
    old = step.get("want") or {}
    want = {k: merge(old.get(k), seen[k]) for k in ("exit", "events", "reply", "log", "summary") if k in seen}
    if "stdout" in old:
        want["stdout"] = merge(old["stdout"], plain_stdout(seen["out"]))
    for key in ("stdout_json", "stdout_yaml"):
        if key in old:
            want[key] = merge(old[key], scratch.clean(parsed(seen["raw"], key.endswith("json"))))
    for key, text in (("stdout_has", seen["out"]), ("stderr_has", seen["err"])):
        if key in old:
            first = re.search(r"ccm: error: ([^\n]*)", text)
            want[key] = [first[1] if s == "?" and first else s for s in old[key]]
            for s in want[key]:
                if s not in text:
                    print(f"  cannot record {key} {s!r}: not in {text!r}")
    step["want"] = want
    if "after" in step:
        step["after"] = {path: merge(state, scratch.state(path)) for path, state in step["after"].items()}


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def dump(case):
    return yaml.dump(case, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)


Dumper.add_representer(
    str,
    lambda d, s: d.represent_scalar(
        "tag:yaml.org,2002:str", s, style="|" if "\n" in s.strip("\n") or (s.endswith("\n") and len(s) > 1) else None
    ),
)
Dumper.add_representer(
    list,
    lambda d, v: d.represent_sequence(
        "tag:yaml.org,2002:seq",
        v,
        flow_style=len(str(v)) < 100 and all(isinstance(i, (str, int)) and "\n" not in str(i) for i in v),
    ),
)
