# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that run one command."""

from __future__ import annotations

import itertools
import json
from binascii import b2a_base64

import pytest
from ccm.ansible_tasks.argument_spec import HIDDEN_OPTION, argument_spec
from ccm.ansible_tasks.exec_task import TASK_ENVIRONMENT, run_exec
from ccm.resources.exec.type import TYPE as EXEC

from .module import ran

pytestmark = pytest.mark.starts_processes


def task(check=False, diff=False, **arguments):
    spec = {**argument_spec(EXEC), **HIDDEN_OPTION}
    return ran(lambda module: run_exec(module, EXEC), spec, arguments, check, diff)


@pytest.mark.parametrize(
    ("creates", "onlyif", "unless", "refreshonly", "refresh"),
    list(
        itertools.product(("there", "missing", None), ("true", "false", None), ("true", "false", None), (0, 1), (0, 1))
    ),
)
def test_check_mode_predicts_the_run(tmp_path, creates, onlyif, unless, refreshonly, refresh):
    (tmp_path / "there").touch()
    arguments = {"name": f"touch {tmp_path}/ran", "refreshonly": bool(refreshonly), "refresh": bool(refresh)}
    if creates:
        arguments["creates"] = str(tmp_path / creates)
    arguments.update({key: value for key, value in (("onlyif", onlyif), ("unless", unless)) if value})
    satisfied = creates == "there" or onlyif == "false" or unless == "true"
    wanted = bool(refresh) or not (satisfied or refreshonly)
    preview = task(check=True, diff=True, **arguments)
    assert not (tmp_path / "ran").exists()
    done = task(**arguments)
    assert preview["changed"] == done["changed"] == (tmp_path / "ran").exists() == wanted
    assert preview["event"]["refreshed"] == done["event"]["refreshed"] == bool(refresh)
    by = " via subscribe" if refresh else ""
    assert preview["msg"] == (f"Would have executed{by}" if wanted else "Nothing to do")
    assert done["msg"] == (f"Executed{by}" if wanted else "Nothing to do")
    assert preview["diff"] == []


def test_the_environment_of_the_task_is_below_its_options():
    variables = {"LEVEL": "play", "OTHER": "a b", "PATH": "/of/the/play"}
    hidden = b2a_base64(json.dumps({TASK_ENVIRONMENT: variables}).encode()).decode()

    def printed(**options):
        result = task(name="show", command="/usr/bin/env", logoutput=True, _hidden=hidden, **options)
        given = {name: result["event"]["properties"].get(name) for name in ("environment", "path")}
        assert given == {"environment": None, "path": None, **options}
        assert "task_environment" not in result["event"]["properties"]
        return dict(line.split("=", 1) for line in result["log"])

    common = {"LANG": "C", "LC_ALL": "C", "OTHER": "a b"}
    assert printed() == {**common, "LEVEL": "play", "PATH": "/of/the/play"}
    assert printed(environment=["LEVEL=own"], path="/usr/bin") == {**common, "LEVEL": "own", "PATH": "/usr/bin"}
    guarded = {"onlyif": "test -n ''", "provider": "shell"}
    assert task(name="true", _hidden=hidden, **{**guarded, "onlyif": '[ "$OTHER" = "a b" ]'})["changed"] is True
    assert task(name="true", **{**guarded, "onlyif": '[ "$OTHER" = "a b" ]'})["changed"] is False


def test_output_is_returned_on_request():
    assert task(name="printf 'a\\nb\\n'", logoutput=True)["log"] == ["a", "b"]
    assert "log" not in task(name="printf 'a\\nb\\n'")


@pytest.mark.parametrize("code", [0, 3])
def test_exit_code_and_output_are_returned(code):
    result = task(name="x", command=f"sh -c 'echo out; echo err >&2; exit {code}'")
    assert result["failed"] == (code != 0)
    assert (result["rc"], result["stdout"], result["stderr"]) == (code, "out\n", "err\n")


@pytest.mark.parametrize(("arguments", "check"), [({}, True), ({"creates": "/"}, False)])
def test_a_command_that_did_not_start_has_no_exit_code(arguments, check):
    assert not {"rc", "stdout", "stderr"} & set(task(check=check, name="true", **arguments))


def test_output_that_is_not_utf8_can_be_returned():
    assert task(name="printf '\\377\\n'", logoutput=True)["log"] == ["\ufffd"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"name": "'open"}, "exec#'open: Unterminated single-quoted string"),
        ({"name": "x", "path": "bin"}, 'exec#x: invalid path: "bin" is not an absolute path'),
        ({"name": "x", "environment": ["A"]}, "exec#x: invalid environment variable \"A\": missing '='"),
        ({"name": "x", "timeout": "soon"}, 'exec#x: invalid duration (timeout: "soon"); write a duration like 10s'),
        ({"name": "no-such-command-anywhere"}, "exec#no-such-command-anywhere: "),
        ({"name": "false"}, "exit code 1 not in allowed returns [0]"),
        ({"name": "sleep 9", "timeout": "50ms"}, "exec#sleep 9: "),
        ({"name": "x", "provider": "magic"}, 'provider not found (provider: "magic"); providers of exec: posix, shell'),
        ({"name": "echo \0"}, "exec#"),
        ({"name": "true", "returns": [10**30]}, "exec#true: "),
    ],
)
def test_invalid_options_are_reported(arguments, expected):
    result = task(**arguments)
    assert result["failed"]
    assert expected in result["msg"]
    assert result["changed"] is False


def test_output_is_logged_in_lines_that_end_with_line_feeds():
    output = "one\\rtwo\\fthree\\vfour\\302\\205five\\342\\200\\250six\\r\\n\\nseven\\034\\n\\r"
    logged = task(name=f"printf '{output}'", logoutput=True)["log"]
    assert logged == ["one\rtwo\fthree\vfour\x85five\u2028six", "", "seven\x1c", ""]
