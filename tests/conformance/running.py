# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of recorded cases with a program that keeps running (`start`, `wait`, `signal`, `end`), or has a terminal.

It runs on test hosts too, so with the Python 3.9 of Debian 11. NOTES.md lists the keys.
"""

from __future__ import annotations

import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

_PAUSE = 0.02
PLACES = re.compile(r"\x1b[78]|\x1b\[[0-9;?]*[A-Za-z]")
WHERE_IS_THE_CURSOR, AT_THE_TOP = b"\x1b[6n", b"\x1b[1;1R"


class Program:
    """A program that keeps running, with its outputs in files."""

    def __init__(self, scratch, ccm, step, name):
        self.words = [*ccm, *scratch.fill([str(word) for word in step["start"]])[1:]]
        self.paths = {kind: pathlib.Path(scratch.dir, f"{name}.{kind}") for kind in ("out", "err")}
        with open(self.paths["out"], "wb") as out, open(self.paths["err"], "wb") as err:
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=os.path.join(scratch.dir, scratch.fill(step.get("cwd", ""))),
                env=scratch.environ(step.get("env")),
                start_new_session=True,
            )

    def said(self, kind):
        return self.paths[kind].read_text(errors="replace")

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def lines(scratch, text):
    """What was said, line by line, without what differs between two runs."""
    text = re.sub(r"^time=\S+ ", "", scratch.plain(text), flags=re.MULTILINE)
    return re.sub(r"\b(duration|since|runtime|sleep)=[^ \"\n]+", r"\1=@TIME@", text).splitlines()


def observe(scratch, ccm, step):
    """Take a step; what can be asserted of it. `act` is for the server of the case."""
    seen = {"out": "", "err": "", "raw": ""}
    name = step.get("as", "main")
    if "act" in step:
        scratch.nats.act(step["act"])
    elif "start" in step:
        scratch.programs[name] = Program(scratch, ccm, step, name)
    elif "wait" in step:
        seen["unmet"] = in_vain(scratch, scratch.programs[name], step["wait"])
    elif "signal" in step:
        scratch.programs[name].process.send_signal(getattr(signal, f"SIG{step['signal']}"))
    elif "end" in step:
        seen.update(ended(scratch, scratch.programs.pop(name), step["end"]))
    elif "tty" in step:
        seen.update(on_terminal(scratch, ccm, step))
    else:
        raise ValueError(f"there is no such step: {step}")
    return seen


def in_vain(scratch, program, wanted):
    """Wait until an output has a line, {out: PATTERN} or {err: PATTERN}; what was said instead, None when it came."""
    ((kind, pattern),) = ((name, text) for name, text in wanted.items() if name in ("out", "err"))
    end = time.monotonic() + wanted.get("in", 15)
    while True:
        ended_before = program.process.poll() is not None
        said = "\n".join(lines(scratch, program.said(kind)))
        if re.search(pattern, said, re.MULTILINE):
            return None
        if ended_before or time.monotonic() > end:
            return f"{wanted} did not come: {said[-1000:]!r}, {program.said('err')[-1000:]!r}"
        time.sleep(_PAUSE)


def ended(scratch, program, patience):
    try:
        code = program.process.wait(patience)
    except subprocess.TimeoutExpired:
        code = f"still running after {patience} s"
        program.end()
    err = lines(scratch, program.said("err"))
    return {"code": code, "out_lines": lines(scratch, program.said("out")), "err_lines": err, "err": "\n".join(err)}


def on_terminal(scratch, ccm, step):
    """Run with a terminal of its own, on which `type` answers what is asked: pairs of a question and an answer."""
    words = [*ccm, *scratch.fill([str(word) for word in step["tty"]])[1:]]
    env = {**scratch.environ(step.get("env")), "TERM": "xterm"}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scratch.dir)
        os.execve(words[0], words, env)
    said, answers = b"", list(step.get("type", []))
    end = time.monotonic() + step.get("for", 30)
    while True:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:
            break  # the program has ended
        said += more
        if answers and answers[0][0].encode() in said:
            os.write(terminal, answers.pop(0)[1].encode())
        if WHERE_IS_THE_CURSOR in more:
            os.write(terminal, AT_THE_TOP)
    status = os.waitpid(pid, 0)[1]
    os.close(terminal)
    text = said.decode(errors="replace").replace("\r", "")
    return {"code": os.waitstatus_to_exitcode(status), "tty": scratch.plain(PLACES.sub("", text))}


def check(scratch, step, seen, differ):
    """How what was seen differs from what these steps want."""
    want = step.get("want") or {}
    found = [seen["unmet"]] if seen.get("unmet") else []
    for name, of in (("code", "code"), ("out", "out_lines"), ("err", "err_lines"), ("tty", "tty")):
        if name in want:
            found += differ(want[name], seen.get(of), name)
    if "stderr" in want:
        found += differ(want["stderr"], seen["err"], "stderr")
    if "state" in step:
        found += differ(step["state"], scratch.nats.state(step["state"]), "state")
    return found
