# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A quick selection of everything gives the same in any environment: exit statuses, output, files, modes and owners.

Each environment has a probe, an expression of Python that is true in it and false in the clean one: without it, a test
could pass in an environment that was never there.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import grp
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import types
from typing import Mapping, NamedTuple

import pytest

from .layout import CCM, ROOT

pytestmark = pytest.mark.starts_processes

#: Runs a module as Ansible does on a node.
MODULE = """
import runpy, sys
sys.path.insert(0, "@HERE@")
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = b'{"ANSIBLE_MODULE_ARGS": {%s}}' % sys.argv[3].encode()
basic._ANSIBLE_PROFILE = "legacy"
runpy.run_module(f"ansible_collections.ccm.core.plugins.modules.{sys.argv[2]}", run_name="__main__", alter_sys=True)
"""
MANIFEST = """\
data:
  greeting: Grüße
ccm:
  engine: {order: graph, parallel: 1}
  resources:
    - exec:
        - /usr/bin/env: {logoutput: true}
        - /bin/grep SigBlk /proc/self/status: {logoutput: true}
        - /bin/ls /proc/self/fd: {logoutput: true}
        - /bin/sh -c 'echo ö > @W@/größe.made':
            creates: "@W@/größe.made"
    - file:
        - @W@/größe:
            ensure: present
            content: "{{ Data.greeting }} {{ upper('ö') }}\\n"
            owner: "@OWNER@"
            group: "@GROUP@"
            mode: "0640"
            meta: {reverse: true}
    - scaffold:
        - @W@/tree:
            ensure: present
            source: @W@/templates
            engine: go
"""
OWNED = '"owner": "@OWNER@", "group": "@GROUP@", "mode": "0604"'
#: Commands that follow each other, in a folder of their own; the chains run side by side.
CHAINS = (
    [
        ["apply", "site.yaml", "--noop", "--diff"],
        ["apply", "site.yaml"],
        ["undo", "site.yaml", "file#@W@/größe"],
        ["plan", "site.yaml"],
    ],
    [
        ["ensure", "file", "@W@/ü", "--content", "ö\n", "--owner", "@OWNER@:@GROUP@", "--mode", "0604"],
        ["lint", "site.yaml"],
        ["status", "package", "dpkg"],
        ["watch", "site.yaml", "--exit-converged", "20ms", "--max-runtime", "60s"],
        ["apply"],
        ["module", "file", '"name": "@W@/module", "ensure": "present", "content": "\\u00e9", ' + OWNED],
    ],
)
#: What has a given mode, and what the test writes.
MODE_IS_GIVEN = re.compile(r"größe$|/ü$|/module$|^\d$|/site.yaml$|/templates")
#: Times, durations and ids in outputs.
CHANGING = re.compile(r'\b[0-9.:TZ-]+([nµm]?s\b|Z\b)|(?<="event_id": ")\w+|(?<="duration": )\d+')


class Environment(NamedTuple):
    """One environment. Its `words` start a command in it, and `probe` is true in it and false in the clean one.

    It `needs` something of the machine. With a `terminal` the output goes to one. `lost` are descriptors that are
    closed. Of files whose mode is not given the bits of `umask` are cleared. The results of commands that
    are others on purpose are `instead`.
    """

    words: list[str]
    probe: str
    needs: tuple[str, ...] = ()
    terminal: bool = False
    lost: tuple[int, ...] = ()
    umask: int = 0o022
    instead: Mapping[str, tuple[int, str, str]] = types.MappingProxyType({})


def shell(text, probe, **more):
    """Return an environment that a shell makes before it becomes the command."""
    return Environment(["/bin/sh", "-c", f'{text}; exec "$@"', "sh"], probe, **more)


def variable(text, probe, **more):
    """Return an environment in which a variable has another value, or is not there."""
    return Environment(["/usr/bin/env", *(text.split() if "=" in text else ["-u", text])], probe, **more)


def mounts(text, probe):
    """Return an environment with mounts of its own."""
    words = ["unshare", "--mount", "--propagation=private", "/bin/sh", "-c", f'{text} || exit; exec "$@"', "sh"]
    return Environment(words, probe, needs=("mounts",))


def in_status(field, bits):
    """Return the probe for bits of a field in /proc/self/status."""
    return f"int(re.search('{field}:\\\\s*(\\\\w+)', open('/proc/self/status').read())[1], 16) & {bits} == {bits}"


def has_limit(name, value):
    return f"resource.getrlimit(resource.RLIMIT_{name})[0] == {value}"


def with_signals(how, names, field):
    """Return an environment in which signals are blocked or ignored."""
    numbers = [signal.Signals[f"SIG{name}"] for name in names.split()]
    probe = in_status(field, sum(1 << number - 1 for number in numbers))
    return Environment(["/usr/bin/env", *(f"--{how}-signal={name}" for name in names.split())], probe)


NOT_FOUND = "apt-get, apt-cache, apt-mark, dpkg-query not found in PATH; dnf, rpm not found in PATH"
WITHOUT_PATH = {
    "status package dpkg": (1, "", f"ccm: error: could not get status: no suitable provider found: {NOT_FOUND}\n")
}
ENVIRONMENTS = {
    **{
        text: variable(text, probe)
        for text, probe in {
            "PYTHONUNBUFFERED=1": "sys.stdout.write_through",
            "PYTHONDONTWRITEBYTECODE=1": "sys.flags.dont_write_bytecode",
            "PYTHONOPTIMIZE=2": "sys.flags.optimize == 2",
            "PYTHONUTF8=1": "sys.flags.utf8_mode",
            "PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 LC_ALL=C": "sys.getfilesystemencoding() == 'ascii'",
            "PYTHONCOERCECLOCALE=0 LC_ALL=POSIX": "sys.flags.utf8_mode",
            "PYTHONIOENCODING=latin-1": "sys.stdout.encoding == 'iso8859-1'",
            "PYTHONWARNINGS=error": "sys.warnoptions == ['error']",
            "PYTHONHASHSEED=0": "not sys.flags.hash_randomization",
            "PYTHONSAFEPATH=1": "'PYTHONSAFEPATH' in os.environ and getattr(sys.flags, 'safe_path', True)",
            "PYTHONDEVMODE=1": "sys.flags.dev_mode",
            "PYTHONNOUSERSITE=1": "sys.flags.no_user_site",
            "PYTHONINTMAXSTRDIGITS=640": "getattr(sys, 'get_int_max_str_digits', lambda: 640)() == 640",
            "PYTHONFAULTHANDLER=1": "faulthandler.is_enabled()",
            "PYTHONPATH=@HERE@/shadows": "'shadows' in __import__('yaml').__file__",
            "LANG=C": "os.environ['LANG'] == 'C' and sys.flags.utf8_mode",
            "LC_ALL=en_US.ISO-8859-1": "'ISO' in os.environ.get('LC_ALL', '') and sys.flags.utf8_mode",
            "LANG": "'LANG' not in os.environ",
            "TZ=XYZ-3:21": "time.tzname[0] == 'XYZ'",
            "TZ=No/Where": "os.environ.get('TZ') == 'No/Where'",
            "TZ=": "os.environ.get('TZ') == ''",
            "TERM=dumb": "os.environ.get('TERM') == 'dumb'",
            "COLUMNS=1": "shutil.get_terminal_size().columns == 1",
            "COLUMNS=0": "os.environ.get('COLUMNS') == '0'",
            "COLUMNS=wide": "os.environ.get('COLUMNS') == 'wide'",
            "HOME": "'HOME' not in os.environ",
            "HOME=/dev/null/home": "not os.path.exists(os.path.dirname(os.environ['HOME']) + '/.')",
            "TMPDIR=/dev/null/tmp": "not os.path.exists(os.environ.get('TMPDIR', '/'))",
            "PATH=@HERE@/programs": "not shutil.which('ps') and os.environ['PATH'].endswith('/programs')",
        }.items()
    },
    "PATH": variable("PATH", "'PATH' not in os.environ", instead=WITHOUT_PATH),
    "PATH=": variable("PATH=", "os.environ.get('PATH') == ''", instead=WITHOUT_PATH),
    "terminal": Environment([], "sys.stdout.isatty() and sys.stderr.isatty()", terminal=True),
    "dumb terminal": variable("TERM=dumb", "sys.stderr.isatty() and os.environ['TERM'] == 'dumb'", terminal=True),
    "terminal without TERM": variable("TERM", "sys.stdout.isatty() and 'TERM' not in os.environ", terminal=True),
    "umask 0": shell("umask 0", "os.umask(0) == 0", umask=0),
    "umask 077": shell("umask 077", "os.umask(0) == 0o077", umask=0o077),
    # Only root can use directories that no user may use.
    "umask 0777": shell("umask 0777", "os.umask(0) == 0o777", umask=0o777, needs=("root",)),
    "stdin closed": shell("exec <&-", "sys.stdin is None"),
    "stdout closed": shell("exec >&-", "sys.stdout is None", lost=(1,)),
    "stderr closed": shell("exec 2>&-", "sys.stderr is None", lost=(2,)),
    "all closed": shell("exec <&- >&- 2>&-", "sys.stdin is sys.stdout is sys.stderr is None", lost=(1, 2)),
    "more descriptors": shell("exec 7<. 8>>/dev/null 9<&1", "os.path.exists('/proc/self/fd/9')"),
    "signals blocked": with_signals("block", "HUP INT QUIT ALRM TERM CHLD", "SigBlk"),
    # What the caller ignores, commands ignore too, as below nohup.
    "signals ignored": with_signals("ignore", "HUP INT QUIT TERM CHLD", "SigIgn"),
    "few descriptors": shell("ulimit -n 24", has_limit("NOFILE", 24)),
    "small stack": shell("ulimit -s 512", has_limit("STACK", 512 << 10)),
    "small files": shell("ulimit -f 64", has_limit("FSIZE", 64 * 512)),
    "capabilities to inherit": Environment(
        ["setpriv", "--inh-caps=+chown,+fowner,+kill", "--"], in_status("CapInh", 1 | 8 | 32), needs=("root", "setpriv")
    ),
    "no capabilities": Environment(
        ["setpriv", "--inh-caps=-all", "--bounding-set=-all", "--"],
        "not " + in_status("CapEff", 1),
        needs=("root", "setpriv"),
    ),
    "/proc read-only": mounts("mount -o remount,bind,ro /proc", "os.statvfs('/proc').f_flag & os.ST_RDONLY"),
    "/proc masked": mounts(
        "mount -t tmpfs -o ro none /proc/sys && mount --bind /dev/null /proc/meminfo", "not os.listdir('/proc/sys')"
    ),
}

# Some containers give root capabilities to inherit.

CLEAN = Environment(["setpriv", "--inh-caps=-all", "--"] if shutil.which("setpriv") else [], "True")


class Place:
    """A directory in which the selection runs, always at the same path: nothing but the environment differs."""

    def __init__(self, folder, me):
        self.folder = folder
        self.owner, self.group = me
        (folder / "ansible_collections/ccm").mkdir(parents=True)
        (folder / "ansible_collections/ccm/core").symlink_to(ROOT)
        (folder / "shadows").mkdir()
        for name in ("yaml", "ccm"):
            (folder / "shadows" / f"{name}.py").touch()
        (folder / "programs").mkdir()
        for directory in os.environ["PATH"].split(":"):
            for name in os.listdir(directory) if os.path.isdir(directory) else ():
                with contextlib.suppress(FileExistsError):
                    if name not in ("ps", "systemctl"):
                        (folder / "programs" / name).symlink_to(f"{directory}/{name}")

    def filled(self, text, place):
        """Return a text with the paths and names of this place in it."""
        values = {"@HERE@": self.folder, "@W@": place, "@OWNER@": self.owner, "@GROUP@": self.group}
        return re.sub("|".join(values), lambda found: str(values[found[0]]), text)

    def run(self, environment, words, place):
        """Run a command in an environment; return its exit status, stdout and stderr."""
        variables = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": f"{place}/home",
            "CCM_STATE": f"{place}/state",
        }
        ends = [os.openpty() if environment.terminal else os.pipe() for _stream in range(2)]
        process = subprocess.Popen(
            [self.filled(word, place) for word in (*CLEAN.words, *environment.words, *words)],
            cwd=place,
            env={**variables, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            stdout=ends[0][1],
            stderr=ends[1][1],
            umask=CLEAN.umask,
        )
        for _reader, writer in ends:
            os.close(writer)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            texts = list(pool.map(whole, (reader for reader, _writer in ends)))
        return process.wait(), *texts

    def holds(self, environment, probe):
        """Return whether a probe is true in an environment."""
        imports = "import faulthandler, locale, os, re, resource, shutil, sys, time"
        words = [sys.executable, "-c", f"{imports}\nos._exit(0 if {probe} else 9)"]
        status, out, err = self.run(environment, words, self.folder)
        assert status in (0, 9), out + err
        return status == 0

    def result(self, environment):
        """Run the selection; return the result of each command, and the files afterwards."""
        top = self.folder / "w"
        shutil.rmtree(top, ignore_errors=True)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            chains = pool.map(
                self.chain, [environment] * len(CHAINS), (top / str(n) for n in range(len(CHAINS))), CHAINS
            )
            given = {name: result for chain in chains for name, result in chain.items()}
        return given, {str(path.relative_to(top)): described(path) for path in top.rglob("*")}

    def chain(self, environment, place, commands):
        """Run the commands of a chain in its folder."""
        (place / "templates").mkdir(parents=True)
        (place / "templates/a").write_text("{{ .Facts.none }}ü\n", encoding="utf-8")
        (place / "site.yaml").write_text(self.filled(MANIFEST, place), encoding="utf-8")
        given = {}
        for words in commands:
            start = [*CCM] if words[0] != "module" else [sys.executable, "-c", MODULE]
            status, out, err = self.run(environment, [*start, *words], place)
            given[" ".join(words)] = status, out, err
        return given


def whole(reader):
    """Return what is written to a pipe or a terminal until it is closed, without colours and times."""
    pieces = []
    with contextlib.suppress(OSError):  # the end of a terminal
        while pieces[-1:] != [b""]:
            pieces.append(os.read(reader, 1 << 16))
    os.close(reader)
    text = b"".join(pieces).decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return CHANGING.sub("_", re.sub(r"\x1b\[[0-9;]*[mK]|\r", "", text))


def described(path):
    """Return what is to be the same of a file; the state between runs has times in its files."""
    about = path.lstat()
    content = path.read_bytes() if path.is_file() and "state" not in path.parts else b""
    return stat.S_IMODE(about.st_mode), stat.S_IFMT(about.st_mode), about.st_uid, about.st_gid, content


def without_lost(given, lost):
    """Return the results of commands without the output to lost descriptors."""
    return {
        name: (status, "" if 1 in lost else out, "" if 2 in lost else err) for name, (status, out, err) in given.items()
    }


def with_umask(files, umask):
    """Return files as they are with a umask: what a command made has no mode of its own, nor have new directories."""
    found = {}
    for name, (mode, *rest) in files.items():
        if name.endswith(".made"):
            mode = 0o666
        found[name] = (mode if MODE_IS_GIVEN.search(name) else mode & ~umask, *rest)
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    me = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    return Place(tmp_path_factory.mktemp("environments"), me)


@pytest.fixture(scope="module")
def clean(place):
    """The result in the clean environment, which is the same in each run."""
    given, files = place.result(CLEAN)
    assert [status for status, _out, _err in given.values()] == [0, 0, 0, 2, 0, 0, 0, 0, 1, 0], given
    assert place.result(CLEAN) == (given, files)
    return given, files


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(*each.needs)) for name, each in ENVIRONMENTS.items()]
)
def test_everything_is_the_same_in(name, place, clean):
    environment = ENVIRONMENTS[name]
    assert place.holds(environment, environment.probe), "the environment is not in force"
    assert not place.holds(CLEAN, environment.probe), "the probe is true without the environment"
    given, files = place.result(environment)
    assert given == without_lost({**clean[0], **environment.instead}, environment.lost)
    assert files == with_umask(clean[1], environment.umask)
