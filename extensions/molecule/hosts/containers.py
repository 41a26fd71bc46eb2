# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Boot and remove the hosts of molecule, with what CCM_MOLECULE names: nspawn (the default), podman or docker.

    python extensions/molecule/hosts/containers.py --help

nspawn hosts are those of host.py beside this file. podman and docker boot the same base roots, from images that this
makes of them. `NAME/leader` holds the process id of a container's init as it does for the others: the connection
plugin enters all of them. `NAME/engine` holds which of the two has the container.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time

import host  # beside this file

NSPAWN = "nspawn"
# What each engine needs beside OPTIONS to run systemd.
ENGINES = {
    "podman": ["--systemd=always"],
    "docker": ["--env=container=docker", "--tmpfs=/run:exec", "--tmpfs=/tmp:exec"],
}
OPTIONS = ["--detach", "--tty", "--privileged", "--cgroupns=private", "--network=none", "--pull=never"]
OPTIONS += ["--stop-timeout=0"]  # removed, not shut down
# Units that would change this machine: a privileged container may write settings of the kernel and open terminals.
MASKED = ["systemd-sysctl.service", "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount"]
MASKED += ["systemd-modules-load.service", "getty.target"]
INIT = ["/lib/systemd/systemd", *(f"systemd.mask={unit}" for unit in MASKED)]
ANSWER_SECONDS = 30


def chosen():
    """Return what boots hosts. Raises HostError."""
    name = os.environ.get("CCM_MOLECULE") or NSPAWN
    if name not in (NSPAWN, *ENGINES):
        raise host.HostError(f"CCM_MOLECULE is {name!r}: it may be {NSPAWN}, podman or docker")
    return name


def obstacle(engine):
    """Return what keeps an engine from running containers here, or None."""
    if shutil.which(engine) is None:
        return f"{engine} is not installed"
    if os.geteuid() != 0:
        return f"run as root: the hosts of {engine} are entered through their namespaces"
    try:
        run(engine, "ps", "--quiet", timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{engine} does not answer within {ANSWER_SECONDS} s"
    except host.HostError as err:
        return f"{engine} does not work: {' '.join(str(err).split())}"
    return None


def demand(engine):
    """Raise HostError where an engine does not run containers."""
    missing = obstacle(engine)
    if missing:
        raise host.HostError(missing)


def run(engine, *words, timeout=None):
    """Run a command of an engine and return its output. Raises HostError with what it said."""
    done = subprocess.run(
        [engine, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=timeout
    )
    if done.returncode:
        raise host.HostError(done.stderr.strip() or f"{engine} {words[0]}: exit status {done.returncode}")
    return done.stdout.strip()


def has(engine, kind, name):
    """Return whether an engine has the image or the container of this name."""
    return subprocess.run([engine, kind, "inspect", name], capture_output=True, check=False).returncode == 0


def image_of(engine, release):
    """Return the image of a base root; make it unless the engine has it for this `base`, and remove older ones."""
    images = f"localhost/ccm-test-{release}"
    image = f"{images}:{hashlib.sha256(host.BASE.read_bytes()).hexdigest()[:16]}"
    if has(engine, "image", image):
        return image
    host.build(release)
    with open(host.ROOTS / f".{release}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as `base` does when it builds
        if not has(engine, "image", image):
            pack(host.ROOTS / release, engine, image)
    for other in run(engine, "images", "--format={{.Repository}}:{{.Tag}}", images).splitlines():
        if other != image:
            with contextlib.suppress(host.HostError):  # a container uses it
                run(engine, "rmi", other)
    return image


def pack(root, engine, image):
    """Make an image of a directory."""
    with subprocess.Popen(["tar", "--create", "--directory", root, "."], stdout=subprocess.PIPE) as tar:
        done = subprocess.run(
            [engine, "import", "-", image], stdin=tar.stdout, capture_output=True, text=True, check=False
        )
    if done.returncode or tar.returncode:
        raise host.HostError(f"{engine} import: {done.stderr.strip()}")


def container_of(name):
    return f"ccm-{name}"


def boot(engine, name, release):
    """Boot a container in the place of what is left of one. Raises HostError with the end of the console's output."""
    image = image_of(engine, release)
    remove(engine, name)
    state = host.STATE / name
    state.mkdir(parents=True)
    (state / "engine").write_text(engine, encoding="ascii")
    try:
        names = [f"--name={container_of(name)}", f"--hostname={name}"]
        run(engine, "run", *OPTIONS, *ENGINES[engine], *names, image, *INIT)
        await_systemd(engine, name, release)
    except BaseException:
        remove(engine, name)
        raise


def await_systemd(engine, name, release):
    """Write down the process id of the init, and wait until it has started what it starts."""
    end = time.monotonic() + host.BOOT_SECONDS
    state, booting = host.STATE / name, host.Host(release, name=name)
    running, leader = run(
        engine, "container", "inspect", "--format={{.State.Running}} {{.State.Pid}}", container_of(name)
    ).split()
    booting.leader = int(leader)
    booting.leader_file.write_text(leader, encoding="ascii")
    if running == "true" and host.init_of(state) is None:
        raise host.HostError(f"{engine} runs containers on another machine: they cannot be entered from this one")
    while host.init_of(state) and time.monotonic() < end:
        with contextlib.suppress(host.HostError):  # not within the time
            asked = ["systemctl", "is-system-running", "--wait"]
            answer = booting.run(asked, check=False, timeout=end - time.monotonic())
            if answer.stdout.strip() in ("running", "degraded"):
                return
        time.sleep(0.1)
    raise host.HostError(f"the host {name} does not boot:\n{run(engine, 'logs', container_of(name))[-3000:]}")


def remove(engine, name):
    """Remove a container and what is written down about it; return whether there was one."""
    there = has(engine, "container", container_of(name))
    if there:
        run(engine, "rm", "--force", "--volumes", container_of(name))
    host.stop(host.STATE / name)
    return there


def up(name, release):
    engine = chosen()
    if engine == NSPAWN:
        host.up(name, release)
        return
    demand(engine)
    host.sweep()
    if (host.STATE / name / "leader").exists():
        print("booted before")
        return
    boot(engine, name, release)
    print("booted now")


def down(name):
    """End a host, also one that was booted under another CCM_MOLECULE."""
    state = host.STATE / name
    written = state / "engine"
    engine = written.read_text(encoding="ascii") if written.exists() else chosen()
    there = state.exists()
    if engine == NSPAWN:
        host.stop(state)
    else:
        demand(engine)
        there = remove(engine, name) or there
    print("removed now" if there else "removed before")


def main():
    parser = argparse.ArgumentParser(description="Boot hosts for molecule, with what CCM_MOLECULE names.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    boots = actions.add_parser("up", help="boot a host; says whether it was booted now")
    boots.add_argument("name")
    boots.add_argument("release")
    actions.add_parser("down", help="end a host; says whether it was removed now").add_argument("name")
    actions.add_parser("check", help="fail where the engine that CCM_MOLECULE names does not run containers")
    given = parser.parse_args()
    if given.action == "up":
        up(given.name, given.release)
    elif given.action == "down":
        down(given.name)
    elif chosen() != NSPAWN:
        demand(chosen())


if __name__ == "__main__":
    try:
        main()
    except host.HostError as problem:
        sys.exit(str(problem))
