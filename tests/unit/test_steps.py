# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that run the tests report their steps and the skipped tests."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from tests.conformance import run
from tests.tools import running, targets
from tests.tools.environment import UMASK, kept_names
from tests.tools.running import Run, Step, summary
from tests.tools.steps import TARGETS, require_python

from .layout import ROOT, tracked

pytestmark = pytest.mark.starts_processes

INI = "[pytest]\naddopts = -p no:cacheprovider -rfE\n"


def steps_run(*steps, capacity=4):
    """Run steps, and return their results by name and what was printed, with times cut."""
    printed = []
    results = Run(steps, dict(os.environ), capacity, lambda text: printed.append(text.decode())).all()
    printed.append(summary(results, "tool", 0))
    text = re.sub(r"\d+ s of CPU", "N s of CPU", "".join(printed))
    return {result.step.name: result for result in results}, re.sub(r"\d+ s\b", "N s", text)


def shell(name, script, **options):
    return Step(name, f"about {name}", ("sh", "-c", script), **options)


def output_of_pytest(folder, text, *options, **variables):
    """Return the output of pytest for a file of tests, in an environment with these variables; paths in it are cut."""
    (folder / "pytest.ini").write_text(INI, encoding="utf-8")
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--rootdir={folder}", "-c", folder / "pytest.ini", *options, folder],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_failing_step_stops_only_those_that_need_it():
    steps = [
        shell("a", "echo out; exit 3"),
        shell("b", "true"),
        shell("c", "true", after=("a",)),
        shell("d", "kill -9 $$"),
    ]
    results, printed = steps_run(*steps)
    assert {name: result.status for name, result in results.items()} == {"a": 3, "b": 0, "c": None, "d": 137}
    assert "\n== about a: FAILED after N s, N s of CPU\nout\n" in printed
    assert "\n== about b: N s, N s of CPU\n" in printed
    assert "\nleft out: about c: needs a\n" in printed
    assert "\n3 of 4 steps failed, in N s." in printed
    assert "  about a\n      tool a\n" in printed
    assert "  about c (left out: needs a)\n      tool c\n" in printed


def test_each_failure_is_named_with_a_command_that_repeats_it(tmp_path):
    tests = """
import pytest

@pytest.mark.soak
@pytest.mark.parametrize("name", ["it's", "a - b", "a\\nb"])
def test_it(name):
    assert not name
"""
    options = ("-p", "tests.conftest", "-p", "tests.tools.no_processes", "-m", "soak", "-W", "ignore")
    _status, message = output_of_pytest(tmp_path, tests, *options, CCM_SEED="7", CCM_REQUIRE="")
    step = Step("unit", "unit tests", (sys.executable, "-c", f"print({message!r}); exit(1)", "pytest"))
    _results, printed = steps_run(step)
    commands = [shlex.split(line) for line in printed.splitlines() if line.startswith("      ")]
    assert [command[-1].partition("::")[2] for command in commands] == [
        "test_it[it's]",
        "test_it[a - b]",
        r"test_it[a\nb]",
    ]
    for command in commands:
        assert "CCM_SEED=7" in command[: command.index(".venv/bin/python")]
        assert command[command.index("-m") :][:-1] == ["-m", "pytest", "-p", "tests.tools.no_processes", "-m", "soak"]


def test_a_program_that_is_not_there_fails_its_step_only():
    results, printed = steps_run(Step("a", "about a", ("no-such-program",)), shell("b", "true"))
    assert {name: result.status for name, result in results.items()} == {"a": 127, "b": 0}
    assert "\n== about a: FAILED after N s, N s of CPU\nno-such-program: No such file or directory\n" in printed


def test_programs_of_an_environment_that_was_moved_are_named(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/program").write_text("#!/nowhere/bin/python\n")
    (tmp_path / "bin/program").chmod(0o755)
    (tmp_path / "bin/python").symlink_to("/nowhere/bin/python")
    _results, printed = steps_run(Step("a", "about a", (f"{tmp_path}/bin/program",)))
    assert f"\n{tmp_path}/bin/program: what its first line names is not there; where it is in .venv:" in printed
    with pytest.raises(SystemExit, match=r"there is no Python that runs in .*: make clean"):
        require_python(tmp_path)


def test_steps_run_side_by_side_and_alone(tmp_path):
    """The first two wait for each other; what runs alone finds that neither runs."""
    meet = "touch {own}; until [ -e {other} ]; do sleep 0.01; done; touch {own}.done"
    first = shell("a", meet.format(own=tmp_path / "a", other=tmp_path / "b"))
    second = shell("b", meet.format(own=tmp_path / "b", other=tmp_path / "a"))
    alone = shell("c", f"[ -e {tmp_path}/a.done ] && [ -e {tmp_path}/b.done ]", alone=True)
    _results, printed = steps_run(first, second, alone)
    assert "All 3 steps passed" in printed, printed


def test_an_answer_is_a_variable_of_later_steps():
    answering = shell("a", "echo asked; echo no luck", answers="CCM_HOSTS")
    later = shell("b", '[ "$CCM_HOSTS" = "no luck" ]', after=("a",))
    results, printed = steps_run(answering, later, shell("c", "false", after=("a",), needs_hosts=True))
    assert [results[name].status for name in "abc"] == [0, 0, 0]
    assert "left out: about c: needs hosts: no luck\n" in printed


def test_what_the_tests_on_hosts_do_is_done_where_no_host_boots(tmp_path):
    done = shell("b", f"touch {tmp_path}/done", after=("a",), hosts_do=True)
    _results, printed = steps_run(shell("a", "echo boot", answers="CCM_HOSTS"), done)
    assert "left out: about b: the tests on hosts do it\n" in printed
    assert not (tmp_path / "done").exists()
    steps_run(shell("a", "echo no luck", answers="CCM_HOSTS"), done)
    assert (tmp_path / "done").exists()


def test_silent_steps_are_named_while_they_run(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "SILENCE", 0)
    named = tmp_path / "named"

    def say(text):
        if re.fullmatch(rb"   still running: about a, \d+ s  half\n", text):
            named.touch()

    step = shell("a", f"echo half; until [ -e {named} ]; do sleep 0.01; done")
    assert [result.status for result in Run([step, shell("b", "true")], dict(os.environ), 4, say).all()] == [0, 0]


def test_a_step_that_closes_its_output_does_not_hold_up_others(tmp_path):
    waiting = shell("a", f"exec > /dev/null 2>&1; until [ -e {tmp_path}/b ]; do sleep 0.01; done")
    results, _printed = steps_run(waiting, shell("b", "true"), shell("c", f"touch {tmp_path}/b", after=("b",)))
    assert [results[name].status for name in "abc"] == [0, 0, 0]


@pytest.mark.parametrize(("output", "reason"), [(">&-", "it is closed"), ("> /dev/full", "No space left on device")])
@pytest.mark.parametrize("words", ["--list check", "--as a -- echo it"])
def test_output_that_cannot_be_written_is_named_in_one_line(words, output, reason):
    command = ["sh", "-c", f"{sys.executable} -m tests.tools.steps {words} {output}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"standard output: {reason}\n")


def test_a_step_does_not_wait_for_background_processes(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    results, _printed = steps_run(shell("a", f"echo it; cat {tmp_path}/fifo & exit 0"), shell("b", "true"))
    assert results["a"].output == "it\n"
    (tmp_path / "fifo").write_text("")


@pytest.mark.parametrize(
    ("number", "grace", "step"),
    [
        *((number, 60, "trap 'exit' INT; {run}") for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
        (signal.SIGTERM, 0, "sh -c \"trap '' INT; {run}\" & wait"),
    ],
)
def test_steps_and_what_they_started_end_with_the_runner(tmp_path, number, grace, step):
    """They can clean up; what ignores the signal is killed."""
    os.mkfifo(tmp_path / "fifo")
    script = step.format(run=f"exec > {tmp_path}/fifo; echo runs; while :; do sleep 0.01; done")
    runner = f"""
import sys
from tests.tools import running, steps
running.GRACE = {grace}
steps.unwind()
sys.exit(steps.main(["--as", "it", "--", "sh", "-c", {script!r}]))
"""
    process = subprocess.Popen([sys.executable, "-c", runner], cwd=ROOT, stdout=subprocess.DEVNULL)
    with open(tmp_path / "fifo") as output:
        assert output.readline() == "runs\n"
        process.send_signal(number)
        assert process.wait() == 128 + number
        assert output.read() == ""


def test_a_step_gets_the_listed_variables_only(tmp_path):
    environ = {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "LANG": "de_DE",
        "CCM_SEED": "5",
        "PIP_INDEX_URL": "x",
        "TZ": "Mars",
    }
    command = [sys.executable, "-I", ROOT / "tests/tools/environment.py", "MORE=1", "env"]
    printed = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout
    names = {line.partition("=")[0] for line in printed.splitlines()}
    assert names >= {"PATH", "LC_ALL", "CCM_SEED", "PIP_INDEX_URL", "MORE"}
    assert not names & {"PYTHONUNBUFFERED", "LANG", "TZ"}


def test_tests_get_the_listed_variables_only(tmp_path):
    tests = """
import os
from tests.unit import layout

def test_it():
    assert "TZ" not in os.environ and "PYTHONUNBUFFERED" not in os.environ
    assert os.environ["LC_ALL"] == "C.UTF-8"
    assert layout.tracked("Makefile")
    assert "CCM_HIERA_DATA" not in os.environ
    assert os.umask(0o022) == 0o022
"""
    variables = {
        "GIT_DIR": str(tmp_path),
        "CCM_HIERA_DATA": "/nonexist",
        "TZ": "Mars",
        "PYTHONUNBUFFERED": "1",
        "LC_ALL": "POSIX",
    }
    os.umask(0o077)
    try:
        status, message = output_of_pytest(tmp_path, tests, "-p", "tests.conftest", **variables)
    finally:
        os.umask(UMASK)
    assert status == 0, message


def test_the_listed_settings_are_those_that_the_tests_read():
    """The settings of ccm itself are not among them."""
    reads = re.compile(r"""(?:os\.environ(?:\.get)?[(\[]|number\()"(CCM_\w+)"|\$\{(CCM_\w+)""")
    files = [name for name in tracked("tests", "extensions", "Makefile") if name.name != "test_steps.py"]
    found = {a or b for name in files for a, b in reads.findall((ROOT / name).read_text(encoding="utf-8"))}
    set_by_what_starts_it = {"CCM_STATE", "CCM_RECORD", "CCM_MOLECULE_FILES", "CCM_MOLECULE_LIMIT"}
    assert {name for name in kept_names() if name.startswith("CCM_")} == found - set_by_what_starts_it


@pytest.mark.parametrize("name", ["a blank", "it's", "a:colon", "long" * 50])
def test_a_checkout_whose_path_programs_cannot_have_gets_no_environment(tmp_path, name):
    (tmp_path / name / "tests/tools").mkdir(parents=True)
    shutil.copy(ROOT / "tests/tools/venv", tmp_path / name / "tests/tools")
    command = [tmp_path / name / "tests/tools/venv", "dev"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"cannot start from {tmp_path}/{name}: move the checkout to a path" in done.stderr


@pytest.mark.parametrize("target", TARGETS)
def test_installations_and_their_duration_are_announced(target):
    message = targets.announced(target)
    assert re.match(rf"make {target}: .*\.\nTime on two quiet cores: .*\.\n", message)
    assert re.search(
        r"^(Nothing is installed into this system\.|Installed into this system, by apt-get: .+\.)$", message, re.M
    )


def test_what_the_guides_install_is_announced(monkeypatch):
    monkeypatch.setattr(targets.shutil, "which", lambda _program: None)
    for page_was_changed in (True, False):
        monkeypatch.setattr(targets, "changed", lambda _page, changed=page_was_changed: changed)
        installed = [target for target in ("guides", "test", "unit") if "rpm" in targets.missing(target)]
        assert installed == (["guides", "test"] if page_was_changed else ["guides"])
    monkeypatch.setattr(targets.shutil, "which", lambda program: f"/usr/bin/{program}")
    assert "rpm" not in targets.missing("guides")


def test_make_takes_a_python_whose_path_has_a_blank(tmp_path):
    (tmp_path / "a python").symlink_to(os.path.realpath(sys.executable))
    command = ["make", "--silent", f"PYTHON={tmp_path}/a python", "help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("make demo"), done.stderr


def test_an_unknown_target_is_named():
    with pytest.raises(SystemExit, match="no such target: nonsense; there are demo, check, "):
        targets.announced("nonsense")


def test_marked_tests_are_left_out_of_make_check_and_others_fail_that_start_a_process(tmp_path):
    tests = """
import os, subprocess, threading, pytest
from tests.tools.no_processes import starts_processes

def test_none():
    pass

@pytest.mark.starts_processes
def test_marked():
    assert False

@pytest.mark.parametrize("command", ["", pytest.param("true", marks=pytest.mark.starts_processes)])
def test_one_case_is_marked(command):
    assert not command

@pytest.fixture
@starts_processes
def made():
    assert False

@pytest.fixture
def made_of_it(made):
    pass

def test_uses_a_marked_fixture(made_of_it):
    pass

def test_popen():
    assert subprocess.run(["true"]).returncode == 0

def test_fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)

def test_in_a_thread():
    thread = threading.Thread(target=os.system, args=("true",))
    thread.start()
    thread.join()

def test_catches_everything():
    try:
        subprocess.run(["no-such-program"])
    except BaseException:
        pass

@pytest.fixture
def unmarked():
    subprocess.run(["true"])

def test_uses_an_unmarked_fixture(unmarked):
    pass

def test_fails_as_well():
    subprocess.run(["true"])
    assert False, "for its own reason"
"""
    options = ("-p", "tests.tools.no_processes", "-n", "2", "-W", "error", "-o", "markers=starts_processes")
    status, message = output_of_pytest(tmp_path, tests, *options)
    assert status == 1
    assert "6 failed, 2 passed in" in message, message
    for started in (
        "subprocess.Popen 'true'",
        "os.fork",
        "os.system b'true'",
        "subprocess.Popen 'no-such-program'",
        "subprocess.Popen 'true' in the fixture unmarked",
    ):
        assert f"it starts a process ({started}): mark it starts_processes, or " in message
    assert "AssertionError: for its own reason" in message


def test_skipped_tests_have_one_line_for_each_missing_requirement(tmp_path):
    tests = """
import pytest

@pytest.mark.needs("hosts")
@pytest.mark.parametrize("number", range(3))
def test_hosts(number):
    pass

@pytest.mark.needs("fish")
def test_fish():
    pass
"""
    (tmp_path / "bin").mkdir()
    away = {"PATH": str(tmp_path / "bin"), "CCM_HOSTS": "a host does not boot: no luck", "CCM_REQUIRE": ""}
    given = ("-p", "tests.conftest", "-W", "ignore")
    status, message = output_of_pytest(tmp_path, tests, *given, **away)
    assert status == 0
    assert message.count("left out") == 2
    assert "left out: 3 tests: needs hosts: a host does not boot: no luck\n" in message
    assert "left out: 1 test: needs fish: there is no fish\n" in message
    status, message = output_of_pytest(tmp_path, tests, *given, **{**away, "CCM_REQUIRE": "hosts"})
    assert status == 1
    assert message.count("needs hosts, which CCM_REQUIRE demands: a host does not boot: no luck") >= 3


@pytest.mark.parametrize("with_state", [False, True])
def test_an_unknown_requirement_is_named_and_removes_nothing(tmp_path, monkeypatch, with_state):
    kept = tmp_path / "state/kept"
    kept.parent.mkdir()
    kept.touch()
    monkeypatch.delenv("CCM_STATE")
    if with_state:
        monkeypatch.setenv("CCM_STATE", str(kept.parent))
    status, message = output_of_pytest(tmp_path, "", "-p", "tests.conftest", CCM_REQUIRE="nonsense")
    assert (status, message) == (4, "ERROR: CCM_REQUIRE asks for what nobody knows: nonsense\n\n")
    assert kept.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "nosuch/*"], "no case in .* has a name like nosuch/\\*"),
        (["--jobs", "0"], "argument --jobs: not a whole number above 0: '0'"),
    ],
)
def test_cases_that_are_not_there_do_not_pass(monkeypatch, capsys, words, message):
    monkeypatch.setattr(sys, "argv", ["run.py", "--ccm", sys.executable, *words])
    with pytest.raises(SystemExit, match="2"):
        run.main()
    assert re.search(rf"error: {message}\n$", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("CCM_PATIENCE", "abc", "number above 0"),
        ("CCM_PATIENCE", "nan", "number above 0"),
        ("CCM_SILENCE", "-1", "number above 0"),
        ("CCM_SEED", "x", "whole number, 0 or more"),
    ],
)
def test_a_setting_that_is_no_number_is_named(tmp_path, name, value, kind):
    variables = {"CCM_PATIENCE": "", "CCM_SILENCE": "", "CCM_SEED": "", name: value}
    line = f"{name} is {value!r}: give it a {kind}\n"
    command = [sys.executable, "-m", "tests.tools.targets", "soak"]
    environ = {**os.environ, **variables}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)
    if name != "CCM_SILENCE":
        assert output_of_pytest(tmp_path, "", "-p", "tests.conftest", **variables) == (1, line)


@pytest.mark.parametrize("number", ["HUP", "INT", "QUIT"])
def test_signals_that_the_caller_ignores_are_not_ignored_in_tests(tmp_path, number):
    tests = f"""
import subprocess

def test_it():
    assert subprocess.run(["sh", "-c", "kill -{number} $$; true"]).returncode < 0
"""
    (tmp_path / "pytest.ini").write_text(INI, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", f"--rootdir={tmp_path}", "-c", tmp_path / "pytest.ini"]
    command += ["-p", "tests.conftest", tmp_path]
    ignoring = ["env", f"--ignore-signal={number}"]
    done = subprocess.run([*ignoring, *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("roots", ["relative", "/with a blank", "/with,comma"])
@pytest.mark.parametrize("program", ["extensions/molecule/hosts/base", "tests/fresh/run"])
def test_roots_of_hosts_have_an_absolute_and_plain_path(program, roots):
    environ = {**os.environ, "CCM_TEST_ROOTS": roots}
    done = subprocess.run([ROOT / program, "--missing"], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"CCM_TEST_ROOTS is {roots!r}: give it an absolute path")


@pytest.mark.needs("mounts")
def test_read_only_control_groups_prevent_test_hosts(tmp_path):
    script = (
        "for group in $(awk '$3 ~ /^cgroup/ { print $2 }' /proc/mounts); do mount -o remount,bind,ro $group; done; "
    )
    command = f"{sys.executable} {ROOT}/extensions/molecule/hosts/host.py obstacle"
    message = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script + command], capture_output=True, text=True, check=True
    )
    assert message.stdout == "control groups cannot be written: Read-only file system"


@pytest.mark.needs("root", "setpriv")
@pytest.mark.parametrize(
    "inheritable",
    [
        pytest.param([], id="none"),
        # Only a capability that a process has can be inherited.
        pytest.param(["setpriv", "--inh-caps=+sys_admin", "--"], id="sys_admin", marks=pytest.mark.needs("mounts")),
    ],
)
def test_a_root_without_permission_to_mount_has_no_test_hosts(inheritable):
    """One that programs inherit, as below systemd-nspawn, is not dropped with the bounding set alone."""
    drop = ["setpriv", "--inh-caps=-sys_admin", "--bounding-set=-sys_admin", "--"]
    command = [*inheritable, *drop, sys.executable, ROOT / "extensions/molecule/hosts/host.py", "obstacle"]
    message = subprocess.run(command, capture_output=True, text=True, check=True)
    assert message.stdout == "this root may not mount file systems (CAP_SYS_ADMIN)"
