# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode says what the run then does: every state to start from with everything that can be asked for.

What only a run can find out (an exit code, a version in no repository, a unit that does not start) is listed by name,
in `FOUND_BY_ACTING`, and counted apart.
"""

from __future__ import annotations

import itertools
import json
import pathlib

import ansible
import pytest

from tests.patience import LIMIT

from .aptrepo import Deb, register

ROOT = pathlib.Path(__file__).parents[2]
NODE = "/opt/node"
TREE = "/srv/t"


class Case:
    def __init__(self, module, state, wanted, setup, arguments, probe):
        self.name = f"{module}: {state}, wanted {wanted}"
        self.given = {"module": module, "setup": setup, "arguments": arguments, "probe": probe}


# file ----------------------------------------------------------------------------------------------------------------
FILE = f"{TREE}/f"
FILE_STATES = {
    "absent": "",
    "right": f"printf x > {FILE}; chmod 0640 {FILE}; chown daemon:daemon {FILE}",
    "wrong content": f"printf y > {FILE}; chmod 0640 {FILE}; chown daemon:daemon {FILE}",
    "wrong mode": f"printf x > {FILE}; chmod 0600 {FILE}; chown daemon:daemon {FILE}",
    "wrong owner": f"printf x > {FILE}; chmod 0640 {FILE}; chown root:daemon {FILE}",
    "wrong group": f"printf x > {FILE}; chmod 0640 {FILE}; chown daemon:root {FILE}",
    "a directory": f"mkdir -m 0750 {FILE}; chown daemon:daemon {FILE}",
    "a directory of another mode": f"mkdir -m 0700 {FILE}; chown daemon:daemon {FILE}",
    "a full directory": f"mkdir -m 0750 {FILE}; touch {FILE}/in; chown daemon:daemon {FILE}",
    "a link": f"printf x > {TREE}/o; chmod 0640 {TREE}/o; chown daemon:daemon {TREE}/o; ln -s o {FILE}",
    "a link to nowhere": f"ln -s none {FILE}",
    "a device": f"mknod {FILE} c 1 3; chmod 0640 {FILE}; chown daemon:daemon {FILE}",
    "below a file": None,
    "in a directory that is not there": None,
}
OWN = {"owner": "daemon", "group": "daemon", "mode": "0640"}
FILE_WANTED = {
    "content": {"ensure": "present", "content": "x", **OWN},
    "attributes": {"ensure": "present", **OWN},
    "a directory": {"ensure": "directory", **OWN},
    "absent": {"ensure": "absent"},
    "absent by force": {"ensure": "absent", "force": True},
}


def files():
    for (state, make), (wanted, options) in itertools.product(FILE_STATES.items(), FILE_WANTED.items()):
        name = FILE if make is not None else f"{TREE}/o/f" if state == "below a file" else f"{TREE}/none/f"
        setup = f"rm -rf {TREE}; mkdir {TREE}; " + (make if make is not None else f"touch {TREE}/o")
        probe = f"find {TREE} -printf '%p %y %l %m %u %g %i %T@ %s\\n' | sort"
        yield Case("file", state, wanted, setup, {"name": name, **options}, probe)


# exec ----------------------------------------------------------------------------------------------------------------
MADE = f"{TREE}/made"
EXEC_STATES = {"made": f"touch {MADE}", "not made": ""}
EXEC_WANTED = {
    "nothing more": {},
    "creates": {"creates": MADE},
    "onlyif": {"onlyif": f"test -e {MADE}"},
    "unless": {"unless": f"test -e {MADE}"},
    "refreshonly": {"refreshonly": True},
    "a refresh": {"refresh": True, "creates": MADE},
    "a refresh of refreshonly": {"refresh": True, "refreshonly": True},
    "another exit code": {"returns": [3]},
    "a guard that cannot run": {"onlyif": "/none/none"},
    "a directory that is not there": {"cwd": f"{TREE}/none"},
    "too little time": {"timeout": "10ms", "command": "sleep 5"},
}


def execs():
    for (state, make), (wanted, options) in itertools.product(EXEC_STATES.items(), EXEC_WANTED.items()):
        setup = f"rm -rf {TREE}; mkdir {TREE}; {make}"
        yield Case("exec", state, wanted, setup, {"name": f"touch {TREE}/ran {MADE}", **options}, f"ls {TREE}")


# package -------------------------------------------------------------------------------------------------------------
REPOSITORY = "/srv/apt"
VERSIONS = ("1.0-1", "2.0-1", "10.0-1")
CLEAN = "dpkg --purge --force-all ccm-p > /dev/null 2>&1 || :; echo ccm-p unhold | dpkg --set-selections || :; "


def unpacked(version, verb="-i"):
    return f"dpkg {verb} {REPOSITORY}/ccm-p_{version}_all.deb > /dev/null"


PACKAGE_STATES = {
    "absent": "",
    "an old version": unpacked("1.0-1"),
    "a middle version": unpacked("2.0-1"),
    "the candidate": unpacked("10.0-1"),
    "newer than the candidate": unpacked("11.0-1"),
    "configuration left": f"{unpacked('1.0-1')}; dpkg --remove ccm-p > /dev/null",
    "unpacked": unpacked("2.0-1", "--unpack"),
    "held": f"{unpacked('1.0-1')}; echo ccm-p hold | dpkg --set-selections",
}
# Which version this will be is known afterwards.
NO_VERSION = ("present", "latest")
PACKAGE_WANTED = ["present", "absent", "latest", "1.0-1", "2.0-1", "10.0-1", "3.0-1"]


def packages():
    probe = "dpkg-query -W -f '${Version} ${Status}' ccm-p; md5sum /var/lib/dpkg/status"
    for (state, make), ensure in itertools.product(PACKAGE_STATES.items(), PACKAGE_WANTED):
        yield Case("package", state, ensure, CLEAN + make, {"name": "ccm-p", "ensure": ensure}, probe)
    for ensure in PACKAGE_WANTED:
        yield Case("package", "unknown", ensure, "", {"name": "ccm-unknown", "ensure": ensure}, probe)


# service -------------------------------------------------------------------------------------------------------------
UNIT = "/etc/systemd/system/ccm-s.service"
INSTALL = "[Install]\nWantedBy=multi-user.target\n"


def unit(service, install=INSTALL):
    return f"printf '[Service]\\n{service}\\n{install}' > {UNIT}; systemctl daemon-reload; ".replace("\n", "\\n")


SLEEPING = "ExecStart=/bin/sleep infinity"
FORGET = (
    "systemctl stop ccm-s 2> /dev/null || :; systemctl -q --no-reload unmask ccm-s 2> /dev/null || :; "
    "systemctl -q --no-reload disable ccm-s 2> /dev/null || :; "
    f"rm -f {UNIT}; systemctl reset-failed; "
)
SERVICE_STATES = {
    "not there": "systemctl daemon-reload",
    "stopped": unit(SLEEPING),
    "stopped, enabled": unit(SLEEPING) + "systemctl -q enable ccm-s",
    "running": unit(SLEEPING) + "systemctl start ccm-s",
    "running, enabled": unit(SLEEPING) + "systemctl -q enable --now ccm-s",
    "static": unit(SLEEPING, ""),
    "static, running": unit(SLEEPING, "") + "systemctl start ccm-s",
    "masked": unit(SLEEPING) + f"rm {UNIT}; systemctl -q mask ccm-s",
    "failed": unit("Type=oneshot\\nExecStart=/bin/false") + "systemctl start ccm-s 2> /dev/null || :",
    "changed on disk": unit(SLEEPING) + f"systemctl start ccm-s; sed -i s/infinity/5000/ {UNIT}",
}
SERVICE_WANTED = {
    f"{ensure}, enable {enable}": {"ensure": ensure, **({} if enable is None else {"enable": enable})}
    for ensure, enable in itertools.product(("running", "stopped"), (None, True, False))
}
SERVICE_WANTED["a refresh"] = {"refresh": True}
SERVICE_WANTED["a refresh, stopped"] = {"refresh": True, "ensure": "stopped"}
SERVICE_WANTED["a refresh, enable True"] = {"refresh": True, "enable": True}


def services():
    probe = "systemctl show ccm-s -p ActiveState,UnitFileState,MainPID; ls /etc/systemd/system/*.wants"
    for (state, make), (wanted, options) in itertools.product(SERVICE_STATES.items(), SERVICE_WANTED.items()):
        yield Case("service", state, wanted, FORGET + make, {"name": "ccm-s", **options}, probe)


# What only acting can find out: the module, the states and the wishes that fail then.
FOUND_BY_ACTING = [
    ("file", "a full directory", "absent"),
    ("file", "below a file", "content|attributes|a directory"),
    ("file", "in a directory that is not there", "content|attributes"),
    ("service", "failed", "running, enable None|running, enable True|running, enable False|a refresh"),
    ("service", "failed", "a refresh, enable True"),
    ("package", "|".join(state for state in PACKAGE_STATES if state != "held"), "3.0-1"),
    ("package", "unknown", "present|latest|1.0-1|2.0-1|10.0-1|3.0-1"),
    ("exec", "made|not made", "another exit code|a directory that is not there|too little time"),
]


def found_by_acting(case):
    module, _colon, rest = case.name.partition(": ")
    state, _comma, wanted = rest.partition(", wanted ")
    return any(
        module == of and state in states.split("|") and (not wishes or wanted in wishes.split("|"))
        for of, states, wishes in FOUND_BY_ACTING
    )


@pytest.fixture(scope="module")
def node(bookworm):
    """A host in which modules run without a controller."""
    packages = pathlib.Path(ansible.__file__).parent
    bookworm.copy_in(packages / "module_utils", f"{NODE}/ansible/module_utils")
    bookworm.copy_in(packages / "release.py", f"{NODE}/ansible/release.py")
    bookworm.write(f"{NODE}/ansible/__init__.py", "")
    bookworm.copy_in(ROOT / "plugins", f"{NODE}/ansible_collections/ccm/core/plugins")
    bookworm.copy_in(ROOT / "tests/hosts/node/foresee.py", f"{NODE}/foresee.py")
    return bookworm


def outcomes(node, cases):
    """What the host's answers are, in the order of the cases."""
    text = json.dumps({"cases": [case.given for case in cases]})
    done = node.run(["python3", f"{NODE}/foresee.py"], input=text, env={"PYTHONPATH": NODE})
    return [json.loads(line) for line in done.stdout.splitlines()]


def doing(message):
    """`Would have started, would have enabled` as it is said once it is done."""
    done = message.replace("Would have ", "", 1).replace(", would have ", ", ")
    return done[:1].upper() + done[1:]


def without_times(diff):
    return [{key: value for key, value in part.items() if key != "mtime"} for part in diff]


#: The end of a failure in check mode that an earlier task could prevent.
EARLIER_TASKS = "; check mode does not know what earlier tasks would change"


def judge(cases, answers):
    """What went otherwise than foreseen, as lines; and how many were found by acting only."""
    problems, by_acting = [], []
    for case, answer in zip(cases, answers, strict=True):
        check, run, again = answer["check"], answer["run"], answer["again"]
        if answer["before"] != answer["after"]:
            problems.append(f"{case.name}: check mode changed the host: {answer['before']!r} {answer['after']!r}")
        if run.get("failed") and not check.get("failed"):
            by_acting.append(case)
            continue
        same = (bool(check.get("failed")), check["changed"]) == (bool(run.get("failed")), run["changed"])
        # A preview names what changes of a file; its event has the words of the run.
        foretold = check["event"]["noop_message"] if check["msg"].startswith("would update (") else check["msg"]
        if check.get("failed"):
            foretold = foretold.removesuffix(EARLIER_TASKS)
        words = run["msg"] == (foretold if run.get("failed") or not run["changed"] else doing(foretold))
        if not same or not words:
            problems.append(f"{case.name}: check said {check['msg']!r}, the run {run['msg']!r}")
        foreseeable = case.given["arguments"].get("ensure") not in NO_VERSION or case.given["module"] != "package"
        if foreseeable and without_times(check.get("diff", [])) != without_times(run.get("diff", [])):
            problems.append(f"{case.name}: the diffs differ: {check.get('diff')} {run.get('diff')}")
        if (
            run["changed"]
            and case.given["module"] != "exec"
            and not case.given["arguments"].get("refresh")
            and again["changed"]
        ):
            problems.append(f"{case.name}: changed again: {again['msg']!r}")
    for case in by_acting:
        if not found_by_acting(case):
            answer = answers[cases.index(case)]
            problems.append(
                f"{case.name}: check said {answer['check']['msg']!r}, the run fails: {answer['run']['msg']!r}"
            )
    for case in cases:
        if found_by_acting(case) and case not in by_acting:
            problems.append(f"{case.name}: is listed as found by acting, but is not")
    return problems, len(by_acting)


@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("product", [files, execs, packages, services])
def test_check_mode_says_what_the_run_then_does(node, product):
    if product is packages:
        offered = [Deb("ccm-p", version, conffiles={"/etc/ccm-p": version}) for version in VERSIONS]
        newer = Deb("ccm-p", "11.0-1")
        register(node, offered, REPOSITORY)
        node.write(f"{REPOSITORY}/{newer.filename}", newer.pack())
    cases = list(product())
    problems, by_acting = judge(cases, outcomes(node, cases))
    print(f"{product.__name__}: {len(cases)} cases, {by_acting} of them fail by acting only")
    assert not problems, "\n".join(problems)
