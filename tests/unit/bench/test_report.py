# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench-report`: its tables and plots, its arguments, and the whole path with one small workload."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest
import yaml

from tests.bench import strace
from tests.bench.report import __main__ as report
from tests.bench.report import commands, forms, hosts, limits, page, programs, runs, svg, workloads
from tests.bench.report.items import Archive, Command, Copy, File, Folder, Package, Service, Template
from tests.bench.report.programs import ANSIBLE, KINDS, MGMT, ORIGINAL, OURS, PUPPET, PYINFRA, Program
from tests.tools import docs

from ..layout import ROOT

SVG = "{http://www.w3.org/2000/svg}"
ITEMS = [
    Folder("/srv/d"),
    File("/srv/d/f", 'a "quoted" $text'),
    Copy("/srv/d/c", "/srv/source"),
    Template("/srv/d/t", 3),
    Command("touch /srv/d/m", "/srv/d/m"),
    Archive("/srv/a.tar.gz", "http://127.0.0.1/a.tar.gz", "0" * 64, "/srv/out", "/srv/out/a"),
    Package("web"),
    Service("web", "/srv/d/f"),
]


def line(subject="Files", title="10 files", phase="first", **given):
    """A line as runs.measured yields it: ccm.core took 100 ms of the clock and 80 ms of CPU."""
    return {
        "subject": subject,
        "title": title,
        "count": 10,
        "phase": phase,
        "by": "cpu",
        "taken": {OURS: [[0.1, 0.06, 0.02, 15.0]], ORIGINAL: [[0.2, 0.1, 0.06, 28.0]]},
        "parts": {runs.START: [[0.02, 0.01, 0.01, 9.0]], runs.YAML: [[0.03, 0.02, 0.02, 9.0]]},
        "less": {runs.YAML: runs.START},
        "failed": {},
        "calls": {"calls": 1234, "processes": 2},
        **given,
    }


def results(*lines, **given):
    found = {name: {"version": "1.0" if name == OURS else "", "missing": kind.missing} for name, kind in KINDS.items()}
    return {
        "date": "2026-01-02",
        "machine": {"CPU": "a|b", "cores": 2},
        "settings": runs.Settings()._asdict(),
        "programs": found,
        "lines": list(lines),
        "watch": None,
        "not_measured": {},
        **given,
    }


def texts(drawn):
    """The texts of a plot, which must be well-formed."""
    return [node.text for node in xml.etree.ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def test_plots_are_well_formed_whatever_names_hold():
    name = 'a <b> & "c"'
    drawn = [
        svg.curves("T & T", {name: [(1, 0.5), (1000, 20.0)], "one": [(10, 10.0)], "none": []}, "files", "ms"),
        svg.curves("T & T", {"one": [(1, 1.0)]}, "files", "ms"),
        svg.bars("T & T", [(name, 12.5), ("zero", 0.0)], " ms"),
        svg.stacks("T & T", [(name, {name: 0.25, "rest": 0.75})]),
        svg.curves("T & T", {}, "files", "ms"),
        svg.bars("T & T", []),
        svg.stacks("T & T", []),
    ]
    assert all("T & T" in texts(text) for text in drawn)
    assert all(name in texts(text) for text in (drawn[0], drawn[2], drawn[3]))
    assert all("nothing was measured" in texts(text) for text in drawn[4:])


def test_curves_put_larger_values_further_up_and_to_the_right():
    tree = xml.etree.ElementTree.fromstring(svg.curves("T", {"a": [(1, 1.0), (100, 50.0)]}, "x", "y"))
    (low, high) = [(float(node.get("cx")), float(node.get("cy"))) for node in tree.iter(f"{SVG}circle")]
    assert high[0] > low[0]
    assert high[1] < low[1]


def test_shares_add_up_to_one():
    tree = xml.etree.ElementTree.fromstring(svg.stacks("T", [("a", {"x": 0.25, "y": 0.75})]))
    quarter, rest = [float(node.get("width")) for node in tree.iter(f"{SVG}rect")][1:3]
    assert rest == pytest.approx(3 * quarter, abs=0.2)


def test_the_limit_is_what_was_measured():
    """Of 80 ms of CPU Python starts in 20, and libyaml takes 40 with the start of Python."""
    found = limits.shares(line())
    assert found == pytest.approx({runs.START: 0.25, runs.YAML: 0.25, limits.OWN: 0.5})
    assert limits.limit(line()) == (
        f"{limits.OWN} 50%; {runs.START} 25%; {runs.YAML} 25%; in the kernel 25% of the CPU time; "
        "waits 20% of the clock; 1,234 system calls, 2 processes and threads"
    )


def test_plots_have_kinds_of_parts():
    found = {"tar alone": 0.25, "dpkg-query alone": 0.25, "SHA-256 of the source": 0.25, limits.OWN: 0.25}
    assert limits.kinds(found) == {"other programs alone": 0.5, "SHA-256": 0.25, limits.OWN: 0.25}


def test_parts_that_noise_made_longer_than_the_whole_are_scaled():
    found = limits.shares(line(parts={runs.START: [[0.3, 0.2, 0.0, 9.0]], "x": [[0.3, 0.2, 0.0, 9.0]]}, less={}))
    assert found == pytest.approx({runs.START: 0.5, "x": 0.5, limits.OWN: 0.0})


def test_what_is_more_than_the_cpu_time_by_the_clock_is_waiting():
    found = limits.shares(line(by="clock", taken={OURS: [[1.0, 0.1, 0.1, 9.0]]}))
    assert found[limits.OWN] == pytest.approx(0.2)
    assert found[limits.WAITING] == pytest.approx(1 - 0.02 - 0.01 - 0.2)


def test_missing_programs_are_named_with_the_reason():
    text = page.markdown(results(line(taken={OURS: line()["taken"][OURS]})), "performance", {})
    for name in (ORIGINAL, PYINFRA, ANSIBLE, PUPPET, MGMT):
        assert re.search(rf"^\| {name} \| .* \| not measured: .+ \|$", text, re.MULTILINE), name
    assert "make bench-report CCM=/path/of/ccm" in text
    assert "make bench-report MGMT=/path" in text


def test_a_table_has_every_line_with_figures_and_the_limit():
    failed = {ANSIBLE: "about 380 s for each run,\nby the smaller workload"}
    lines = [line(failed=failed), line(phase="converged", failed=failed), line(title="1 file")]
    text = page.markdown(results(*lines), "performance", page.plots(results(*lines)))
    assert "| workload | phase | ccm.core | original | of the original's CPU | MiB | what limits ccm.core |" in text
    assert f"| 10 files | converged | 100 (80.0) | 200 (160) | 0.50 | 15 | {limits.limit(lines[1])} |" in text
    assert "- 10 files: Ansible: about 380 s for each run, by the smaller workload.\n" in text
    assert "| CPU | a\\|b |" in text
    assert "| date | 2026-01-02 |" in text


def test_what_needs_a_host_is_named_where_none_boots():
    reason = "needs a host that boots: run as root"
    text = page.markdown(results(not_measured={"20 services": reason}), "performance", {})
    assert f"| 20 services | {reason} |" in text


def test_a_watch_has_latencies_and_idle_costs():
    found = {
        "taken": {"deleted": [0.002, 0.004, 0.003]},
        "apply": 0.08,
        "repair_cpu": 0.0015,
        "idle_cpu": 0.01,
        "idle_wakeups": 3,
        "memory": 32.0,
    }
    watch = {"files": 1000, "idle": 30, "programs": {OURS: found}, "failed": {MGMT: "did not make the files"}}
    text = page.markdown(results(watch=watch), "performance", {})
    assert "| ccm.core: deleted | 3.0 | 4.0 | 4.0 | CPU 1.5 ms for each repair: at most 50% of the latency |" in text
    assert "| ccm.core | 10 | 3 | 32 |" in text
    assert "- mgmt: did not make the files" in text


def test_the_page_shows_each_plot_once_and_old_plots_go(tmp_path):
    lines = [line(), line(count=100, title="100 files"), line("Start of every command", "ccm facts", "start")]
    (tmp_path / "p").mkdir()
    (tmp_path / "p/old.svg").touch()
    page.written(results(*lines), tmp_path / "p.md")
    text = (tmp_path / "p.md").read_text("utf-8")
    drawn = {path.name for path in (tmp_path / "p").iterdir()}
    assert drawn == {"files-first.svg", "original.svg", "limits.svg", "commands.svg"}
    assert sorted(re.findall(r"\(p/([^)]+)\)", text)) == sorted(drawn)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rounds", "0"], "it must be 1 or more"),
        (["--limit", "0"], "it must be above 0"),
        (["--limit", "nan"], "it must be above 0"),
        (["--budget", "x"], "invalid number value"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_wrong_arguments_are_named(words, said, capsys):
    with pytest.raises(SystemExit):
        report.arguments(words)
    assert said in capsys.readouterr().err


def test_make_sets_arguments_by_variables(monkeypatch):
    for name, value in {"ORIGINAL": "/opt/ccm", "ROUNDS": "2", "ONLY": "files", "LIMIT": "60", "PAGE": ""}.items():
        monkeypatch.setenv(f"CCM_BENCH_{name}", value)
    args = report.arguments([])
    assert (args.original, args.mgmt, args.rounds, args.only, args.limit) == ("/opt/ccm", "", 2, "files", 60)
    assert report.arguments(["--rounds", "3"]).rounds == 3


def test_only_a_whole_report_becomes_the_page_of_the_documentation():
    assert report.arguments([]).page == ROOT / "docs/performance.md"
    assert report.arguments(["--only", "files"]).page == ROOT / "tests/output/performance/performance.md"
    assert report.arguments(["--only", "files", "--page", "x.md"]).page == pathlib.Path("x.md")


@pytest.mark.starts_processes
def test_a_path_that_does_not_start_ends_the_report(tmp_path):
    with pytest.raises(SystemExit, match=f"original: {tmp_path}/ccm: No such file or directory"):
        programs.find({OURS: sys.executable, ORIGINAL: f"{tmp_path}/ccm"}, search="")


def test_every_command_is_started():
    names = {command.name.removeprefix("ccm ") for command in docs.all_commands() if not command.commands}
    assert set(commands.COMMANDS) == names


def test_each_language_has_each_item_or_says_so():
    without = {"Template": {OURS, MGMT}, "Archive": {PUPPET, MGMT}}
    for name, kind in KINDS.items():
        for item in ITEMS:
            lacks = name in without.get(type(item).__name__, ()) or (name == ORIGINAL and isinstance(item, Template))
            if lacks:
                with pytest.raises(forms.NoWord, match=f"has no {type(item).__name__.lower()}"):
                    kind.form([item])
            else:
                assert "".join(kind.form([item]).values())


def test_manifests_plays_and_deploys_can_be_read():
    ours = [item for item in ITEMS if not isinstance(item, Template)]
    resources = yaml.safe_load(forms.ccm(ours)["m.yaml"])["ccm"]["resources"]
    kinds = ["file", "file", "file", "exec", "archive", "package", "service"]
    assert [next(iter(entry)) for entry in resources] == kinds
    (play,) = json.loads(forms.ansible(ITEMS)["play.yml"])
    modules = [word for task in play["tasks"] for word in task if "." in word]
    assert "ansible.builtin.systemd_service" in modules
    assert play["handlers"][0]["loop"] == ["web"]
    compile(forms.pyinfra(ITEMS)["deploy.py"], "deploy.py", "exec")


def test_a_table_of_strace_is_counted():
    table = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000600           6       100         3 read
 40.00    0.000400         200         2           vfork
------ ----------- ----------- --------- --------- ----------------
100.00    0.001000           9       102         3 total
"""
    assert strace.counted(table) == {"calls": 102, "processes": 2}
    assert strace.counted("strace: exec: No such file or directory\n") is None


def test_a_slow_program_is_left_out_of_a_larger_workload():
    small, large = workloads.of_files(10), workloads.of_files(1000)
    history = {(small.items, ANSIBLE): (10, 4.0)}
    assert runs.guess(history, large, ANSIBLE) == pytest.approx(400)
    assert runs.guess(history, large, PYINFRA) == 0
    history = {(small.items, ANSIBLE): (1, 1.0)}
    assert runs.guess(history, small, ANSIBLE) == 0, "the start of the program"


def test_a_line_has_programs_and_parts_without_those_that_failed():
    failed = {MGMT: "no word"}
    rows = {OURS: [[1]], ORIGINAL: [[2]], PYINFRA: [], f"{runs.PART}x": [[3]], f"{runs.PART}y": [[4]]}
    said = {"taken": rows, "failed": {ORIGINAL: "a\nlate", f"{runs.PART}y": "broken"}}
    assert runs.line_of(said, failed, title="t") == {
        "title": "t",
        "taken": {OURS: [[1]]},
        "parts": {"x": [[3]]},
        "failed": {MGMT: "no word", ORIGINAL: "late"},
    }
    later = runs.line_of({"taken": rows, "failed": {}}, failed)
    assert (list(later["taken"]), list(later["parts"])) == ([OURS], ["x"])
    missing = runs.line_of({"taken": rows, "failed": {OURS: "no"}}, failed, title="t")
    assert missing == {"title": "t", "missing": "ccm.core failed: no"}


def test_the_last_words_of_a_program_are_the_reason():
    assert runs.why("Traceback:\n  x()\n  ^^^\nTypeError: it\n    ^^^^\n") == "TypeError: it"
    assert runs.why("") == "failed, and said nothing"


@pytest.mark.starts_processes
def test_programs_take_turns_and_those_that_fail_have_no_more(tmp_path):
    failing = f"echo x >> {tmp_path}/runs; echo no; exit 3"
    asked = {"argv": ["sh", "-c", '[ "$(cat)" = "$IT" ] && [ "$PWD" = / ]'], "input": "it", "variables": {"IT": "it"}}
    given = {
        "a": {"argv": ["true"]},
        "b": {"argv": ["sh", "-c", failing]},
        "asked": {**asked, "directory": "/"},
        "unmade": {"argv": ["true"], "after": "echo missing; false"},
    }
    found = runs.node(programs=given, rounds=3)
    assert {name: len(rows) for name, rows in found["taken"].items()} == {"a": 3, "b": 0, "asked": 3, "unmade": 0}
    assert found["failed"]["b"] == f"sh -c {failing}: no\n"
    assert (tmp_path / "runs").read_text() == "x\n"
    assert "missing" in found["failed"]["unmade"]


@pytest.mark.starts_processes
def test_a_run_that_takes_too_long_is_ended_with_what_it_started(tmp_path):
    """The pipe has no end while one of them has it open."""
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    late = {"argv": ["sh", "-c", f"sleep 1000 > {tmp_path}/pipe; true"]}
    found = runs.node(programs={"late": late}, rounds=2, limit=0.1)
    assert found == {"taken": {"late": []}, "failed": {"late": "more than 0.1 s"}}
    os.set_blocking(reading, True)
    assert os.read(reading, 1) == b""
    os.close(reading)


@pytest.mark.starts_processes
def test_the_whole_path_with_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "find", lambda given: programs.find(given, search=""))
    ccm = pathlib.Path(sys.executable).with_name("ccm")
    words = ["--ccm", str(ccm), "--rounds", "1", "--only", "Files: 1 file", "--page", str(tmp_path / "p.md")]
    assert report.main(words) == 0
    text = (tmp_path / "p.md").read_text("utf-8")
    for phase in workloads.PHASES:
        assert re.search(
            rf"^\| 1 file \| {phase} \| [\d.,]+ \([\d.,]+\) \| \d+ \| .*starting Python \d+%", text, re.MULTILINE
        )
    assert "| pyinfra | pyinfra, @local | not measured: not installed |" in text
    assert "host" not in text.partition("## Files")[2]
    kept = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert [line["phase"] for line in kept["lines"]] == list(workloads.PHASES)
    before = text
    assert report.main(["--render", str(tmp_path / "p.json"), "--page", str(tmp_path / "p.md")]) == 0
    assert (tmp_path / "p.md").read_text("utf-8") == before


@pytest.mark.starts_processes
def test_a_workload_in_which_ccm_core_fails_is_named_and_the_others_are_measured(tmp_path, monkeypatch):
    ccm = tmp_path / "ccm"
    real = pathlib.Path(sys.executable).with_name("ccm")
    ccm.write_text(f'#!/bin/sh\ncase "$1" in facts) echo broken; exit 3;; esac\nexec {real} "$@"\n', encoding="utf-8")
    ccm.chmod(0o755)
    monkeypatch.setattr(report, "find", lambda given: programs.find(given, search=""))
    monkeypatch.setattr(commands, "COMMANDS", {"facts": [], "types": []})
    words = ["--ccm", str(ccm), "--rounds", "1", "--only", "Start of", "--page", str(tmp_path / "p.md")]
    assert report.main(words) == 1
    text = (tmp_path / "p.md").read_text("utf-8")
    assert re.search(r"^\| ccm facts, start \| ccm.core failed: .*: broken \|$", text, re.MULTILINE)
    assert re.search(r"^\| ccm types \| [\d.]+ \(", text, re.MULTILINE)


@pytest.mark.starts_processes
def test_make_hands_its_variables_on():
    words = ["make", "--silent", "--dry-run", "--print-data-base", "bench-report", "CCM=/opt/ccm", "ONLY=files"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "CCM_BENCH_ORIGINAL := /opt/ccm\n" in done.stdout.replace("$(CCM)", "/opt/ccm")


def test_hosts_have_the_workloads_of_packages_and_services():
    assert list(hosts.chosen(runs.Settings())) == ["50 packages", "20 services", "web role"]
    assert list(hosts.chosen(runs.Settings(only="20 SERVICES"))) == ["20 services"]


def test_a_program_is_started_as_its_users_start_it():
    run = Program(OURS, "/opt/ccm").run("/srv/x", noop=True)
    assert (run["argv"], run["directory"]) == (["/opt/ccm", "apply", "m.yaml", "--noop"], "/srv/x")
    assert Program(ANSIBLE, "/opt/ansible-playbook").run("/srv/x", noop=True)["argv"][-1] == "--check"
    assert Program(MGMT, "/opt/mgmt").run("/srv/x")["idle"] == programs.IDLE
