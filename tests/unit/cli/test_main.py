# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a whole: help, usage, errors without a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

import pytest
from ccm.version import VERSION

from tests.patience import PATIENCE, wait_until
from tests.unit.layout import CCM
from tests.unit.processes import is_running

COMMANDS = [
    "apply", "completion", "ensure", "ensure api", "ensure api piped", "ensure exec", "ensure file", "facts", "hiera",
    "hiera facts", "hiera parse", "session", "session new", "session report", "status",
]  # fmt: skip


def test_version(ccm):
    assert [(ran.out, ran.err) for ran in (ccm("--version"), ccm("apply", "--version"))] == [("", f"{VERSION}\n")] * 2


def test_without_a_command_first_steps_and_usage_are_printed(ccm):
    ran = ccm()
    assert (ran.status, ran.out) == (0, "")
    steps, usage = ran.err.split("\n\n", 1)
    first, *rows = steps.splitlines()
    assert first == "Begin with:"
    assert [row.split()[1] for row in rows] == ["new", "lint", "plan", "apply", "docs"]
    assert rows[3] == "  ccm apply manifest.yaml  Apply a manifest"
    assert usage.startswith("usage: ccm [<flags>] <command> [<args> ...]\n")
    assert max(map(len, ran.err.splitlines())) <= 80
    assert "Begin with" not in ccm("--help").err + ccm("facts", "--help").err
    for name in ("apply", "ensure", "facts", "hiera", "session", "status"):
        assert f"\n  {name} " in ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_help_on_stderr(ccm, command):
    ran = ccm(*command.split(), "--help")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.startswith(f"usage: ccm {command}")
    assert re.search(r"Global Flags:\n *--help ", ran.err)
    assert max(map(len, ran.err.splitlines())) <= 80
    assert ccm("help", *command.split()).err == ran.err


def test_help_names_the_values_of_a_flag(ccm):
    text = ccm("ensure", "exec", "--help").err
    for line in (
        "  <command>  Command to execute\n",
        '      --timeout="1m" ',
        "  -e, --environment=KEY=VALUE ...  \n",
        "      --returns=0 ... ",
        "      --refresh-only ",
        "      --exec-if=COMMAND ",
        "  -S, --subscribe=type#name ... ",
        '--hiera=".hiera" ',
        "Hiera data file to use as data source",
        "  --[no-]read-env ",
    ):
        assert line in text


def test_help_of_ensure_names_only_supported_types(ccm):
    text = ccm("ensure", "--help").err
    names = [line.split()[1] for line in text.splitlines() if line.startswith("  ensure ")]
    assert names
    for name in names:
        assert ccm("ensure", name, "--help").status == 0


def test_a_wrong_command_line_shows_usage(ccm):
    ran = ccm("apply", "a", "b")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("error: unexpected argument b\n\nusage: ccm apply [<flags>] <manifest>\n")
    assert ran.err.endswith("Pass --help to see global flags applicable to this command.\n")


def test_a_wrong_value_shows_no_usage(ccm):
    ran = ccm("apply", "m", "--fact", "x")
    assert (ran.status, ran.err) == (1, "ccm: error: expected KEY=VALUE got 'x'\n")


def test_an_error_has_position_line_and_advice(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text("ccm:\n  resources:\n    - file:\n        - /a: {ensur: present}\n")
    ran = ccm("apply", "m.yaml")
    assert (ran.status, ran.out) == (1, "")
    first, place, *more = ran.err.splitlines()
    assert first.startswith("ccm: error: invalid manifest resource 1: ")
    assert "ensur" in first
    assert place == "  at m.yaml:4:16 (ensur of file#/a)"
    assert "- /a: {ensur: present}" in "\n".join(more)


def test_a_line_that_can_contain_a_secret_is_hidden(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text("ccm:\n  resources:\n    - file:\n        - /a: {my_password: hunter2}\n")
    ran = ccm("apply", "m.yaml")
    assert "my_password" in ran.err
    assert "at m.yaml:4" in ran.err
    assert "hunter2" not in ran.err


def test_a_line_with_the_password_of_a_url_is_hidden(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "ccm:\n  resources:\n    - archive:\n        - /tmp/a.tgz:\n            urll: http://joe:hunter2@h/a.tgz\n"
    )
    ran = ccm("apply", "m.yaml")
    assert 'unknown property "urll" in archive, did you mean "url"?' in ran.err
    assert "hunter2" not in ran.err


@pytest.mark.parametrize(
    "raised",
    [
        RecursionError("x"),
        MemoryError(),
        OSError(28, "No space left", "/x/y"),
        PermissionError(13, "Permission denied"),
    ],
)
def test_limits_of_the_system_are_reported(ccm, monkeypatch, raised):
    def fail(prefix):
        raise raised

    monkeypatch.setattr("ccm.cli.session.make_temporary_directory", fail)
    ran = ccm("session", "new")
    assert ran.status == 1
    assert ran.err.startswith("ccm: error: ")
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.starts_processes
def test_names_that_are_not_utf8_are_printed_unchanged(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff"
    done = subprocess.run([*CCM, "session", "new", "--directory", name], capture_output=True, check=True)
    assert done.stdout == b"export CCM_SESSION_STORE='" + name + b"'\n"
    assert os.path.isdir(name)


@pytest.mark.starts_processes
def test_a_closed_output_ends_the_command(tmp_path):
    process = subprocess.Popen([*CCM, "facts"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), error) == (141, b"")


@pytest.mark.starts_processes
def test_an_interrupt_is_reported_in_the_format_of_other_errors(ccm):
    """The command that runs sends the signal to its parent: the process of this test."""
    ran = ccm("ensure", "exec", f"kill -INT {os.getpid()}; sleep 1000", "--provider", "shell")
    assert (ran.status, ran.out, ran.err) == (130, "", "ccm: error: interrupted\n")
    words = ["--log-format", "json", "ensure", "exec", f"kill -INT {os.getpid()}; sleep 1000", "--provider", "shell"]
    ran = ccm(*words)
    line = json.loads(ran.err)
    assert (ran.status, ran.out, line.pop("time") > "2") == (130, "", True)
    assert line == {"level": "ERROR", "msg": "interrupted", "fields": {}}


@pytest.mark.parametrize(
    ("words", "message", "advice"),
    [
        (["--log-format=json", "--bogus"], "unknown long flag '--bogus'", "see: ccm --help"),
        (["facts", "a", "b", "--log-format", "json"], "unexpected argument b", "see: ccm facts --help"),
        (
            ["--log-format", "json", "ensure", "exec", "x", "--check-tries", "many"],
            "expected a whole number got 'many'",
            "",
        ),
    ],
)
def test_invalid_command_lines_are_reported_in_json(ccm, words, message, advice):
    ran = ccm(*words)
    line = json.loads(ran.err)
    assert (ran.status, ran.out, line["level"], line["msg"]) == (1, "", "ERROR", message)
    assert line["fields"] == ({"advice": advice} if advice else {})


@pytest.mark.parametrize("words", [["--bogus", "--", "--log-format=json"], ["--bogus"]])
def test_invalid_command_lines_are_reported_with_usage(ccm, words):
    assert ccm(*words).err.startswith("error: unknown long flag '--bogus'\n\nusage: ccm ")


def test_a_removed_current_directory_is_reported(ccm, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    ran = ccm("status", "file", "relative")
    assert (ran.status, ran.err) == (1, "ccm: error: the current directory: no such file or directory\n")


@pytest.mark.starts_processes
def test_an_interrupt_ends_the_command(tmp_path):
    execs = f"[{{'true': {{}}}}, {{touch started: {{cwd: {tmp_path}}}}}, {{sleep 1000: {{}}}}]"
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{{exec: {execs}}}]}}")
    process = subprocess.Popen(
        [*CCM, "apply", "m.yaml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None, process.stderr.read()
    os.killpg(process.pid, signal.SIGINT)
    output, error = process.communicate()
    assert (process.returncode, error) == (130, b"ccm: error: interrupted\n")
    assert b" WARN  exec#true changed " in output
    assert b"Manifest Run Summary" not in output


@pytest.mark.starts_processes
def test_an_interrupt_with_a_closed_output_ends_the_command(tmp_path):
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [{{exec: [{{'touch started': {{cwd: {tmp_path}}}}}, {{sleep 1000: {{}}}}]}}]}}"
    )
    script = '"$@" | head -n 1'
    process = subprocess.Popen(
        ["sh", "-c", script, "sh", *CCM, "apply", "m.yaml"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_until(lambda: process.poll() is not None or (tmp_path / "started").exists())
    # The result depends on which is noticed first; the process can already be at its end, because its output is
    # closed.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    assert (tmp_path / "started").exists()
    assert process.communicate()[1] in (b"", b"ccm: error: interrupted\n")


@pytest.mark.starts_processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_also_ends_the_running_command(tmp_path, number):
    command = "/bin/sh -c 'echo $$ > pid; mv pid its; exec sleep 1000'"
    (tmp_path / "m.yaml").write_text(f'ccm: {{resources: [{{exec: [{{"{command}": {{cwd: {tmp_path}}}}}]}}]}}')
    process = subprocess.Popen(
        [*CCM, "apply", "m.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    wait_until(lambda: (tmp_path / "its").exists() or process.poll() is not None)
    process.send_signal(number)
    assert process.communicate()[1] == b""
    assert process.returncode == -number
    wait_until(lambda: not is_running(int((tmp_path / "its").read_text())))


@pytest.mark.starts_processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_a_signal_leaves_no_temporary_file(tmp_path, number):
    with open(tmp_path / "source", "wb") as source:
        source.truncate(2**40)
    os.mkdir(tmp_path / "there")
    words = [*CCM, "ensure", "file", tmp_path / "there/target", "--source", tmp_path / "source"]
    limited = ["sh", "-c", 'ulimit -f 2000000; exec "$@"', "sh", *words]
    process = subprocess.Popen(limited, stdout=subprocess.DEVNULL)
    wait_until(lambda: any(entry.stat().st_size for entry in (tmp_path / "there").iterdir()) or process.poll())
    process.send_signal(number)
    assert process.wait() == (130 if number == signal.SIGINT else -number)
    assert os.listdir(tmp_path / "there") == []


# A program of which a signal comes in a destructor, whose exceptions Python drops.
DROPPED = """
import os
from ccm.cli import main
class Dropped:
    def __del__(self):
        os.kill(os.getpid(), {number})
def run(words, is_process):
    Dropped()
    for _step in range(10**9):
        pass
    return 0
main._run = run
raise SystemExit(main.main())
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_a_signal_counts_where_python_drops_exceptions(number):
    done = subprocess.run(
        [sys.executable, "-c", DROPPED.format(number=int(number))], stderr=subprocess.PIPE, check=False
    )
    if number == signal.SIGINT:
        assert (done.returncode, done.stderr) == (130, b"ccm: error: interrupted\n")
    else:
        assert (done.returncode, done.stderr) == (-number, b"")


@pytest.mark.starts_processes
def test_nohup_is_respected(tmp_path):
    waits = f"sh -c 'until test -e {tmp_path}/go; do sleep 0.01; done'"
    execs = f'[{{touch started: {{cwd: {tmp_path}}}}}, {{"{waits}": {{}}}}]'
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{{exec: {execs}}}]}}")
    process = subprocess.Popen(["nohup", *CCM, "apply", "m.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    wait_until(lambda: (tmp_path / "started").exists() or process.poll() is not None)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    assert process.wait(PATIENCE) == 0


@pytest.mark.starts_processes
def test_a_full_disk_while_errors_are_written():
    with open("/dev/full", "w") as full:
        assert subprocess.run([*CCM, "apply", "nowhere.yaml"], stderr=full, check=False).returncode == 1


@pytest.mark.starts_processes
def test_a_full_disk_while_output_is_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*CCM, "hiera", "facts", "a=1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        1,
        "ccm: error: cannot write to standard output: no space left on device\n",
    )


@pytest.mark.starts_processes
def test_a_full_disk_while_the_log_of_a_run_is_written(tmp_path):
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: 'true'}}]}")
    with open("/dev/full", "w") as full:
        done = subprocess.run([*CCM, "apply", tmp_path / "m.yaml"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith(b"ccm: error: cannot write to standard output: no space left on device\n")


@pytest.mark.starts_processes
def test_ignored_signals_stay_ignored(tmp_path):
    waits = f"sh -c 'until test -e {tmp_path}/go; do sleep 0.01; done'"
    execs = f'[{{touch started: {{cwd: {tmp_path}}}}}, {{"{waits}": {{}}}}]'
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{{exec: {execs}}}]}}")
    ignoring = ["sh", "-c", 'trap "" QUIT HUP; exec "$@"', "sh"]
    process = subprocess.Popen([*ignoring, *CCM, "apply", "m.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    wait_until(lambda: (tmp_path / "started").exists() or process.poll() is not None)
    process.send_signal(signal.SIGQUIT)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    assert process.wait(PATIENCE) == 0


@pytest.mark.starts_processes
def test_no_module_from_variables_or_the_current_directory_is_imported(tmp_path):
    for folder in ("variable", "bin"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "json.py").write_text("raise SystemExit('not this one')")
        (tmp_path / folder / "ccm.py").write_text("raise SystemExit('not this one')")
    script = tmp_path / "bin/command"
    script.write_text(pathlib.Path(CCM[-1]).read_text(encoding="utf-8"), encoding="utf-8")
    for variables in ({}, {"PYTHONPATH": str(tmp_path / "variable")}):
        environment = {"PATH": os.environ["PATH"], **variables}
        done = subprocess.run([sys.executable, script, "--version"], env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b""), done.stderr


@pytest.mark.starts_processes
def test_a_variable_that_lets_python_go_on_at_the_end_is_not_heeded():
    environment = {**os.environ, "PYTHONINSPECT": "1"}
    done = subprocess.run(
        [*CCM, "apply"], input="print('go on')", env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr


@pytest.mark.starts_processes
def test_python_that_is_started_again_for_its_encoding_stays_isolated():
    command = [sys.executable, "-I", "-X", "utf8=0", CCM[1], "lint", "-"]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    words = pathlib.Path(f"/proc/{process.pid}/cmdline")
    wait_until(lambda: b"utf8" in words.read_bytes().split(b"\0"))
    assert b"-I" in words.read_bytes().split(b"\0")
    process.communicate(b"{}")


@pytest.mark.starts_processes
def test_where_python_adds_no_directory_to_the_path_of_modules_none_is_removed():
    code = f"""if True:
        import sys
        sys.argv, before = [{CCM[-1]!r}, "--version"], list(sys.path)
        try:
            exec(open({CCM[-1]!r}).read())
        except SystemExit:
            assert sys.path == before
    """
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL, check=True)


@pytest.mark.starts_processes
def test_a_signal_that_the_caller_blocks_ends_it(tmp_path):
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [{{exec: [{{touch started: {{cwd: {tmp_path}}}}}, {{sleep 50: {{}}}}]}}]}}"
    )
    process = subprocess.Popen(
        ["env", "--block-signal=TERM", *CCM, "apply", "m.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None
    process.terminate()
    assert process.wait() == -signal.SIGTERM


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", [["apply", "--parallel", "2"], ["watch"]], ids=["apply", "watch"])
@pytest.mark.parametrize("most", [0, 1])
def test_where_no_more_threads_can_be_made_those_that_there_are_do_the_work(ccm, tmp_path, monkeypatch, words, most):
    """Without any the error is reported."""
    start, threads = threading.Thread.start, []

    def start_if_allowed(thread):
        if len(threads) == most:
            raise RuntimeError("can't start new thread")
        threads.append(thread)
        start(thread)

    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: [{'true': {}}, {'sleep 0': {}}]}]}")
    monkeypatch.setattr(threading.Thread, "start", start_if_allowed)
    done = ccm(*words, "m.yaml", *(["--exit-converged", "10ms"] if words == ["watch"] else []))
    assert len(threads) == most
    if most:
        assert (done.status, done.out.count(" changed "), done.err) == (0, 2, "")
    else:
        error = "ccm: error: could not start a thread: resource temporarily unavailable\n"
        assert (done.status, done.out.count(" changed "), done.err) == (1, 0, error)


GONE = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "words",
    [
        ["facts", "host.info.os"],
        ["ensure", "exec", "true"],
        ["ensure", "exec", "true", "--hiera", "/none"],
        ["apply", "ABSOLUTE"],
        ["plan", "ABSOLUTE", "--json"],
        ["lint", "ABSOLUTE"],
    ],
)
def test_a_missing_current_directory_matters_only_for_relative_paths(tmp_path, words):
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: [{'true': {creates: /}}]}]}")
    words = [str(tmp_path / "m.yaml") if word == "ABSOLUTE" else word for word in words]
    done = subprocess.run(["sh", "-c", GONE, "sh", *CCM, *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.starts_processes
def test_a_relative_path_in_a_missing_current_directory_is_reported(tmp_path):
    words = ["sh", "-c", GONE, "sh", *CCM, "apply", "m.yaml"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "ccm: error: open m.yaml: no such file or directory\n")


@pytest.mark.starts_processes
@pytest.mark.parametrize("text", [b"\0", b"data: 1 \x1f\n", b"data: \xff\0\n", bytes(range(256))])
def test_arguments_that_are_not_utf8(tmp_path, text):
    # In a process of its own, where PyYAML is not imported yet.
    (tmp_path / "m.yaml").write_bytes(text)
    done = subprocess.run([*CCM, "apply", tmp_path / "m.yaml"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.match(r"ccm: error: \S+/m.yaml is not YAML: .+\n  at \S+/m.yaml:\d+:\d+\n", done.stderr)


@pytest.mark.starts_processes
def test_a_closed_input():
    pipe = ["ensure", "api", "pipe"]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *CCM, *pipe], capture_output=True, text=True, check=False)
    nothing = subprocess.run([*CCM, *pipe], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (nothing.returncode, nothing.stdout, nothing.stderr)
    assert "Traceback" not in nothing.stderr


@pytest.mark.starts_processes
def test_closed_outputs():
    done = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *CCM, "apply"], check=False)
    assert done.returncode == 1


@pytest.mark.starts_processes
@pytest.mark.parametrize("held", ["by a frame", "by itself"])
def test_a_signal_removes_the_open_hidden_file(tmp_path, held):
    """Neither references from the frames of the exception nor reference cycles keep the file."""
    code = f"""if True:
        import os
        from ccm.cli import main
        from ccm.host.hidden_files import HiddenFile

        def interrupted(words, is_process):
            file = HiddenFile(os.open({str(tmp_path)!r}, os.O_PATH), "x")
            if {held == "by itself"}:
                file.itself = file
            os.listdir({str(tmp_path)!r})[0]
            os.kill(os.getpid(), 15)

        main._run = interrupted
        main.main()
    """
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert (ended.returncode, os.listdir(tmp_path)) == (-15, [])
