# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host and a manifest that use all that state keeps, and what must hold of them however runs ended."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

from tests.patience import PATIENCE, wait_until
from tests.unit.kills import COUNTED
from tests.unit.layout import CCM

#: What a command says of files of the state that it cannot use.
DAMAGE = re.compile(
    r"damaged|cannot be read|Lines of the state of earlier runs|is not used|lines are missing|does not have the content"
    r"|Going on without state|later version of ccm"
)
WATCHING = "Watching for changes"


class Site:
    """In one generation after the other, which differ in all that they manage; below a new or empty `directory`.

    `count` files and two commands can be undone, `restart` subscribes to a file, and `mint` sends a value to another.
    """

    def __init__(self, ccm, directory, count=3):
        self._ccm = ccm
        self.directory = directory
        self.host = directory / "host"
        self.host.mkdir(parents=True)
        self.manifest = directory / "m.yaml"
        #: The directory of the state is the only entry of this one.
        self.disk = directory / "disk"
        self.disk.mkdir()
        self.state = self.disk / "state"
        self.log, self.token = self.host / "log", self.host / "token"
        self.closed = self.host / "closed"
        #: What `mint` and the commands that undo do in the middle, as lines of a shell.
        self.meanwhile = self.host / "meanwhile"
        self.meanwhile.write_text("")
        self.formers = {self.host / f"former-{number}": f"former {number}\n" for number in range(count)}
        self.formers[self.host / "former-none"] = None
        for path, text in self.formers.items():
            if text is not None:
                path.write_text(text)
        self.marks = [self.host / f"mark-{number}" for number in range(2)]
        self.generation = 0

    def write(self, generation, *, reversible=True):
        """Write the manifest of a generation, without what can be undone unless `reversible`."""
        self.generation = generation
        host = self.host
        minted = f"sh -c 'touch {host}/minted-{generation}; . {self.meanwhile}; printf token-{generation}'"
        undo = f"sh -c '. {self.meanwhile}; rm -f $0'"
        resources = [
            *(self.file(path, f"{generation}\n", meta={"reverse": True}) for path in self.formers if reversible),
            *(
                command(f"mark {path.name}", f"touch {path}", creates=str(path), meta={"undo": f"{undo} {path}"})
                for path in self.marks
                if reversible
            ),
            self.file(host / "config", f"{generation}\n"),
            command("mint", minted, creates=f"{host}/minted-{generation}"),
            self.file(self.token, "{{ sent('exec#mint').stdout }}"),
            command("gate", f"test ! -e {self.closed}"),
            command(
                "restart",
                f"sh -c 'cat {host}/config >> {self.log}'",
                refreshonly=True,
                subscribe=[f"file#{host}/config"],
                require=["exec#gate"],
            ),
        ]
        self.manifest.write_text(json.dumps({"ccm": {"resources": resources}}))

    @staticmethod
    def file(path, content, **more):
        owner = {"owner": str(os.geteuid()), "group": str(os.getegid()), "mode": "0600"}
        return {"file": [{str(path): {"ensure": "present", "content": content, **owner, **more}}]}

    def words(self, kind):
        """Return the arguments of ccm for a kind of run: apply (list), graph, watch or undo."""
        command = {"list": "apply", "graph": "apply"}.get(kind, kind)
        more = {"list": ["--no-report"], "graph": ["--no-report", "--parallel", "2"]}.get(kind, [])
        return [command, str(self.manifest), "--state", str(self.state), *more]

    def ccm(self, *words):
        """Run ccm in this process, on the manifest unless it is named; return exit status and output."""
        ran = self._ccm(*words, "--state", self.state)
        said = ran.out + ran.err
        assert "Traceback" not in said, said
        return ran.status, said

    def apply(self):
        """Make a run that nothing disturbs; return what it says."""
        status, said = self.ccm("apply", self.manifest, "--no-report")
        assert (status, re.search(" ERROR .* failed ", said)) == (0, None), said
        return said

    def start(self, kind, out, step=0, number=0):
        """Start a run in its own process, with its output in a file; before a step it gets the signal of a number."""
        counted = [sys.executable, "-c", COUNTED, str(step), str(int(number))] if number else CCM
        with open(out, "w", encoding="utf-8") as file:
            return subprocess.Popen(
                [*counted, *self.words(kind)], stdout=file, stderr=file, stdin=subprocess.DEVNULL, cwd=self.directory
            )

    def run_until(self, number, kind, step=0):
        """Run ccm until the signal of a number comes, before a step or when it watches.

        Return whether the signal ended it before its work was done.
        """
        out = self.directory / "out"
        process = self.start(kind, out, step, number)
        end(process, out, number)
        said = out.read_text()
        assert "Traceback" not in said, said
        return process.returncode != 0

    def wrong_after(self, said):
        """Return what is wrong with the host after an undisturbed run, which said this."""
        found = []
        logged = self.log.read_text().splitlines() if self.log.exists() else []
        if logged[-1:] != [str(self.generation)]:
            found.append(f"a refresh was lost: {logged} in generation {self.generation}")
        has_newest = self.token.exists() and self.token.read_text() == f"token-{self.generation}"
        is_skipped = f"file#{self.token} skipped due to unmet requirement" in said
        if not (has_newest or (is_skipped and re.search("WARN .*exec#mint", said))):
            found.append(f"a value of an earlier command was delivered in generation {self.generation}")
        return found

    def changed(self):
        """Return the references of what is not as it was before the first run."""
        now = {path: path.read_text() if path.exists() else None for path in self.formers}
        files = {f"file#{path}" for path, former in self.formers.items() if now[path] != former}
        return files | {f"exec#mark {path.name}" for path in self.marks if path.exists()}

    def undo(self):
        """Undo all; return what is wrong with the host and the count of what was undone, and what ccm says."""
        status, said = self.ccm("undo", self.manifest)
        failed = set(re.findall(r" ERROR (\w+#.+?) failed ", said))
        found = [f"not undone, and not said: {name}" for name in sorted(self.changed() - failed)]
        counted = re.search(r"(\d+) of (\d+) changes undone", said)
        if counted and int(counted[2]) - int(counted[1]) != len(failed):
            found.append(f"counted wrongly: {said}")
        if status != bool(failed):
            found.append(f"exit status {status}: {said}")
        return found, said

    def hidden(self):
        """Return the hidden files of the state, which only runs that were killed leave."""
        return [str(path) for path in self.state.rglob(".*.ccm-new*")]


def command(name, words, **more):
    return {"exec": [{name: {"command": words, **more}}]}


def end(process, out, number):
    """Give a run a signal when it watches; wait for its end."""
    try:
        wait_until(lambda: process.poll() is not None or WATCHING in out.read_text())
        process.send_signal(number)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
