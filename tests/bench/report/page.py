# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report: from what was measured, in the form that __main__ keeps as JSON, to Markdown and plots."""

from __future__ import annotations

import statistics

from . import svg
from .limits import clock, cpu, kinds, limit, memory, shares
from .programs import KINDS, ORIGINAL, OURS
from .workloads import PHASES

NOTICE = "<!-- Copyright: (c) 2026, ccm.core contributors -->\n<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
START = "start"
FILES, WATCH = "Files", "Watching"
INTRODUCTION = """# Performance

`make bench-report` measured what is on this page and wrote it. The programs take turns at the same work, each in its
own language and in a folder of its own, so other load reaches all of them. Times are medians in milliseconds: the
clock, and in brackets the CPU time with child processes. *First* begins with nothing, *converged* changes nothing,
*noop* only looks.

The last column says what limits ccm.core. Its shares are measured in the same rounds: a bare start of the same Python,
ccm.core's reader of YAML on the same manifest, the least system calls or commands that do the same work, SHA-256 of the
same bytes. Each is counted without the start of Python. The rest is ccm.core's own work: its other imports, validation,
comparison, log and state. System calls are counted by `strace`.
"""


def milliseconds(seconds):
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def table(heads, rows):
    """A table of Markdown; the first column is left, and numbers are right."""
    sides = ["---" if at == 0 or head in TEXTS else "--:" for at, head in enumerate(heads)]
    lines = [heads, sides, *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |\n" for row in lines)


TEXTS = {"phase", "program", "version", "what limits ccm.core", "what", "value", "why"}


def programs_table(found):
    """Every program with its version, or why it is missing."""
    rows = [
        [name, KINDS[name].about, about["version"] or f"not measured: {about['missing']}"]
        for name, about in found.items()
    ]
    return table(["program", "what", "version"], rows)


def cell(line, name):
    rows = line["taken"].get(name)
    return f"{milliseconds(clock(rows))} ({milliseconds(cpu(rows))})" if rows else "-"


def summary(line):
    """The clock of each program, in a line."""
    return ", ".join(f"{name} {milliseconds(clock(rows))} ms" for name, rows in line["taken"].items())


def ratio(line, by=cpu):
    """How much of the original's time ccm.core takes; None where one of them was not measured."""
    rows = line["taken"].get(ORIGINAL)
    return by(line["taken"][OURS]) / by(rows) if rows else None


def lines_table(lines):
    """Lines of one subject: the programs that ran one of them, the ratio to the original, memory and the limit."""
    names = [name for name in KINDS if any(name in line["taken"] for line in lines)]
    by_clock = any(line["by"] == "clock" for line in lines)
    with_phase = any(line["phase"] != START for line in lines)
    heads = ["workload", *(["phase"] if with_phase else []), *names]
    heads += ["of the original's time" if by_clock else "of the original's CPU"] if ORIGINAL in names else []
    heads += ["MiB", "what limits ccm.core"]
    rows = []
    for line in lines:
        found = ratio(line, clock if by_clock else cpu)
        row = [line["title"], *([line["phase"]] if with_phase else []), *(cell(line, name) for name in names)]
        row += ["-" if found is None else f"{found:.2f}"] if ORIGINAL in names else []
        rows.append([*row, f"{memory(line['taken'][OURS]):.0f}", limit(line)])
    return table(heads, rows)


def gaps(lines):
    """Which programs were not measured and why: an entry for each workload, or for each phase where they differ."""
    found = {}
    for line in lines:
        for name, why in line["failed"].items():
            found.setdefault(line["title"], {}).setdefault(f"{name}: {' '.join(why.split())}", []).append(line["phase"])
    entries = {}
    for title, whys in found.items():
        all_phases = [line["phase"] for line in lines if line["title"] == title]
        reasons = [f"{why}" if at == all_phases else f"{why} ({', '.join(at)})" for why, at in whys.items()]
        entries.setdefault("; ".join(reasons), []).append(title)
    return [f"- {'; '.join(titles)}: {reasons}.\n" for reasons, titles in entries.items()]


def watch_section(watch):
    """Latency of repairs, and what an idle watch costs."""
    rows = []
    for name, found in watch["programs"].items():
        for change, taken in found["taken"].items():
            ordered = sorted(taken)
            late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
            figures = [milliseconds(seconds) for seconds in (statistics.median(ordered), late, ordered[-1])]
            share = min(1.0, found["repair_cpu"] / statistics.median(ordered))
            why = f"CPU {milliseconds(found['repair_cpu'])} ms for each repair: at most {share:.0%} of the latency"
            rows.append([f"{name}: {change}", *figures, why])
    text = f"One of {watch['files']:,} files is changed; the time ends when it is as it has to be, in milliseconds.\n\n"
    text += table(["workload", "median", "95 %", "longest", "what limits ccm.core"], rows) + "\n"
    rows = [
        [name, f"{1000 * found['idle_cpu']:.0f}", found["idle_wakeups"], f"{found['memory']:.0f}"]
        for name, found in watch["programs"].items()
    ]
    text += f"Idle for {watch['idle']} s, with the same files:\n\n"
    text += table(["program", "CPU ms", "times it woke", "MiB"], rows)
    for name, found in watch["programs"].items():
        if found["apply"]:
            text += f"\nA whole `ccm apply` of the same files by {name} takes {milliseconds(found['apply'])} ms.\n"
    return text + "".join(f"- {name}: {why}\n" for name, why in watch["failed"].items())


def label(line):
    return line["title"] if line["phase"] == START else f"{line['title']}, {line['phase']}"


def plots(results):
    """The SVG files of a page, by name: (title, text)."""
    lines = results["lines"]
    found = {}
    for phase in PHASES[:2]:
        chosen = [line for line in lines if line["subject"] == FILES and line["phase"] == phase]
        if len({line["count"] for line in chosen}) < 2:
            continue
        series = {
            name: [(line["count"], 1000 * clock(line["taken"][name])) for line in chosen if name in line["taken"]]
            for name in KINDS
        }
        title = f"Files, {phase}: time by number of files"
        series = {name: points for name, points in series.items() if points}
        found[f"files-{phase}"] = (title, svg.curves(title, series, "files", "ms"))
    work = [line for line in lines if line["phase"] != START]
    compared = [(label(line), ratio(line)) for line in work if line["by"] == "cpu" and ratio(line) is not None]
    if compared:
        title = "CPU time of ccm.core as a multiple of the original's"
        found["original"] = (title, svg.bars(title, compared))
    if work:
        title = "What limits ccm.core: shares of its time"
        found["limits"] = (title, svg.stacks(title, [(label(line), kinds(shares(line))) for line in work]))
    starts = [(label(line), 1000 * clock(line["taken"][OURS])) for line in lines if line["phase"] == START]
    if starts:
        title = "ccm.core: time of each command"
        found["commands"] = (title, svg.bars(title, starts, " ms"))
    return found


#: The plots of a subject, and of the whole page.
PLACES = {FILES: ("files-first", "files-converged"), "Start of every command": ("commands",)}


def written(results, page):
    """Write a page and its plots: PAGE.md and PAGE/NAME.svg."""
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    drawn = plots(results)
    for name, (_title, text) in drawn.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
    page.write_text(markdown(results, folder.name, drawn), encoding="utf-8")


def markdown(results, folder, drawn):
    """The text of a page whose plots are in a folder beside it."""

    def images(names):
        return "".join(f"\n![{drawn[name][0]}]({folder}/{name}.svg)\n" for name in names if name in drawn)

    settings = results["settings"]
    text = f"{NOTICE}{INTRODUCTION}\n## Machine\n\n"
    rows = [*results["machine"].items(), ("date", results["date"])]
    rows.append(("rounds", f"{settings['rounds']}; a program has fewer after {settings['budget']:g} s for a line"))
    text += table(["what", "value"], rows) + "\n" + programs_table(results["programs"])
    placed = {name for names in PLACES.values() for name in names}
    text += images(name for name in drawn if name not in placed)
    lines = results["lines"]
    for subject in dict.fromkeys(line["subject"] for line in lines):
        chosen = [line for line in lines if line["subject"] == subject]
        text += f"\n## {subject}\n\n{lines_table(chosen)}"
        missing = gaps(chosen)
        text += "\nNot measured:\n\n" + "".join(missing) if missing else ""
        text += images(PLACES.get(subject, ()))
    if results["watch"]:
        text += f"\n## {WATCH}\n\n{watch_section(results['watch'])}"
    if results["not_measured"]:
        rows = [[what, why] for what, why in results["not_measured"].items()]
        text += "\n## Not measured\n\n" + table(["workload", "why"], rows)
    return text
