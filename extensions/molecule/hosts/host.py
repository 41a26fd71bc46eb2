# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Throw-away hosts: systemd booted by systemd-nspawn in an overlay over a base root (see `base`), in half a second.

    python extensions/molecule/hosts/host.py --help     boot hosts that outlive this process; find out whether any boots

Nothing is left behind: a host's mounts live in a mount namespace of its own, and what a killed test run left is swept
at the next start. `NAME/leader` below STATE holds the process id of the host's init, for the connection plugin.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOTS = pathlib.Path(os.environ.get("CCM_TEST_ROOTS") or "/var/tmp/ccm-test")
if not re.fullmatch(r"/[A-Za-z0-9._/+-]*", str(ROOTS)):
    # It is part of the options of mounts, and of the commands of debootstrap.
    sys.exit(f"CCM_TEST_ROOTS is {str(ROOTS)!r}: give it an absolute path of letters, digits and ._/+-")
STATE = ROOTS / "hosts"
BASE = pathlib.Path(__file__).parent / "base"
ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "LOGNAME": "root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "USER": "root",
}
# systemd runs all generators at each reload, so also when a unit is enabled. The others are for disks and terminals.
GENERATORS = {"systemd-fstab-generator", "systemd-rc-local-generator", "systemd-sysv-generator"}
# As in all tests; a program cannot import their module.
try:
    BOOT_SECONDS = float(os.environ.get("CCM_PATIENCE") or 60)
except ValueError:
    sys.exit(f"CCM_PATIENCE is {os.environ['CCM_PATIENCE']!r}: give it a number above 0")
# $1 state, $2 overlay options, then the cgroups to enter, --, and the program to become.
START = """
state=$1 options=$2; shift 2
while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit; shift; done; shift
mount -t overlay overlay -o "$options" "$state/root" && exec "$@"
"""


UNABLE = 3  # the status of BASE where hosts cannot boot


class HostError(Exception):
    """A host did not boot, or a command in it failed; the text holds what it said."""


class CannotBoot(HostError):
    """No host boots on this machine; the text says what is missing."""


def build(base, progress=None):
    """Build a base root unless this machine has it, which takes minutes.

    The builder says on the open file `progress` when it begins and ends. Raises HostError with its errors.
    """
    done = subprocess.run(
        [BASE, base], stdout=progress or subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode == UNABLE:
        raise CannotBoot(done.stderr.strip())
    if done.returncode:
        raise HostError(done.stderr or done.stdout or f"{BASE} {base}: exit status {done.returncode}")


class Host:
    """One host. `base` names its base root; `layers` are directories laid over it, the uppermost first.

    Without `network` it has a loopback interface and nothing else, with it the machine's own interfaces and Debian's
    mirror in apt's sources. `durable` hosts write to disk on request (for benchmarks); others do not wait for it.
    A `detached` host lives on when this process ends.
    """

    def __init__(self, base, name=None, layers=(), network=False, durable=False, detached=False):
        self.base = base
        self.name = name or f"{base}-{os.getpid()}-{time.monotonic_ns() % 10**9}"
        self.leader = None
        self._layers = [str(layer) for layer in layers]
        self._network = network
        self._durable = durable
        self._detached = detached
        self._state = STATE / self.name
        self._process = None

    @property
    def root(self):
        """The host's root directory as seen from outside. Absolute links below it lead to this machine's files."""
        return pathlib.Path(f"/proc/{self.leader}/root")

    @property
    def leader_file(self):
        """The file with the process id of the host's init, as the connection plugin wants it."""
        return self._state / "leader"

    def boot(self):
        """Boot and return self. Raises HostError with the end of the console's output."""
        build(self.base)
        masked = self._state / "upper/etc/systemd/system-generators"
        for directory in (masked, self._state / "work", self._state / "root"):
            directory.mkdir(parents=True)
        for generator in (ROOTS / self.base / "lib/systemd/system-generators").iterdir():
            if generator.name not in GENERATORS:
                (masked / generator.name).symlink_to("/dev/null")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            notices.bind(str(self._state / "notify"))
            self._process = self._start()
            try:
                self._await(notices)
            except BaseException:
                self.stop()
                raise
        if self._network:
            self.run("cp /etc/apt/mirror.list /etc/apt/sources.list")
        return self

    def _start(self):
        lower = ":".join([*self._layers, str(ROOTS / self.base)])
        options = f"lowerdir={lower},upperdir={self._state}/upper,workdir={self._state}/work"
        groups = [str(group) for group in make_cgroups(f"ccm-{self.name}")]
        owner = None if self._detached else identity(os.getpid())
        command = ["unshare", "--mount", "--propagation=private", "sh", "-c", START, "sh", str(self._state)]
        command += [options if self._durable else f"volatile,{options}", *groups, "--"]
        command += ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--boot", "--notify-ready=yes"]
        command += ["--resolv-conf=copy-host"] if self._network else ["--private-network", "--resolv-conf=off"]
        command += [f"--directory={self._state}/root", f"--machine={self.name}"]
        with open(self._state / "console", "wb") as console:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                env={"PATH": ENVIRONMENT["PATH"], "NOTIFY_SOCKET": str(self._state / "notify")},
                start_new_session=True,
            )
        about = {"owner": owner, "cgroups": groups}
        (self._state / "state.json").write_text(json.dumps(about), encoding="utf-8")
        return process

    def _await(self, notices):
        """Wait until systemd in the host says that it is up."""
        end = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if select.select([notices], [], [], 0.2)[0]:
                notice = notices.recv(4096).decode()
                found = re.search(r"^X_NSPAWN_LEADER_PID=(\d+)$", notice, re.MULTILINE)
                if found:
                    self.leader = int(found[1])
                    self.leader_file.write_text(found[1], encoding="ascii")
                if "READY=1" in notice.splitlines() and self.leader:
                    return
        console = (self._state / "console").read_text(encoding="utf-8", errors="replace")
        raise HostError(f"the host {self.name} does not boot:\n{console[-3000:]}")

    def stop(self):
        """Kill the host and remove all that it was."""
        stop(self._state)
        if self._process:
            self._process.wait()

    def run(self, command, input=None, env=None, check=True, timeout=None):
        """Run an argv, or a text by /bin/sh, in /root of the host with a clean environment.

        Arguments: `input` text for standard input; `env` more variables; with `check` a status other than 0 raises
        HostError; `timeout` in seconds, after which the command is killed and HostError raised, None for no such time.
        Returns what subprocess.run returns, with texts.
        """
        argv = ["/bin/sh", "-c", command] if isinstance(command, str) else [str(word) for word in command]
        code, *said = self._join(argv, (input or "").encode(), env, timeout)
        out, err = (text.decode(errors="replace") for text in said)
        if check and code:
            raise HostError(f"{self.name}: {command}: exit status {code}\n{out}{err}")
        return subprocess.CompletedProcess(command, code, out, err)

    def _join(self, argv, data, env, timeout):
        process = subprocess.Popen(
            ["nsenter", f"--target={self.leader}", "--all", "--wdns=/root", "--", *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**ENVIRONMENT, **(env or {})},
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(data, timeout)
        except subprocess.TimeoutExpired as err:
            raise HostError(f"{self.name}: {argv} takes longer than {timeout} s") from err
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return process.returncode, stdout, stderr

    def write(self, path, text, mode=0o644):
        """Write a file of the host, text or bytes, with the directories that it needs."""
        data = text if isinstance(text, bytes) else text.encode()
        script = 'mkdir -p "$(dirname "$1")" && cat > "$1" && chmod "$2" "$1"'
        code, _out, stderr = self._join(["sh", "-c", script, "sh", str(path), f"{mode:o}"], data, None, 60)
        if code:
            raise HostError(f"{self.name}: {path}: {stderr.decode()}")

    def read(self, path):
        """Return the text of a file of the host. Raises HostError."""
        return self.run(["cat", path]).stdout

    def copy_in(self, source, target):
        """Copy a file to the path `target`, or what a directory of this machine holds into the directory `target`."""
        source = pathlib.Path(source)
        if not source.is_dir():
            self.write(target, source.read_bytes(), source.stat().st_mode & 0o7777)
            return
        packed = subprocess.run(
            ["tar", "--create", "--directory", source, "--exclude=__pycache__", "--owner=0", "--group=0", "."],
            capture_output=True,
            check=True,
        ).stdout
        script = 'mkdir -p "$1" && tar --extract --directory "$1"'
        code, _out, stderr = self._join(["sh", "-c", script, "sh", str(target)], packed, None, 60)
        if code:
            raise HostError(f"{self.name}: {target}: {stderr.decode()}")


@contextlib.contextmanager
def booted_host(base, **options):
    """Boot a Host for the time of a `with`."""
    host = Host(base, **options).boot()
    try:
        yield host
    finally:
        host.stop()


def make_cgroups(name):
    """Make a control group for one host in each hierarchy where systemd keeps its own: hosts may not share theirs."""
    lines = pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    within = {controllers: path for _number, controllers, path in (line.split(":", 2) for line in lines)}
    made = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        mount, _dash, about = line.partition(" - ")
        kind, _source, options = about.split()
        hierarchy = {"cgroup2": "", "cgroup": "name=systemd"}.get(kind)
        if hierarchy in within and hierarchy in options:
            group = pathlib.Path(mount.split()[4]) / within[hierarchy].strip("/") / name
            group.mkdir(exist_ok=True)
            made.append(group)
    return made


def may_mount():
    """Return whether this process may mount file systems, in a mount namespace of its own."""
    mount = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def obstacle():
    """Return what keeps hosts from booting here, as far as it shows before anything is installed or built; or None."""
    if os.geteuid() != 0:
        return "run as root"
    if not may_mount():
        return "this root may not mount file systems (CAP_SYS_ADMIN)"
    try:
        for group in make_cgroups(f"ccm-try-{os.getpid()}"):
            group.rmdir()
    except OSError as err:
        return f"control groups cannot be written: {err.strerror}"
    return None


def why_not():
    """Boot a host, and return what keeps hosts from booting here; None when it boots. Raises HostError."""
    try:
        build("bookworm")
    except CannotBoot as err:
        return str(err)
    try:
        Host("bookworm").boot().stop()
    except (HostError, OSError) as err:
        return f"a host does not boot: {str(err).strip().splitlines()[-1]}"
    return None


def end_cgroup(group):
    """Kill what runs in a control group and below, and remove it. Raises HostError when it does not end."""
    for _attempt in range(500):
        for folder, _folders, _files in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                for pid in pathlib.Path(folder, "cgroup.procs").read_text(encoding="ascii").split():
                    os.kill(int(pid), signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        if not os.path.exists(group):
            return
        time.sleep(0.01)
    raise HostError(f"{group} does not end")


def identity(pid):
    """Return what identifies a process, whose number may be used again: [pid, start in ticks]; None when it ended."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state == "Z" else [pid, int(fields[18])]


def known(state):
    """Return what is written down about a host: owner, cgroups; empty when nothing is."""
    try:
        return json.loads((state / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def init_of(state):
    """Return the process id of a host's init while it lives."""
    leader = state / "leader"
    pid = leader.read_text(encoding="ascii") if leader.exists() else ""
    try:
        status = pathlib.Path(f"/proc/{int(pid)}/status").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return int(pid) if re.search(r"^NSpid:\t\d+\t1$", status, re.MULTILINE) else None


def stop(state):
    """Kill the host whose directory this is, if it runs, and remove the directory."""
    for group in known(state).get("cgroups", []):
        end_cgroup(group)
    shutil.rmtree(state, ignore_errors=True)


def sweep():
    """Remove the hosts of test runs that are gone."""
    for state in STATE.glob("*"):
        with contextlib.suppress(FileNotFoundError):  # another process sweeps, or a host stops
            owner = known(state).get("owner")
            starting = time.time() - state.stat().st_mtime < BOOT_SECONDS
            if not (identity(owner[0]) == owner if owner else init_of(state) or starting):
                stop(state)


def up(name, base, network=False):
    sweep()
    if (STATE / name / "leader").exists():
        print("booted before")
        return
    build(base, progress=sys.stderr)
    Host(base, name=name, network=network, detached=True).boot()
    print("booted now")


def shell(name, command):
    leader = init_of(STATE / name)
    if leader is None:
        raise HostError(f"no host {name} is up")
    enter = ["nsenter", f"--target={leader}", "--all", "--wdns=/root", "--"]
    os.execvpe(
        enter[0], [*enter, *(command or ["/bin/bash", "-l"])], {**ENVIRONMENT, "TERM": os.environ.get("TERM", "")}
    )


def main():
    parser = argparse.ArgumentParser(description="Boot throw-away hosts that outlive this process.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    boot = actions.add_parser("up", help="boot a host; says whether it was booted now")
    boot.add_argument("name")
    boot.add_argument("base", choices=("bullseye", "bookworm", "trixie", "dnf"))
    boot.add_argument(
        "--network", action="store_true", help="with the network of this machine, and its mirror in apt's sources"
    )
    enter = actions.add_parser("shell", help="become a shell, or a command, in a host")
    enter.add_argument("name")
    enter.add_argument("command", nargs=argparse.REMAINDER)
    actions.add_parser("down", help="end a host").add_argument("name")
    actions.add_parser("roots", help="print the directory of the base roots")
    actions.add_parser("obstacle", help="print what keeps hosts from booting, before anything is installed")
    actions.add_parser("boots", help='boot a host and end it; print "boot", or what keeps hosts from booting')
    given = parser.parse_args()
    if given.action == "up":
        up(given.name, given.base, given.network)
    elif given.action == "down":
        stop(STATE / given.name)
    elif given.action == "roots":
        print(ROOTS)
    elif given.action == "obstacle":
        print(obstacle() or "", end="")
    elif given.action == "boots":
        print(why_not() or "boot")
    else:
        shell(given.name, given.command)


if __name__ == "__main__":
    try:
        main()
    except HostError as problem:
        sys.exit(str(problem))
