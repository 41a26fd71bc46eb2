# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test may ask of the machine: `@pytest.mark.needs("root")`.

A need that the machine does not offer skips the test and says so; when CCM_REQUIRE (comma separated) lists the need,
the test fails instead. Continuous integration sets it, so nothing is left out there unnoticed.
"""

from __future__ import annotations

import collections
import functools
import gc
import os
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from extensions.molecule.hosts.host import may_mount, why_not

from . import blocks, seed  # noqa: F401 - the import of seed refuses a wrong CCM_SEED before tests are collected
from .blocks_run import BLOCK
from .locales import SOURCES
from .patience import LIMIT
from .tools import environment, repeating
from .unit import attributes
from .unit.layout import PYTHON38_ENV

# What the caller's environment has besides must not decide what a test finds. Pytest, xdist and coverage keep theirs.
for _name in set(os.environ) - set(environment.clean(os.environ)):
    if not _name.startswith(("PYTEST_", "COVERAGE_", "COV_CORE_")):
        del os.environ[_name]
os.environ.update(environment.SET)
os.umask(environment.UMASK)

# The same examples every time: a failure is the change's, never the day's.
settings.register_profile("ccm", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ccm")


def _root():
    return None if os.geteuid() == 0 else "run as root"


def _http():
    try:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
    except OSError as err:
        return f"a server on 127.0.0.1: {err}"
    return None


@functools.cache
def _mounts():
    if os.geteuid() != 0:
        return "run as root"
    return None if may_mount() else "this root may not mount file systems (CAP_SYS_ADMIN)"


@functools.cache
def _hosts():
    """CCM_HOSTS is the answer of the step `boot`: "boot", or what is missing. Without it a host is booted here."""
    known = os.environ.get("CCM_HOSTS")
    if known:
        return None if known == "boot" else known
    missing = [tool for tool in ("debootstrap", "systemd-nspawn") if not shutil.which(tool)]
    if os.geteuid() == 0 and missing:
        return f"apt-get install -y debootstrap systemd-container ({', '.join(missing)} missing)"
    return why_not()


def _python38():
    found = shutil.which("python3.8")
    if found and subprocess.run([found, "-c", ""], env=PYTHON38_ENV, capture_output=True, check=False).returncode == 0:
        return None
    return "a python3.8 that runs"


def own_limits(script):
    """The command that runs a shell script with limits of the kernel of its own, which it may write in /proc/sys/user.

    They are the settings of a user namespace. Where a container has /proc/sys read-only, it is writable for the script.
    """
    writable = 'mount -o remount,bind,rw /proc/sys 2> /dev/null; exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "sh", "-c", script]
    return ["unshare", "--mount", "sh", "-c", writable, "sh", *inside]


@functools.cache
def _own_limits():
    if os.geteuid() != 0:
        return "run as root"
    script = "cat /proc/sys/user/max_inotify_watches > /proc/sys/user/max_inotify_watches"
    made = shutil.which("unshare") and subprocess.run(own_limits(script), capture_output=True, check=False)
    allowed = made and made.returncode == 0
    return None if allowed else "this kernel or container gives root no user namespace, or none with limits of its own"


def _pidfd():
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return "this kernel or container has no pidfd_open"


@functools.cache
def _engine(name):
    """An engine of containers whose server answers, or which needs none."""
    asked = shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False)
    return None if asked and asked.returncode == 0 else f"{name} runs no containers here"


def _program(name):
    return None if shutil.which(name) else f"there is no {name}"


@functools.cache
def mermaid_folder():
    """The folder of node's packages that has mermaid and jsdom, without which it does not parse; None for none."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    asked = subprocess.run(["npm", "root", "--global"], capture_output=True, text=True, check=False)
    folders = [*os.environ.get("NODE_PATH", "").split(":"), asked.stdout.strip()]
    found = (folder for folder in folders if folder and os.path.isdir(f"{folder}/mermaid"))
    return next((folder for folder in found if os.path.isdir(f"{folder}/jsdom")), None)


def _mermaid():
    return None if mermaid_folder() else "there are no mermaid and jsdom: npm install --global mermaid jsdom"


def _locales():
    there = shutil.which("localedef") and os.path.isdir(SOURCES)
    return None if there else "there are no sources of locales, or no localedef: apt-get install locales"


# Programs of the system that only some tests look at, each with what is missing of it.
PROGRAMS = {
    name: functools.partial(_program, name)
    for name in ("apt-get", "bash", "dot", "dpkg", "fish", "mandoc", "setpriv", "zsh", "zstd")
}
# Extended attributes of files: which can be set depends on the file system and on the rights of root.
ATTRIBUTES = {name: functools.cache(functools.partial(attributes.missing, name)) for name in attributes.NEEDS}
ENGINES = {name: functools.partial(_engine, name) for name in ("docker", "podman")}
# Each answers what is missing, or None.
NEEDS = {
    "root": _root,
    "mounts": _mounts,
    "http": _http,
    "hosts": _hosts,
    "locales": _locales,
    "mermaid": _mermaid,
    "own_limits": _own_limits,
    "pidfd": _pidfd,
    "python3.8": _python38,
    **ATTRIBUTES,
    **ENGINES,
    **PROGRAMS,
}


# The directory that pytest_configure makes.
STATE = pytest.StashKey[str]()

# What the recorded cases may need besides (tests/conformance/run.py).
OF_CASES = {"apt", "dnf", "systemd"}


def required():
    """What CCM_REQUIRE demands; who demands root demands one that may mount."""
    demanded = {need for need in os.environ.get("CCM_REQUIRE", "").split(",") if need}
    return demanded | ({"mounts"} if "root" in demanded else set())


def pytest_configure(config):
    unknown = required() - set(NEEDS) - OF_CASES
    if unknown:
        raise pytest.UsageError(f"CCM_REQUIRE asks for what nobody knows: {', '.join(sorted(unknown))}")
    # What a run keeps must not reach the next test run, nor this machine.
    config.stash[STATE] = os.environ["CCM_STATE"] = tempfile.mkdtemp(prefix="ccm-state-")


def pytest_collection_modifyitems(config, items):
    """Leave out what takes long, and let a test that does not end fail; some say that they may take longer."""
    left_out = [item for item in items if any(not runs_now(*mark.args) for mark in item.iter_markers("takes_long"))]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT))


def runs_now(page=None):
    """Whether a test of commands that take long runs: all do in `make guides`, and those of a page that was changed."""
    return blocks.ALL or bool(page and blocks.changed(page))


def pytest_collection_finish():
    """Leave all tests out of each collection of garbage: `ccm watch` makes several in the process of a test."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):
    if STATE in config.stash:
        shutil.rmtree(config.stash[STATE], ignore_errors=True)


def pytest_runtest_setup(item):
    """Fail a test that needs what this machine lacks if CCM_REQUIRE demands it, as CI does; else skip it.

    So the tests pass on any machine, the summary says what was missing, and CI leaves out nothing it demands.
    """
    for mark in item.iter_markers("needs"):
        for need in mark.args:
            missing = NEEDS[need]()
            if missing and need in required():
                pytest.fail(f"needs {need}, which CCM_REQUIRE demands: {missing}", pytrace=False)
            if missing:
                # Skipped, not passed: the test cannot run without what this machine does not have, and the summary
                # counts it with this reason. Where it must run, CCM_REQUIRE names the need: it fails just above.
                pytest.skip(f"needs {need}: {missing}")


def pytest_terminal_summary(terminalreporter, config):
    """One line for each thing that is missing, with the number of tests; one for each failure, which repeats it."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if report.longrepr]
    for reason, count in sorted(collections.Counter(reasons).items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"left out: {tests}: {reason.removeprefix('Skipped: ')}")
    failed = [report for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, ())]
    for command in repeating.repeating(config, failed):
        terminalreporter.write_line(f"{repeating.LEAD}{command}")


@pytest.fixture
def ran(record_property):
    """Note the blocks of the documentation that a test has run, for the count at the end of `make guides`."""

    def note(*found):
        for block in found:
            record_property(BLOCK, str(block))

    return note


@pytest.fixture(scope="session", autouse=True)
def _signals_end_what_tests_start():
    """What nohup or a shell in the background ignores is ignored by this process only, not by the programs it starts.

    A handler, unlike SIG_IGN, is not inherited.
    """
    handlers = {
        signal.SIGHUP: lambda *_: None,
        signal.SIGQUIT: lambda *_: None,
        signal.SIGINT: signal.default_int_handler,
    }
    for number, handler in handlers.items():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
