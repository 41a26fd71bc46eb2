# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of a run that a signal ends and undisturbed ones that follow it."""

from __future__ import annotations

from tests.seed import chance
from tests.unit.cli.state_attack.site import Site
from tests.unit.kills import spread, steps_of

KINDS = ("list", "graph", "watch", "undo")


def ended_runs(ccm, directory, kind, rounds, numbers):
    """Let signals of these numbers end runs of a kind; nothing may be lost.

    They come in the middle of a command, before a file is put in its place, and before any step, in turn.
    """
    site = Site(ccm, directory / "site")
    site.write(0)
    site.apply()
    random = chance("ended runs", kind, *numbers)
    steps = _steps(site, kind)
    renames = [number for number, name in enumerate(steps, 1) if name == "os.rename"]
    wrong, ended = [], 0
    for generation, step in enumerate(spread(random, rounds, 1, len(steps)), start=1):
        number = numbers[generation // 3 % len(numbers)]
        step = (step, 0, random.choice(renames))[generation % 3]
        site.write(generation)
        if kind == "undo":
            site.apply()
        elif random.random() < 0.3:
            site.closed.touch()
        if not step:
            site.meanwhile.write_text(f"kill -{int(number)} $PPID\n")
        ended += site.run_until(number, kind, step)
        site.meanwhile.write_text("")
        site.closed.unlink(missing_ok=True)
        place = f"before step {step}" if step else "in a command"
        found = _after(site, random.random())
        wrong += [f"signal {number} in generation {generation}, {place}: {each}" for each in found]
    print(f"{ended} of {rounds} runs ended before their end")
    assert not wrong, "\n".join(wrong)


def _steps(site, kind):
    """Return the steps of a run that changes everything; a run that watches makes them first."""
    if kind != "undo":
        site.undo()
    return steps_of(site.words("list" if kind == "watch" else kind), cwd=site.directory)


def _after(site, chosen):
    """Return what is wrong after two undisturbed runs, and now and then an undo before or after them."""
    wrong = []
    if chosen < 0.2:
        wrong += site.undo()[0]
    said = site.apply()
    wrong += site.wrong_after(said)
    said += site.apply()
    wrong += [f"left behind: {path}" for path in site.hidden()]
    if "damaged" in said or "cannot be read" in said:
        wrong.append(said)
    return wrong + (site.undo()[0] if chosen < 0.6 else [])
