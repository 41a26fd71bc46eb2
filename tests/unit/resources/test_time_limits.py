# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package that sleeps in each of its methods, in each order and front end.

`make test` lets each method sleep in one of the places that call it, `make soak` in all of them; `python -m pytest -s
tests/unit/resources/test_time_limits.py -k table` with CCM_KILLS=100 prints the table.
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import types

import pytest

from tests.patience import PATIENCE, wait_until
from tests.unit.kills import ARE_MANY
from tests.unit.layout import ROOT

#: In seconds; a busy machine needs some time for methods that end, too.
LIMIT = 1.0
OVER = f"within {LIMIT:g} seconds"
BEFORE = """
ccm:
  engine: {state: slow}
  resources:
    - slow: {name: gone, text: old, meta: {reverse: true}}
    - slow: {name: c, text: old, meta: {reverse: true, autogroup: false}}
    - slow: {name: left, text: old}
    - slow: {name: same, text: same}
"""
AFTER = """
ccm:
  engine: {state: slow}
  resources:
    - slow: {name: a, text: new}
    - slow: {name: b, text: new}
    - slow: {name: c, text: "{{ 'new' }}", subscribe: ["slow#a"], meta: {reverse: true, autogroup: false}}
    - slow: {name: d, text: "{{ sent('slow#c').text }}", meta: {reverse: true}}
    - slow: {name: same, text: same}
"""
PROGRAM = """
import sys
sys.path[:0] = [{site!r}, {root!r}]
from ccm.resources import contract_checks, installed
contract_checks.CALL_TIMEOUT = installed.CALL_TIMEOUT = {limit!r}
"""
COMMAND = PROGRAM + "from ccm.cli.main import main\nsys.exit(main())\n"
MODULE = (
    PROGRAM
    + """
from slow import TYPE
from tests.unit.ansible_tasks.module import Module, ModuleEnded
from ccm.ansible_tasks.type_module import run_type
made = []
def make(argument_spec, **_more):
    made.append(Module(argument_spec, {{"name": "c", "text": "new"}}, diff=True))
    return made[0]
try:
    run_type(make, TYPE)
except ModuleEnded:
    print(made[0].result, made[0].warnings)
"""
)
#: The words of the command in each order and front end; none for a module.
PLACES = {
    "list": ("apply", "after.yaml", "--no-report", "--diff", "--session", "session"),
    "graph": ("apply", "after.yaml", "--no-report", "--parallel", "1"),
    "parallel": ("apply", "after.yaml", "--no-report", "--parallel", "3"),
    "watch": ("watch", "after.yaml", "--exit-converged", "200ms", "--max-runtime", "4s"),
    "ensure": ("ensure", "slow", "c", "present", "--text", "new", "--session", "session"),
    "module": (),
    "converged": ("apply", "before.yaml", "--no-report"),
    "orphans": ("orphans", "after.yaml"),
}
#: The methods of the contract that one of these calls.
METHODS = {
    "the type": "import made validate_own validate_late normalise deferred_values derived_values subscriptions "
    "determines is_groupable provider decide has_changed shortfall",
    "its providers": "__init__ manageable status require_possible differences act write remove status_after "
    "drop_unfinished partition act_on_batch",
    "its states": "as_dict",
    "its relations": "provides installs wants watches watched_trees watched_units only_refreshed sent observed remains "
    "is_there content relations.determines",
    "its reversal": "is_reversible paths parts undone",
}
#: How messages name methods that another method calls.
NAMES = {
    "provider": "(the declaration of slow|provider of the type slow)",
    "import": "slow was not imported",
    "validate_own": "(validate|validate_late) of the type slow",
    "relations.determines": "determines of the type slow",
    "write": "(act|write) of the provider host",
    "remove": "(act|remove) of the provider host",
}


class Slow:
    """A host on which `before.yaml` was applied, and copies of it."""

    def __init__(self, directory):
        self.directory = directory
        self.site = site = directory / "site"
        info = site / "slow-1.0.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("[ccm.resource_types]\nslow = slow:TYPE\n", encoding="utf-8")
        shutil.copy(ROOT / "tests/unit/resources/slow_type.py", site / "slow.py")
        values = {"site": str(site), "root": str(ROOT), "limit": LIMIT}
        self.programs = {False: COMMAND.format(**values), True: MODULE.format(**values)}
        self.host = directory / "prepared"
        for name in ("host", "session"):
            (self.host / name).mkdir(parents=True)
        (self.host / "before.yaml").write_text(BEFORE, encoding="utf-8")
        (self.host / "after.yaml").write_text(AFTER, encoding="utf-8")
        assert self.run(self.host, PLACES["converged"], limit=600).returncode == 0

    def copy(self, name):
        """Return the directory of another host like it."""
        found = self.directory / name
        shutil.copytree(self.host, found)
        (found / "called").unlink()
        return found

    def process(self, host, words, stall="", limit=LIMIT, seconds=None, output=subprocess.PIPE):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CCM_")}
        environment.update(CCM_STATE=str(host / "state"), HOME=str(host), STALL=stall, LIMIT=str(limit))
        environment.update({"SECONDS": str(seconds)} if seconds else {})
        command = [sys.executable, "-c", self.programs[not words], *words]
        return subprocess.Popen(
            command,
            cwd=host,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )

    def run(self, host, words, stall="", limit=LIMIT, seconds=None):
        """Run the command, or without words a module, while the method `stall` sleeps; return what comes of it."""
        with self.process(host, words, stall, limit, seconds) as process:
            ender = threading.Timer(PATIENCE, process.kill)
            ender.start()
            output = process.communicate()[0].decode()
            ender.cancel()
        return types.SimpleNamespace(returncode=process.returncode, output=output, called=self.called(host))

    @staticmethod
    def called(host):
        """Return the methods that were called on a host."""
        path = host / "called"
        return set(path.read_text(encoding="utf-8").split()) if path.exists() else set()


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return Slow(tmp_path_factory.mktemp("slow"))


def fault_of(slow, method, place):
    """Return what is wrong when a method sleeps in a place that calls it, "" when nothing is."""
    host = slow.copy(f"{method}-{place}")
    ran = slow.run(host, PLACES[place], method)
    # This command leaves out what it cannot read.
    over = f"({OVER}|)" if place == "orphans" else OVER
    name = NAMES.get(method, rf"{method} of the (type|provider|relations|reversal|state)")
    if not re.search(rf"{name}.* {over}", ran.output) or "Traceback" in ran.output:
        return f"{method} in {place}: {ran.returncode}: {ran.output}"
    # The state and the session are whole.
    again = slow.run(host, PLACES["list"], limit=600)
    is_whole = again.returncode == 0 and not re.search(r"Traceback|failed|damaged|interrupted", again.output)
    return "" if is_whole else f"{method} in {place}, then again: {again.output}"


@pytest.mark.starts_processes
def test_the_table_of_methods(slow):
    """Each method that does not end fails what called it within its limit, and the process ends."""
    methods = [method for group in METHODS.values() for method in group.split()]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:

        def each(call, *given):
            return dict(zip(zip(*given, strict=True), pool.map(call, *given), strict=True))

        ran = each(lambda place: slow.run(slow.copy(place), PLACES[place], limit=600), PLACES)
        callers = {method: [place for place in PLACES if method in ran[place,].called] for method in methods}
        assert set().union(*(each.called for each in ran.values())) == set(methods)
        # The module imports its type itself.
        callers["import"].remove("module")
        wanted = [
            (method, place)
            for number, (method, places) in enumerate(callers.items())
            for place in (places if ARE_MANY else places[number % len(places) :][:1])
        ]
        faults = each(functools.partial(fault_of, slow), *zip(*wanted, strict=True))
    print_table(callers, faults)
    assert [fault for fault in faults.values() if fault] == []


def print_table(callers, faults):
    print("\n| method |", " | ".join(PLACES), "|")
    print("| --- |" + " --- |" * len(PLACES))
    words = {"": "ends", None: "not run"}
    for method, places in callers.items():
        cells = [words.get(faults.get((method, place)), "WRONG") if place in places else "" for place in PLACES]
        print(f"| `{method}` |", " | ".join(cells), "|")


def applied(slow, name, text, stall, *words, limit=LIMIT, seconds=None):
    host = slow.copy(name)
    (host / "m.yaml").write_text(text, encoding="utf-8")
    return slow.run(host, ("apply", "m.yaml", "--no-report", *words), stall, limit, seconds)


ORDERS = pytest.mark.parametrize("words", [("--parallel", "2"), ("--parallel", "1")], ids=str)


@pytest.mark.starts_processes
@ORDERS
@pytest.mark.parametrize("method", ["status", "decide", "write", "shortfall"])
def test_the_time_of_meta_holds_for_python_code(slow, method, words):
    text = "ccm: {resources: [{slow: {name: a, text: new, meta: {timeout: 300ms}}}, {exec: {name: /bin/true}}]}"
    host = f"meta-{method}-{words[-1]}"
    ran = applied(slow, host, text, method, *words, limit=600)
    reason = (
        rf"slow#a failed .*was not done within its timeout of 300ms: (act|{method}) of the .* did not end within the 0"
    )
    assert re.search(reason, ran.output)
    assert "exec#/bin/true changed" in ran.output


@pytest.mark.starts_processes
def test_semaphores_stay_taken(slow):
    """What needs one of a call that goes on fails at once, with the reason; others are managed."""
    text = """
        ccm:
          engine: {order: graph, parallel: 2}
          resources:
            - slow: {name: a, text: new, meta: {sema: [one, "two:2"]}}
            - exec: {name: "true", meta: {sema: [one]}}
            - exec: {name: "sh -c true", meta: {sema: ["two:2"]}}
            - slow: {name: b, text: new, meta: {sema: ["two:2"]}}
    """
    ran = applied(slow, "semaphores", text, "write")
    taken = "the semaphore one is taken: act of the provider host of the package slow 1.0.0 for slow#a did not end"
    assert re.search(rf"exec#true failed .*errors={taken}", ran.output)
    assert "exec#sh -c true changed" in ran.output


@pytest.mark.starts_processes
def test_the_provider_of_a_call_that_goes_on_is_not_called(slow):
    """In the order of the list all resources of a type have the same provider."""
    text = "ccm: {resources: [{slow: {name: a, text: new}}, {slow: {name: c, text: new}}, {exec: {name: /bin/true}}]}"
    ran = applied(slow, "provider", text, "status")
    lead = "status of the provider host of the package slow 1.0.0"
    assert re.search(r"slow#a failed .*manageable of .* is not called: status of", ran.output)
    assert re.search(
        rf"slow#c failed .*{lead} is not called: {lead} for slow#a did not end {OVER}, and goes on", ran.output
    )
    assert "exec#/bin/true changed" in ran.output
    assert f"ccm: warning: the process ends while this still runs: {lead} for slow#a" in ran.output


@pytest.mark.starts_processes
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
@pytest.mark.parametrize("place", ["list", "graph", "parallel", "watch", "ensure", "prepared"])
def test_signals_end_the_process_during_a_call(slow, place, number):
    """One in the order of the list; in the others what runs is waited for, until the third one gives it up."""
    method = "watches" if place == "prepared" else "write"
    words = PLACES.get(place, PLACES["watch"])
    is_watched = words == PLACES["watch"]
    host = slow.copy(f"signals-{place}-{number}")
    with open(host / "out", "wb") as out:
        process = slow.process(host, words[:2] if is_watched else words, method, limit=600, output=out)
    said = functools.partial((host / "out").read_text, encoding="utf-8")
    try:
        wait_until(lambda: method in slow.called(host))
        for signals in range(1, 4):
            process.send_signal(number)
            wait_until(lambda signals=signals: process.poll() is not None or said().count("Interrupted") == signals)
            if process.poll() is not None:
                break
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
    ends_in_time = is_watched and place != "prepared"
    assert process.returncode == (130 if number == signal.SIGINT else 0 if ends_in_time else -number), said()
    assert "Traceback" not in said()
    assert re.search(f"still runs: .*(act|{method}) of the ", said())
    if place in ("list", "ensure"):
        # Nothing is cleaned up beside the call.
        assert "drop_unfinished" not in (host / "called").read_text(encoding="utf-8").rpartition("write")[2]
    again = slow.run(host, PLACES["list"], limit=600)
    assert not re.search(r"Traceback|failed|damaged", again.output)


@pytest.mark.starts_processes
@pytest.mark.parametrize("method", ["validate_own", "watches", "manageable", "status", "write", "sent"])
def test_watching_ends_after_its_time_during_a_call(slow, method):
    host = slow.copy(f"max-runtime-{method}")
    ran = slow.run(host, ("watch", "after.yaml", "--max-runtime", "500ms"), method, limit=600)
    assert re.search(r" did not end within the [0-9.]+ seconds left", ran.output)
    assert "Traceback" not in ran.output
    assert ran.returncode == (1 if method in ("validate_own", "watches") else 0)


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", [(), ("--parallel", "1"), ("--parallel", "2")], ids=str)
def test_nothing_comes_of_a_call_that_ends_late(slow, words):
    """Its result, its lines and what it prints are dropped; when it has ended its provider is called again."""
    resource = "{name: a, text: new, meta: {retry: 100, delay: 50ms, autogroup: false}}"
    text = f"ccm: {{resources: [{{slow: {resource}}}]}}"
    ran = applied(slow, f"late-{'-'.join(words)}", text, "status", *words, seconds=3)
    assert "slow#a changed" in ran.output
    assert (ran.output.count("a is absent"), "late" in ran.output, "still runs" in ran.output) == (1, False, False)
    assert ran.output.count(f"did not end {OVER}") > 1


@pytest.mark.starts_processes
def test_watching_manages_it_again_when_the_call_has_ended(slow):
    host = slow.copy("late-watch")
    (host / "m.yaml").write_text("ccm: {resources: [{slow: {name: c, text: new}}]}", encoding="utf-8")
    words = ("watch", "m.yaml", "--exit-converged", "300ms", "--session", "session")
    ran = slow.run(host, words, "write", seconds=3)
    assert ran.returncode == 0, ran.output
    assert f"did not end {OVER}" in ran.output
    assert ("late" in ran.output, (host / "host/c").read_text(encoding="utf-8")) == (False, "new")


@pytest.mark.starts_processes
def test_a_task_warns_of_a_call_that_goes_on(slow):
    ran = slow.run(slow.copy("task"), (), "write")
    assert "'failed': True" in ran.output
    assert re.search(r"\['the process ends while this still runs: act of .* for slow#c'\]", ran.output)


ENDING = (
    PROGRAM
    + """
import json
from slow import TYPE
from tests.unit.ansible_tasks.module import Module
from ccm.ansible_tasks.type_module import run_type
class Ending(Module):
    def fail_json(self, msg, **_result):
        print(json.dumps({{"failed": True, "msg": msg}}), self.warnings)
        sys.exit(1)
try:
    run_type(lambda spec, **_more: Ending(spec, {{"name": "c", "text": "new"}}), TYPE)
finally:
    open("removed", "w").close()
"""
)


@pytest.mark.starts_processes
@pytest.mark.parametrize("method", ["write", "validate_own", "provider"])
def test_a_task_ends_while_a_thread_of_a_call_goes_on(slow, method, monkeypatch):
    """Its result is whole, and what is done around the module is done; `provider` is called before it has options."""
    monkeypatch.setenv("POOL", "1")
    host = slow.copy(f"pool-{method}")
    monkeypatch.setitem(slow.programs, True, ENDING.format(site=str(slow.site), root=str(ROOT), limit=LIMIT))
    ran = slow.run(host, (), method)
    assert (ran.returncode, (host / "removed").exists()) == (1, True)
    result, _end = json.JSONDecoder().raw_decode(ran.output)
    assert result["failed"] is True
    assert OVER in result["msg"]
    assert ("still runs" in ran.output) == (method != "provider")


CALLING = """
import threading, time
from ccm.host.given_up import current_calls
from ccm.resources.type_calls import TypeCall
def call():
    TypeCall("status", "the package slow").result(lambda: time.sleep(1000), 1000)
threading.Thread(target=call, daemon=True).start()
while not current_calls():
    time.sleep(0.01)
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("is_read", [True, False])
def test_the_end_names_calls_that_were_not_given_up(slow, is_read):
    """Where nothing can be written, that changes no exit status."""
    words = [sys.executable, "-c", slow.programs[False].replace("from ccm.cli", f"{CALLING}from ccm.cli"), "types"]
    errors = slow.directory / "errors"
    with open(errors if is_read else "/dev/full", "wb") as stream:
        ran = subprocess.run(words, cwd=slow.host, stdout=subprocess.PIPE, stderr=stream, check=False)
    assert (ran.returncode, b"slow" in ran.stdout) == (0, True)
    warning = "ccm: warning: the process ends while this still runs: status of the package slow\n"
    assert not is_read or errors.read_text(encoding="utf-8") == warning
