# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands: output, environment, search path, deadlines, and errors of the operating system at the start."""

from __future__ import annotations

import _thread
import contextlib
import errno
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from ccm.host import command_output, commands
from ccm.host.command_errors import (
    CommandError,
    CommandKilled,
    CommandNotFound,
    CommandNotStarted,
    CommandTimedOut,
)
from ccm.host.commands import run
from ccm.host.programs import find_program
from ccm.host.queries import query
from ccm.host.results import decode
from ccm.host.running_commands import RunningCommands

from tests.patience import PATIENCE, wait_until
from tests.unit.processes import is_running

MS = 1_000_000
PLAIN = ["LANG=C", "LC_ALL=C", "PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin"]


def sh(script, **options):
    return run(["/bin/sh", "-c", script], **options)


def script(path, text="#!/bin/sh\necho here\n", mode=0o755):
    path.write_text(text)
    path.chmod(mode)
    return path


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def of_process(name):
    """Return a shell command that prints a number from /proc/PID/stat: its process group or its session."""
    field = {"group": 3, "session": 4}[name]
    return f"sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f {field}"


def wait_for_the_end_of(pid):
    wait_until(lambda: not is_running(pid))


@pytest.mark.starts_processes
def test_exit_code_and_both_outputs():
    result = sh("echo out; echo err >&2; exit 7")
    assert (result.exit_code, result.stdout, result.stderr) == (7, b"out\n", b"err\n")


@pytest.mark.starts_processes
def test_no_shell_reads_the_arguments():
    assert run(["echo", "$HOME", ";", "*", ""]).stdout == b"$HOME ; * \n"


@pytest.mark.starts_processes
def test_large_outputs_are_read_to_the_end():
    result = sh("head -c 3000000 /dev/zero & head -c 2000000 /dev/zero >&2; wait")
    assert (len(result.stdout), len(result.stderr)) == (3_000_000, 2_000_000)


@pytest.mark.starts_processes
def test_the_environment_is_not_inherited(monkeypatch):
    monkeypatch.setenv("LEAK", "yes")
    assert sorted(decode(run(["env"]).stdout).splitlines()) == PLAIN


@pytest.mark.starts_processes
def test_environment_entries_are_added_and_the_last_one_overrides():
    found = decode(run(["env"], environment=["A=1", "B=x=y", "A=2", "LANG=de", "E="]).stdout).splitlines()
    assert sorted(found) == sorted(["A=2", "B=x=y", "E=", "LANG=de", *PLAIN[1:]])


@pytest.mark.parametrize(("entry", "reason"), [("AB", "missing '='"), ("=x", "empty key")])
def test_environment_entries_without_a_name_or_value(entry, reason):
    with pytest.raises(CommandError) as caught:
        run(["true"], environment=[entry])
    assert str(caught.value) == f'invalid environment variable "{entry}": {reason}'


@pytest.mark.starts_processes
def test_input_is_empty():
    assert sh("cat; readlink /proc/self/fd/0").stdout == b"/dev/null\n"


@pytest.mark.starts_processes
def test_input_can_be_given():
    text = b"secret\n" * 100_000
    assert run(["sha256sum"], stdin=text).stdout.split()[0].decode() == hashlib.sha256(text).hexdigest()


@pytest.mark.starts_processes
def test_the_command_has_a_session_and_default_signals():
    found = decode(sh(f"echo $$; {of_process('session')}").stdout).split()
    assert found[0] == found[1]
    found = decode(run(["grep", "-E", "Sig(Ign|Blk)", "/proc/self/status"]).stdout).split()
    assert found[:2] == ["SigBlk:", "0" * 16]
    assert int(found[3], 16) & (1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)) == 0


@pytest.mark.starts_processes
def test_no_other_descriptor_reaches_the_command_and_none_stays_open():
    with open("/dev/zero") as _held:
        before = descriptors()
        assert "/dev/zero" not in decode(sh("ls -l /proc/$$/fd").stdout)
        with pytest.raises(CommandNotStarted):
            run(["/nope"])
        with pytest.raises(CommandTimedOut):
            run(["sleep", "1000"], timeout=20 * MS)
        assert descriptors() == before


@pytest.mark.starts_processes
def test_standard_descriptors_of_the_caller_can_be_closed():
    code = "import os; os.closerange(0, 3)\nfrom ccm.host.commands import run\n"
    code += "done = run(['/bin/sh', '-c', 'cat; echo out; echo err >&2'])\n"
    code += "os._exit((done.stdout.strip(), done.stderr.strip()) != (b'out', b'err'))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.starts_processes
def test_the_command_runs_in_the_root_directory_and_the_caller_does_not_move(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["pwd"]).stdout == run(["pwd"], cwd="").stdout == b"/\n"
    assert decode(run(["pwd"], cwd="/usr/lib").stdout) == "/usr/lib\n"
    assert os.getcwd() == str(tmp_path)


@pytest.mark.starts_processes
def test_a_relative_program_is_relative_to_the_working_directory(tmp_path):
    script(tmp_path / "prog")
    assert run(["./prog"], cwd=str(tmp_path)).stdout == b"here\n"


@pytest.mark.starts_processes
def test_the_current_directory_can_be_a_removed_one(tmp_path, monkeypatch):
    (tmp_path / "d").mkdir()
    monkeypatch.chdir(tmp_path / "d")
    (tmp_path / "d").rmdir()
    assert run(["true"]).exit_code == 0


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_the_current_directory_can_be_unreadable(tmp_path):
    (tmp_path / "d").mkdir(mode=0o700)
    code = f"import os; os.chdir({str(tmp_path / 'd')!r})\nfrom ccm.host.commands import run\n"
    # The directory of Python itself can be unreadable for that user as well.
    code += (
        "import subprocess\nos.setegid(65534); os.seteuid(65534)\nos._exit(run(['/bin/sh', '-c', 'exit 3']).exit_code)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 3


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("cwd", "text"),
    [
        ("/nope", "chdir /nope: no such file or directory"),
        ("/etc/passwd", "chdir /etc/passwd: not a directory"),
        ("/a\0b", "chdir /a\0b: invalid argument"),
    ],
)
def test_an_invalid_working_directory(cwd, text):
    here = os.getcwd()
    with pytest.raises(CommandNotStarted) as caught:
        run(["true"], cwd=cwd)
    assert str(caught.value) == text
    assert os.getcwd() == here


@pytest.mark.parametrize("argv", [[], [""], ["", "x"]])
def test_no_command(argv):
    with pytest.raises(CommandError, match=r"^command not specified$"):
        run(argv)


def test_not_found(monkeypatch):
    with pytest.raises(CommandNotFound) as caught:
        run(["no-such-command-9"])
    assert str(caught.value) == 'exec: "no-such-command-9": executable file not found in $PATH'
    assert caught.value.argv == ["no-such-command-9"]
    monkeypatch.delenv("PATH")
    with pytest.raises(CommandNotFound):
        run(["true"])


@pytest.mark.starts_processes
def test_the_default_path_is_searched_only_for_programs(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "prog").mkdir()
    script(tmp_path / "b" / "prog", mode=0o644)
    script(tmp_path / "c" / "prog")
    monkeypatch.setenv("PATH", f"{tmp_path}/a:{tmp_path}/b:/nope:{tmp_path}/c")
    assert find_program("prog") == f"{tmp_path}/c/prog"
    assert run(["prog"]).stdout == b"here\n"
    assert find_program("other") == ""


@pytest.mark.parametrize("path", ["", ".", ":/usr/bin"])
def test_programs_of_the_current_directory_are_refused(path, tmp_path, monkeypatch):
    script(tmp_path / "prog")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    with pytest.raises(CommandNotFound) as caught:
        run(["prog"])
    assert str(caught.value) == 'exec: "prog": cannot run executable found relative to current directory'


@pytest.mark.starts_processes
def test_a_given_path_is_searched_and_passed_to_the_command(tmp_path):
    script(tmp_path / "prog", "#!/bin/sh\necho $PATH\n")
    path = f"/nope:{tmp_path}"
    assert decode(run(["prog"], path=path).stdout) == path + "\n"
    with pytest.raises(CommandNotFound):
        run(["true"], path=path)
    assert decode(run(["prog"], path=path, environment=["PATH=/x"]).stdout) == "/x\n"


@pytest.mark.starts_processes
def test_a_path_can_be_the_program_itself(tmp_path):
    program = str(script(tmp_path / "prog", '#!/bin/sh\necho "$PATH" "$@"\n'))
    assert decode(run(["anything", "a b"], path=program).stdout) == PLAIN[2][5:] + " a b\n"
    assert decode(run(["anything"], path=f"/nope:{program}").stdout) == "/nope\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("#!/bin/sh\n", 0o644, "permission denied"),
        ("no program\n", 0o755, "exec format error"),
        ("#!/no/interpreter\n", 0o755, "no such file or directory"),
    ],
)
def test_programs_that_do_not_start(text, mode, reason, tmp_path):
    program = str(script(tmp_path / "prog", text, mode))
    with pytest.raises(CommandNotStarted) as caught:
        run([program])
    assert str(caught.value) == f"fork/exec {program}: {reason}"
    assert caught.value.path == program


@pytest.mark.starts_processes
@pytest.mark.parametrize("word", ["a\0b", "\ud800", "x" * 3_000_000])
def test_arguments_that_cannot_be_passed(word):
    with pytest.raises(CommandNotStarted, match=r"fork/exec .*: (invalid argument|argument list too long)$"):
        run(["echo", word])
    with pytest.raises(CommandNotStarted, match=r"fork/exec .*: (invalid argument|argument list too long)$"):
        run(["true"], environment=["A=" + word])


@pytest.mark.starts_processes
@pytest.mark.parametrize("name", ["a\0b", "/a\0b", "\ud800", "/\ud800"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(CommandError):
        run([name])


@pytest.mark.starts_processes
def test_bytes_that_are_not_utf8_are_kept():
    assert run(["printf", "%s", b"\xff\xc3\xa9".decode("utf-8", "surrogateescape")]).stdout == b"\xff\xc3\xa9"
    assert decode(b"a\xffb\xc3\xa9") == "a\ufffdb\u00e9"


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("KILL", "signal: killed"),
        ("TERM", "signal: terminated"),
        ("HUP", "signal: hangup"),
        ("USR1", "signal: user defined signal 1"),
        ("RTMIN", "signal: signal 34"),
    ],
)
def test_killed_by_a_signal(name, text):
    with pytest.raises(CommandKilled) as caught:
        run(["bash", "-c", f"echo before; kill -{name} $$; sleep 1"])
    assert str(caught.value) == text
    assert caught.value.stdout == b"before\n"


@pytest.mark.starts_processes
def test_a_core_dump_is_reported(tmp_path):
    text = "signal: segmentation fault"
    with open("/proc/sys/kernel/core_pattern") as file:
        if not file.read().startswith("|"):
            text += " (core dumped)"
    with pytest.raises(CommandKilled) as caught:
        sh("ulimit -c unlimited && kill -SEGV $$", cwd=str(tmp_path))
    assert str(caught.value).startswith("signal: segmentation fault")
    if any(tmp_path.iterdir()):
        assert str(caught.value) == text


@pytest.mark.starts_processes
def test_a_core_dump_of_a_query_is_reported(monkeypatch):
    wait = os.waitpid
    monkeypatch.setattr(os, "waitpid", lambda pid, options: (pid, wait(pid, options)[1] | 0x80))
    with pytest.raises(CommandKilled, match=r"^signal: terminated \(core dumped\)$"):
        query(["sh", "-c", "kill -TERM $$"])


@pytest.mark.starts_processes
def test_the_deadline_kills_the_command_and_its_children(tmp_path):
    started = time.monotonic()
    with pytest.raises(CommandTimedOut) as caught:
        sh("echo first; (sleep 1000 & echo $! > child; wait) & wait", cwd=str(tmp_path), timeout=1000 * MS)
    assert str(caught.value) == "context deadline exceeded"
    assert (caught.value.stdout, caught.value.timeout) == (b"first\n", 1000 * MS)
    assert time.monotonic() - started >= 1
    wait_for_the_end_of(int((tmp_path / "child").read_text()))


@pytest.mark.starts_processes
def test_the_deadline_holds_for_a_command_that_closed_its_output():
    with pytest.raises(CommandTimedOut):
        sh("exec >&- 2>&-; sleep 1000", timeout=200 * MS)


@pytest.mark.starts_processes
def test_the_deadline_holds_for_a_command_that_never_stops_writing():
    with pytest.raises(CommandTimedOut):
        run(["yes"], timeout=50 * MS)


@pytest.fixture(params=["descriptor", "no descriptor", "Python 3.8"])
def exits_known_by(request, monkeypatch):
    """How the exit of a command is noticed while its output is open."""
    if request.param == "Python 3.8":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    elif request.param == "no descriptor":

        def refused(pid):
            raise OSError(errno.ENOSYS, "")

        monkeypatch.setattr(os, "pidfd_open", refused, raising=False)


@pytest.fixture
def child(tmp_path):
    """A shell command that starts a child, which keeps the output open until `let_go` is called; it runs in tmp_path.

    Then it writes to the output, and if it can, `wrote` exists.
    """
    os.mkfifo(tmp_path / "gate")

    class Child:
        start = "sh -c 'read -r _ < gate; echo late; : > wrote' & echo $! > child"
        wrote = tmp_path / "wrote"

        @property
        def pid(self):
            return int((tmp_path / "child").read_text())

        def let_go(self):
            (tmp_path / "gate").write_text("go\n")
            wait_for_the_end_of(self.pid)

    return Child()


@pytest.mark.starts_processes
@pytest.mark.usefixtures("exits_known_by")
def test_a_child_that_holds_the_output_is_not_waited_for(tmp_path, child):
    """It gets SIGPIPE when it writes later (Q90)."""
    before = descriptors()
    done = sh(f"echo begun; {child.start}; exit 3", cwd=str(tmp_path))
    assert (done.exit_code, done.stdout) == (3, b"begun\n")
    assert is_running(child.pid)
    assert descriptors() == before
    child.let_go()
    assert not child.wrote.exists()


@pytest.mark.starts_processes
def test_what_a_child_writes_after_the_end_is_read_for_a_while(tmp_path, child, monkeypatch):
    """For 2 s; here for as long as it takes."""
    monkeypatch.setattr(commands, "_REST_NS", int(PATIENCE * 1e9))
    end = commands.os.waitpid

    def wait(pid, options):
        found = end(pid, options)
        threading.Thread(target=child.let_go).start()
        return found

    monkeypatch.setattr(commands.os, "waitpid", wait)
    assert sh(child.start, cwd=str(tmp_path)).stdout == b"late\n"
    wait_until(child.wrote.exists)


@pytest.mark.starts_processes
def test_a_child_that_never_stops_writing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(commands, "_REST_NS", 100 * MS)
    done = sh("yes & exit 4")
    assert done.exit_code == 4
    assert done.stdout.startswith(b"y\n")


@pytest.mark.starts_processes
def test_a_command_that_has_exited_in_time_does_not_fail_because_of_its_child(tmp_path, child, monkeypatch):
    monkeypatch.setattr(commands, "_REST_NS", int(PATIENCE * 1e9))
    assert sh(child.start, cwd=str(tmp_path), timeout=300 * MS).exit_code == 0
    assert is_running(child.pid)
    child.let_go()


@pytest.mark.starts_processes
@pytest.mark.usefixtures("exits_known_by")
def test_the_deadline_holds_for_a_command_that_takes_longer_than_a_moment():
    with pytest.raises(CommandTimedOut):
        run(["sleep", "1000"], timeout=250 * MS)


@pytest.mark.starts_processes
def test_an_interrupt_after_the_end_leaves_the_child(tmp_path, child, monkeypatch):
    """Neither is it waited for then, nor has it to be."""
    monkeypatch.setattr(commands, "_REST_NS", int(PATIENCE * 1e9))
    running, read = RunningCommands(), commands.Output.read

    def interrupted(self, *arguments):
        if not running.must_be_waited_for:
            raise KeyboardInterrupt
        return read(self, *arguments)

    monkeypatch.setattr(commands.Output, "read", interrupted)
    calls = []
    with pytest.raises(KeyboardInterrupt):
        sh(child.start, cwd=str(tmp_path), commands=running, on_interruption=lambda: calls.append("goes on"))
    assert calls == []
    assert is_running(child.pid)
    child.let_go()


@pytest.mark.starts_processes
@pytest.mark.parametrize("timeout", [None, 0, -1, 10_000 * MS, 400 * 24 * 3600 * 1000 * MS])
def test_commands_that_end_before_their_deadline(timeout):
    assert sh("sleep 0.05; echo done", timeout=timeout).stdout == b"done\n"


@pytest.mark.starts_processes
def test_an_interrupt_kills_the_command_and_is_raised(tmp_path):
    def interrupt():
        wait_until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text().endswith("\n"))
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    before = descriptors()
    with pytest.raises(KeyboardInterrupt):
        sh("sleep 1000 & echo $! > child; wait", cwd=str(tmp_path))
    thread.join()
    wait_for_the_end_of(int((tmp_path / "child").read_text()))
    assert descriptors() == before


@pytest.mark.starts_processes
def test_an_uninterruptible_command_can_finish(tmp_path):
    def interrupt():
        wait_until((tmp_path / "begun").exists)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    calls = []
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sh(
            "touch begun; until test -e go; do sleep 0.01; done; touch ended",
            cwd=str(tmp_path),
            on_interruption=lambda: calls.append((tmp_path / "go").touch()),
        )
    thread.join()
    assert (tmp_path / "ended").exists()
    assert len(calls) == 1


@pytest.mark.starts_processes
def test_children_whose_exit_status_is_discarded():
    former = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(CommandError, match=r"^wait: no child processes$"):
            run(["true"])
    finally:
        signal.signal(signal.SIGCHLD, former)


def processes():
    """Return the children of this process, and its threads."""
    found = set(os.listdir("/proc/self/task"))
    for thread in tuple(found):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            found |= set(pathlib.Path(f"/proc/self/task/{thread}/children").read_text().split())
    return found


class Interrupting:
    """Traces the lines that run until the output of a command is read, and is interrupted at the one `at`, or there."""

    def __init__(self, at):
        self.left = at
        self.is_read = False

    def __call__(self, frame, event, _argument):
        self.is_read = self.is_read or frame.f_code is command_output.Output._read.__code__
        if event == "line" or self.is_read:
            self.left -= 1
            if self.left < 0 or self.is_read:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return self


@pytest.mark.starts_processes
def test_a_signal_at_any_moment_of_the_start_leaves_no_process(monkeypatch):
    """No matter at which line: between the start of the process and the knowledge of its number, too."""
    run(["true"])  # what is imported late is imported here
    handlers, tracing = [signal.getsignal(number) for number in range(1, 32)], sys.gettrace()
    before, opened = processes(), descriptors()
    at, is_read = 0, False
    while not is_read:
        interrupting = Interrupting(at)
        with pytest.raises(KeyboardInterrupt):
            try:
                sys.settrace(interrupting)
                run(["sleep", "1000"])
            finally:
                sys.settrace(tracing)
        assert processes() <= before, at
        at, is_read = at + 1, interrupting.is_read
    assert at > 100
    assert descriptors() == opened
    assert [signal.getsignal(number) for number in range(1, 32)] == handlers


@pytest.mark.starts_processes
@pytest.mark.parametrize("first", ["while it runs", "at its end"])
def test_a_second_signal_at_any_moment_after_the_first_one_leaves_no_process(monkeypatch, first):
    """The second one only ends the waiting for the killed process."""
    read, tracing, started = commands.Output.read, sys.gettrace(), []

    class Traced:
        left = 0

        def __call__(self, _frame, event, _argument):
            self.left -= event == "line"
            if self.left < 0:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
            return self

    def handle(_number, frame):
        if not started:
            started.append(True)
            sys.settrace(traced)
            while frame and frame.f_code is not run.__code__:
                frame = frame.f_back
            frame.f_trace = traced
        raise KeyboardInterrupt

    def interrupted(*arguments):
        if first == "at its end":
            read(*arguments)
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr(commands.Output, "read", interrupted)
    handler, before = signal.signal(signal.SIGINT, handle), processes()
    at, traced = 0, Traced()
    traced.left = -1
    try:
        while traced.left < 0:
            traced.left = at = at + 1
            started.clear()
            with pytest.raises(KeyboardInterrupt):
                try:
                    run(["sleep", "1000" if first == "while it runs" else "0"])
                finally:
                    sys.settrace(tracing)
            # It is killed, though not always waited for.
            for pid in processes() - before:
                wait_for_the_end_of(pid)
                os.waitpid(int(pid), 0)
            assert signal.getsignal(signal.SIGINT) == handle, at
    finally:
        signal.signal(signal.SIGINT, handler)
    assert at > 10


@pytest.mark.starts_processes
def test_no_thread_is_started_for_a_command(monkeypatch):
    def start(*_arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", start)
    assert [run(["true"]).exit_code for _time in range(20)] == [0] * 20


@pytest.mark.starts_processes
@pytest.mark.needs("pidfd")
def test_the_end_of_a_command_is_not_looked_for_again_and_again(monkeypatch):
    """Neither with its output closed, nor with a deadline."""
    looks, look = [], os.waitid
    monkeypatch.setattr(commands.os, "waitid", lambda *arguments: looks.append(arguments) or look(*arguments))
    monkeypatch.delattr(commands.time, "sleep")
    assert sh("exec >&- 2>&-; sleep 0.2; exit 3", timeout=int(PATIENCE * 1e9)).exit_code == 3
    assert len(looks) <= 2


@pytest.mark.starts_processes
def test_a_signal_after_the_start_of_a_command_ends_it(monkeypatch, tmp_path):
    def read(*arguments):
        wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.Output, "read", read)
    with pytest.raises(KeyboardInterrupt):
        sh(f"echo $$ > {tmp_path}/pid; sleep 1000")
    wait_for_the_end_of(int((tmp_path / "pid").read_text()))


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("owner", "name", "expected"), [(commands, "_has_exited", ["goes on"]), (commands.os, "waitpid", [])]
)
def test_a_signal_after_the_end_of_a_command_is_raised(monkeypatch, owner, name, expected):
    """The process is waited for only once: its number can belong to another process after that."""
    real, calls, begun = getattr(owner, name), [], []

    def wait(*arguments):
        found = real(*arguments)
        if begun:
            return found
        begun.append(True)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, wait)
    with pytest.raises(KeyboardInterrupt):
        run(["true"], on_interruption=lambda: calls.append("goes on"))
    assert calls == expected


def test_files_that_each_command_reads_can_be_missing(monkeypatch):
    monkeypatch.setattr(os, "devnull", "/nope/null")
    with pytest.raises(CommandNotStarted, match=r"^open /nope/null: no such file or directory$"):
        run(["true"])


@pytest.mark.starts_processes
def test_the_import_is_cheap(tmp_path):
    (tmp_path / "ccm").symlink_to(os.path.dirname(os.path.dirname(commands.__file__)))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from ccm.host import files, machine, owners"
    loaded = set(decode(run([sys.executable, "-I", "-S", "-c", f"{code}; print(*sys.modules)"]).stdout).split())
    assert "ccm.host.files" in loaded
    assert not loaded & {"subprocess", "signal", "hashlib", "typing", "shutil", "pathlib", "tempfile", "selectors"}


@pytest.mark.starts_processes
def test_the_output_of_a_command_is_kept_up_to_a_limit():
    done = sh(
        f"head -c {command_output.MOST_PRINTED + 5} /dev/zero; head -c {command_output.MOST_PRINTED - 5} /dev/zero >&2"
    )
    assert done.exit_code == 0
    assert (len(done.stdout), len(done.stderr)) == (command_output.MOST_PRINTED, command_output.MOST_PRINTED - 5)


@pytest.mark.starts_processes
def test_endless_output_needs_little_memory(monkeypatch):
    monkeypatch.setattr(command_output, "MOST_PRINTED", 1 << 12)
    with pytest.raises(CommandTimedOut) as caught:
        sh("yes", timeout=500 * MS)
    assert len(caught.value.stdout) == 1 << 12


@pytest.mark.starts_processes
def test_a_query_is_in_a_process_group_of_its_own():
    """Ctrl-C of a terminal goes to the group of ccm: while resources run at once, what runs is finished."""
    # Read by the shell itself: /proc/self is the process that opens it.
    done = query(["sh", "-c", "read -r pid name state parent group rest < /proc/self/stat; echo $group $pid $$"])
    group, pid, shell = decode(done.stdout).split()
    assert pid == shell
    assert group == pid != str(os.getpgrp())
