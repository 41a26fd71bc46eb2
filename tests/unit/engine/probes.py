# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests with probes (probe_type.py), run by the command, and what is seen of them."""

from __future__ import annotations

import json
import re


class Probes:
    """Manifests with probes, which have short names here, and what is seen of their runs."""

    def __init__(self, ccm, directory):
        self.ccm = ccm
        self.directory = directory / "probes"
        self.directory.mkdir()
        self.manifests = directory
        self.engine = {}

    def probe(self, name, content="new", **given):
        """Return a probe; in its references, paths are short names, too."""
        for key in ("subscribe", "require"):
            if key in given:
                given[key] = [self.reference(other) for other in given[key]]
        if "notify" in given.get("meta", {}):
            given["meta"] = {**given["meta"], "notify": [self.reference(other) for other in given["meta"]["notify"]]}
        return {"probe": [{str(self.directory / name): {"content": content, **given}}]}

    def reference(self, name):
        return name if "#" in name else f"probe#{self.directory}/{name}"

    def sent(self, name):
        """Return an expression for what a probe sends."""
        return f"{{{{ sent('{self.reference(name)}').content }}}}"

    def write(self, *resources, name="m.yaml", **ccm):
        settings = {"engine": self.engine} if self.engine else {}
        text = json.dumps({"ccm": {"resources": list(resources), **settings, **ccm}})
        (self.manifests / name).write_text(text, encoding="utf-8")

    def plan(self, **words):
        """Set what probes do at their next tries."""
        for name, text in words.items():
            (self.directory / f"{name}.plan").write_text(text, encoding="utf-8")

    def apply(self, *words):
        """Apply the manifest; return what it printed, with short names."""
        done = self.ccm("apply", "m.yaml", "--no-report", *words)
        assert done.status in (0, 2, 4, 6), done.err
        assert "Traceback" not in done.out + done.err
        return self.short(done.out + done.err)

    def short(self, text):
        return text.replace(f"{self.directory}/", "")

    def outcomes(self, *words):
        """Apply the manifest; return the outcome of each probe."""
        return outcomes_in(self.apply(*words))

    def calls(self, *verbs):
        """Return the calls of providers up to now, as lines of a verb and names."""
        log = self.directory / "log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [line for line in lines if not verbs or line.split()[0] in verbs]

    def states(self):
        """Return copies of the state, each from just before a verb, in their order."""
        return sorted(self.directory.glob("at-*"), key=lambda path: int(path.name[3:]))

    def owed(self, state=None):
        """Return whom a refresh is owed because of whom, in the state of the last run or in a copy."""
        words = ("--state", str(state)) if state else ()
        shown = self.ccm("state", "show", "m.yaml", "--json", *words)
        if shown.status:
            assert "no state is kept" in shown.err
            return []
        owed = json.loads(self.short(shown.out).replace("probe#", ""))["owed"]
        return sorted((each["resource"], each["cause"]) for each in owed)

    def undo(self, state=None):
        """Undo what was recorded, in the last state or in a copy."""
        words = ("--state", str(state)) if state else ()
        done = self.ccm("undo", "m.yaml", "--force", *words)
        assert done.status == 0, done.err

    def read(self, name):
        path = self.directory / name
        return path.read_text(encoding="utf-8") if path.exists() else None

    def forget_calls(self):
        """Begin the log and the copies of the state anew."""
        (self.directory / "log").unlink()
        for path in self.states():
            path.rename(path.with_name(f"former-{path.name}-{id(path)}"))


def outcomes_in(text):
    """Return the outcome of each probe in the lines of a log."""
    found = re.findall(r"probe#(\S+) (changed|refreshed|stable|failed|skipped)", text)
    assert len({name for name, _outcome in found}) == len(found), text
    return dict(found)
