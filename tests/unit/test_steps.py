# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that run the tests report their steps and the skipped tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from .layout import ROOT

TOOLS = ROOT / "tests/tools"
INI = "[pytest]\naddopts = -p no:cacheprovider\n"


def step(*words, silence="10"):
    env = {**os.environ, "CCM_SILENCE": silence}
    done = subprocess.run(
        [sys.executable, TOOLS / "step", *words], env=env, capture_output=True, text=True, check=False
    )
    return done.returncode, re.sub(r"\d+ s\n", "N s\n", done.stdout)


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


def test_a_step_prints_its_name_and_time_and_has_the_status_of_its_command():
    assert step("a b", "sh", "-c", "echo out; echo err >&2") == (0, "\n== a b\nout\nerr\n-- a b: N s\n")
    assert step("a b", "sh", "-c", "exit 3") == (3, "\n== a b\nFAILED: a b, after N s\n")
    assert step("a b", "sh", "-c", "kill -9 $$")[0] == 137


def test_a_silent_step_reports_that_it_runs():
    message = step("slow", "sleep", "3", silence="1")[1]
    assert message.startswith("\n== slow\n   still running: slow, N s\n")


def test_a_step_does_not_wait_for_background_processes():
    begin = time.monotonic()
    assert step("a", "sh", "-c", "sleep 60 > /dev/null & echo it; sleep 61 & exit 0")[1].startswith(
        "\n== a\nit\n-- a: "
    )
    assert time.monotonic() - begin < 55


@pytest.mark.parametrize("target", ["demo", "check", "test", "soak"])
def test_installations_and_their_duration_are_announced(target):
    message = subprocess.run([TOOLS / "announce", target], capture_output=True, text=True, check=True).stdout
    assert re.match(rf"make {target}: .*(minute|hour).*\.\n", message)
    assert re.search(
        r"^(Nothing is installed into this system\.|Installed into this system, by apt-get: .+\.)$", message, re.M
    )
    dry = subprocess.run(
        ["make", "--no-print-directory", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert dry.startswith(f"tests/tools/announce {target}\n")


def test_tests_that_start_processes_are_left_out_of_make_check(tmp_path):
    tests = """
import os, subprocess, threading, pytest

def test_none():
    assert True

def test_one():
    subprocess.run(["true"])
    assert False, "it goes on"

def test_fork():
    if os.fork() == 0:
        os._exit(0)

def test_in_a_thread():
    thread = threading.Thread(target=os.system, args=("true",))
    thread.start()
    thread.join()
    assert False, "the thread alone ended"

def test_that_catches_everything():
    try:
        subprocess.run(["true"])
    except BaseException:
        pass

@pytest.fixture(scope="module")
def made():
    subprocess.run(["true"])

def test_fixture(made):
    pass

def test_fixture_again(made):
    pass

def test_fails():
    assert False, "as it should"
"""
    status, message = output_of_pytest(tmp_path, tests, "-p", "tests.tools.no_processes", "-p", "no:threadexception")
    assert status == 1
    assert "1 failed, 1 passed, 6 skipped" in message, message


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


@pytest.mark.needs("mounts")
def test_read_only_control_groups_prevent_test_hosts(tmp_path):
    script = (
        "for group in $(awk '$3 ~ /^cgroup/ { print $2 }' /proc/mounts); do mount -o remount,bind,ro $group; done; "
    )
    command = f"{sys.executable} {ROOT}/tests/hosts/host.py obstacle"
    message = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script + command], capture_output=True, text=True, check=True
    )
    assert message.stdout == "control groups cannot be written: Read-only file system"


@pytest.mark.needs("root", "setpriv")
def test_a_root_without_permission_to_mount_has_no_test_hosts():
    drop = ["setpriv", "--bounding-set=-sys_admin", "--", sys.executable, ROOT / "tests/hosts/host.py", "obstacle"]
    message = subprocess.run(drop, capture_output=True, text=True, check=True)
    assert message.stdout == "this root may not mount file systems (CAP_SYS_ADMIN)"
