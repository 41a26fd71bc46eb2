# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import threading

import pytest
from ccm.data import factfiles
from ccm.data.environment import Environment, facts_of_machine
from ccm.host.facts.fields import HostInfo
from ccm.host.facts.system import Facts
from ccm.model.errors import TemplateError
from ccm.model.log import Log

from tests.patience import wait_until

DATA = {"port": 8080, "weight": 1.5, "list": [1, 2], "nothing": None, "empty": ""}


@pytest.fixture
def environment(tmp_path):
    return Environment({"os": "linux"}, DATA, {"HOME": "/root"}, str(tmp_path))


def message(call, *arguments, **named):
    with pytest.raises(TemplateError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def first_line(environment, expression):
    return message(environment.evaluate, expression).partition("\n")[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("Facts.os", "linux"),
        ("Data.port + 1", 8081),
        ("Environ.HOME", "/root"),
        ("Environ.NONE", ""),
        ("Data.none", None),
        ('$env["Data"].port', 8080),
        ("lookup('data.port')", 8080),
        ("lookup('facts.os')", "linux"),
        ("lookup('environ.HOME')", "/root"),
        ("lookup('data.list')", [1.0, 2.0]),
        ("lookup('data.none', 'x')", "x"),
        ("lookup('data.nothing', 'x')", None),
        ("lookup('data.empty', 'x')", ""),
    ],
)
def test_names_in_expressions(environment, expression, value):
    found = environment.evaluate(expression)
    assert (found, type(found)) == (value, type(value))


def test_lookup_from_python(environment):
    assert environment.lookup("data.port") == 8080
    assert environment.lookup("data.none", 5) == 5
    assert message(environment.lookup, "data.none") == "missing key 'data.none' in environment"
    assert message(environment.lookup, "data.none", None) == "missing key 'data.none' in environment"


def test_booleans_on_request(environment):
    assert environment.evaluate("Data.port > 1", as_bool=True) is True
    assert environment.evaluate("Data.none", as_bool=True) is False
    assert message(environment.evaluate, "'x'", as_bool=True).endswith("expected bool, but got string")
    assert message(environment.evaluate, "lookup('data.port')", as_bool=True).startswith(
        "invalid operation: bool(int64)"
    )


def test_a_compile_error_names_the_expression(environment):
    assert first_line(environment, "nosuch()") == "expr compile error for 'nosuch()': unknown name nosuch (1:1)"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("lookup()", "lookup requires 1 or 2 arguments"),
        ("lookup(1)", "lookup requires a string argument"),
        ("lookup('data.none')", "missing key 'data.none' in environment"),
        ("readFile()", "readFile requires a string argument"),
        ("file(1)", "readFile requires a string argument"),
        ("template(1)", "template requires a string argument"),
        ("jet()", "jet requires 1 or 3 arguments"),
        ("jet('a', 'b')", "jet requires 1 or 3 arguments"),
        ("jet(1)", "jet requires a string argument for template body"),
        ("jet('x', 1, ']]')", "jet requires a string argument for left delimiter"),
        ("jet('x', '[[', 1)", "jet requires a string argument for right delimiter"),
        ("registrations('a')", "registrations requires 4 string arguments: cluster, protocol, service, ip"),
        ("registrations('a', 'b', 3, 'd')", "registrations argument 3 must be a string"),
        ("registrations('a', 'b', 'c', 'd')", "registrations function not available"),
        ("kvGet('a')", "kvGet requires 2 string arguments: bucket, key"),
        ("kvGet('a', 1)", "kvGet argument 2 must be a string"),
        ("kvGet('a', 'b')", "kvGet function not available"),
    ],
)
def test_errors_of_functions(environment, expression, reason):
    assert first_line(environment, expression) == reason + " (1:1)"


def test_jet_renders_a_text_or_a_file(environment, tmp_path):
    (tmp_path / "a.jet").write_text("[[ Data.port + 1 ]]")
    assert environment.evaluate("jet('[[ data.port ]]')") == "8080"
    assert environment.evaluate("jet('a.jet')") == environment.evaluate("template('a.jet')") == "8081"
    assert environment.evaluate("jet('<% data.port %>', '<%', '%>')") == "8080"
    assert 'identifier "x" not available' in first_line(environment, "jet('[[ x ]]')")
    assert "failed to read file" in first_line(environment, "jet('none.jet')")


def test_a_jet_file_that_includes_itself_ends_with_an_error(environment, tmp_path):
    (tmp_path / "a.jet").write_text('[[ template("a.jet") ]]')
    assert "jet() calls itself more than 10 times deep" in first_line(environment, "jet('a.jet')")


def test_files_are_relative_to_the_directory(environment, tmp_path):
    (tmp_path / "a").write_bytes(b"x\r\n\xff")
    found = environment.evaluate("readFile('./b/../a', 'more')")
    assert found.encode("utf-8", "surrogateescape") == b"x\r\n\xff"
    assert environment.evaluate(f"file('{tmp_path}/a')") == found
    text = first_line(environment, "readFile('none')")
    where = f'"{tmp_path}/none": working dir: "{tmp_path}": open {tmp_path}/none: no such file or directory'
    assert text == f"failed to read file {where} (1:1)"
    assert f"read {tmp_path}: is a directory" in first_line(environment, "readFile('.')")
    assert "failed to read file" in first_line(environment, r"readFile('a\x00b')")


def test_templates_are_texts_or_files(environment, tmp_path):
    (tmp_path / "a.templ").write_text("{{ Data.list }}")
    (tmp_path / "b.templ").write_text("{{ template('a.templ') }}!")
    assert environment.evaluate("template('a.templ')") == [1, 2]
    assert environment.evaluate("template('b.templ')") == "[1 2]!"
    assert environment.evaluate("template('{{ Data.port }}')") == 8080
    assert environment.evaluate("template('plain')") == "plain"


def test_a_template_that_includes_itself_ends_with_an_error(environment, tmp_path):
    (tmp_path / "a.templ").write_text("{{ template('a.templ') }}")
    assert "template() calls itself more than" in first_line(environment, "template('a.templ')")
    assert environment.evaluate("template('{{ 1 }}')") == 1


def test_hierarchies_can_use_facts_and_lookup(environment):
    restricted = environment.restricted()
    assert restricted.evaluate("Facts.os") == "linux"
    assert restricted.evaluate("Data.port") is None
    assert restricted.evaluate("lookup('data.port')") == ""
    assert restricted.evaluate("lookup('data.port', 1)") == 1
    assert "unknown name readFile" in first_line(restricted, "readFile('x')")
    assert first_line(environment.restricted(False), "lookup('facts.x')").startswith("missing key 'facts.x'")


def test_each_environment_has_its_own_functions(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for name in "ab":
        (tmp_path / name / "f").write_text(name)
    made = [Environment({}, {"x": name}, {}, str(tmp_path / name)) for name in "ab"]
    assert [environment.evaluate("readFile('f') + Data.x") for environment in made] == ["aa", "bb"]


def test_facts_are_gathered_when_they_are_used():
    looked = []

    def family(name, value):
        return lambda: looked.append(name) or value

    facts = Facts.gathered_by(
        {"host": family("host", {"info": HostInfo(os="linux")}), "cpu": family("cpu", {"info": []})}
    )
    environment = Environment(facts, {"x": 1}, {})
    assert environment.evaluate("lookup('data.x') + Data.x") == 2
    assert looked == []
    assert environment.evaluate("Facts.host.info.OS + Facts.host.info.os") == "linuxlinux"
    assert environment.lookup("facts.host.info.os") == "linux"
    assert environment.lookup("facts.host.info.OS", "none") == "none"
    assert looked == ["host"]


def test_missing_values_are_null():
    environment = Environment(None, None, None)
    assert environment.evaluate("len(Data)") == 0
    assert environment.evaluate("Data.x") is None
    assert environment.lookup("data") is None


def test_deep_nesting_ends_with_an_error(environment):
    assert message(environment.evaluate, "(" * 20000 + "1" + ")" * 20000)
    assert message(environment.evaluate, "[" * 20000 + "]" * 20000)


def test_facts_can_be_a_function():
    calls = []
    environment = Environment(lambda: calls.append(1) or {"os": "linux"}, {}, {})
    assert calls == []
    assert environment.evaluate("Facts.os + lookup('facts.os')") == "linuxlinux"
    assert calls == [1]


def test_paths_with_too_much_work_end_with_an_error(environment):
    assert "lookup of '" in message(environment.lookup, "[" * 200 + "data" + "]" * 200)


def test_facts_are_gathered_once_for_all_threads(monkeypatch):
    gathered, asking = [], []

    def gather(*_arguments, **_options):
        gathered.append(wait_until(lambda: len(asking) == 4))
        return {}

    def ask():
        asking.append(True)
        facts()

    monkeypatch.setattr(factfiles, "gather", gather)
    facts = facts_of_machine(Log())
    threads = [threading.Thread(target=ask) for _count in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gathered) == 1
