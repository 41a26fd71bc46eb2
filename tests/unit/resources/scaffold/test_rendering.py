# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scaffolds in transactions, with the engine that needs no template language of ours (behaviour.md 9, 9.1)."""

from __future__ import annotations

import copy
import os
import re
import sys

import jinja2
import pytest
from ccm.data.environment import Environment
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host.confined import ConfinedDirectory
from ccm.host.facts.fields import HostInfo
from ccm.host.facts.system import Facts
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.scaffold import jinja
from ccm.resources.scaffold.type import TYPE as SCAFFOLD

from tests.unit.attributes import attributes
from tests.unit.engine.recorder import Recorder


class Place:
    """A source, a target, and files outside of both."""

    def __init__(self, directory):
        self.directory = directory
        self.source, self.target = directory / "src", directory / "out"
        self.outside = directory / "outside"
        for path in (self.source, self.outside):
            path.mkdir()

    def has(self, **files):
        """Write templates by name; `__` is a slash, and a trailing `_` is removed."""
        for name, text in files.items():
            self.put(self.source, name, text)

    def holds(self, **files):
        """Write files of the target, with names like templates have."""
        for name, text in files.items():
            self.put(self.target, name, text)

    @staticmethod
    def put(root, name, text):
        path = root / name.replace("__", "/").rstrip("_")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, noop=False, sinks=(), log=None, user_log=None, environment=None, **given):
        values = complete(
            SCAFFOLD,
            {"name": str(self.target), "ensure": "present", "source": "src", "engine": "jinja2", **given},
        )
        properties = Properties(values)
        SCAFFOLD.validate(properties)
        plain = {"os": "x", "host": HostInfo()}
        environment = environment or Environment(plain, {"who": "ann"}, {"HOME": "/h"}, str(self.directory))
        context = Context(
            noop=noop,
            directory=str(self.directory),
            environment=environment,
            log=log,
            user_log=user_log,
            sinks=sinks,
        )
        resource = Resource(SCAFFOLD, properties).with_properties(SCAFFOLD.derived_values(properties))
        return run_transaction(resource, context)

    def error(self, **given):
        event = self.run(**given)
        assert event.failed
        return event.errors[0]

    def existing_files(self, root=None):
        """Return the content of the target: text by path, None for directories, the target of links."""
        root = root or self.target
        found = {}
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if path.is_symlink():
                found[name] = "-> " + os.readlink(path)
            else:
                found[name] = None if path.is_dir() else path.read_text()
        return found


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    yield Place(tmp_path)
    assert os.listdir(tmp_path / "tmp") == []


def lists(event):
    lead = len(event.name) + 1
    metadata = event.status.metadata
    return {key: [path[lead:] for path in metadata[key]] for key in ("changed", "purged", "stable") if key in metadata}


def test_a_tree_is_rendered_and_is_then_stable(place):
    place.has(a="{{ data.who }} {{ facts.os }} {{ Environ.HOME }}\n", sub__b="b", sub__deep__c="")
    rendered = place.run(noop=True)
    assert (rendered.changed, lists(rendered)) == (True, {"changed": ["a", "sub/b", "sub/deep/c"]})
    assert not place.target.exists()
    event = place.run()
    assert (event.changed, event.failed, lists(event)) == (True, False, {"stable": ["a", "sub/b", "sub/deep/c"]})
    assert place.existing_files() == {"a": "ann x /h\n", "sub": None, "sub/b": "b", "sub/deep": None, "sub/deep/c": ""}
    again = place.run()
    assert (again.changed, again.status.stable) == (False, True)


def test_files_are_compared_for_the_decision_and_after_it(place, monkeypatch):
    compared, real = [], ConfinedDirectory.holds
    monkeypatch.setattr(
        ConfinedDirectory, "holds", lambda tree, path, content: compared.append(path) or real(tree, path, content)
    )
    place.has(a="a", b="b", c="c")
    place.holds(a="a", b="x")
    assert lists(place.run()) == {"stable": ["a", "b", "c"]}
    assert compared == ["a", "b", "c"] * 2
    assert place.existing_files() == {"a": "a", "b": "b", "c": "c"}


def test_only_different_files_are_written(place):
    place.has(a="a", b="b")
    place.holds(a="a", b="x")
    before = os.stat(place.target / "a").st_ino, os.stat(place.target / "b").st_ino
    place.run()
    after = os.stat(place.target / "a").st_ino, os.stat(place.target / "b").st_ino
    assert (before[0] == after[0], before[1] == after[1]) == (True, False)
    assert place.existing_files() == {"a": "a", "b": "b"}


def test_modes_follow_the_umask_and_not_the_source(place):
    place.has(d__a="a")
    os.chmod(place.source / "d" / "a", 0o755)
    before = os.umask(0o027)
    try:
        place.run()
    finally:
        os.umask(before)
    modes = [os.stat(place.target / name).st_mode & 0o777 for name in (".", "d", "d/a")]
    assert modes == [0o750, 0o750, 0o640]


def test_partials_are_rendered_on_request(place):
    place.has(
        a="{{ render('_partials/p', {'n': 1}) }}{{ render('sub/_partials/q', data) }}",
        _partials__p="p{{ n }}",
        sub___partials__q="q{{ who }}",
        sub__b="b",
    )
    place.run()
    assert place.existing_files() == {"a": "p1qann", "sub": None, "sub/b": "b"}


def test_additional_files_are_written_into_their_directory(place):
    place.has(a="{{ write('made', 'one') }}a", sub__b="{{ write('sub/also', '') }}b", z="{{ write('a', 'z') }}z")
    place.run()
    assert place.existing_files() == {"a": "z", "made": "one", "sub": None, "sub/also": "", "sub/b": "b", "z": "z"}


OUTSIDE = ["../evil", "/../evil", "a/../../evil", "..", "../out/../evil", "x/../../../../../evil"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_is_written_outside_of_the_target(place, name):
    place.has(a=f"{{{{ write('{name}', 'x') }}}}")
    assert "is not in target directory" in place.error()
    assert sorted(os.listdir(place.directory)) == ["outside", "src", "tmp"]


@pytest.mark.parametrize("name", ["../outside/f", "..", "a/../../src2"])
def test_nothing_is_rendered_from_outside_of_the_source(place, name):
    (place.outside / "f").write_text("secret")
    place.has(a=f"{{{{ render('{name}', data) }}}}")
    assert f"{name} is not in source directory {place.source}" in place.error()


def test_templates_that_include_each_other_without_end_are_named(place):
    place.has(a="{{ render('_partials/b', {}) }}", _partials__b="{{ render('a', {}) }}")
    assert place.error() == "render goes more than 50 templates deep: a > _partials/b > a > _partials/b > ..."


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("none/f", "no such file"), ("a/f", "not a directory"), ("sub", "is a directory"), ("", "is a directory")],
)
def test_a_file_without_its_directory_is_an_error(place, name, wanted):
    place.has(a="a", sub__b="b", z=f"{{{{ write('{name}', 'x') }}}}")
    assert wanted in place.error()
    assert not place.target.exists()


def test_files_that_render_to_nothing_are_left_out_on_request(place):
    place.has(a=" \n", b="{{ write('c', '') }}", d="d")
    place.run(skip_empty=True)
    assert place.existing_files() == {"c": "", "d": "d"}


def test_purging_removes_files_and_links_and_keeps_directories(place):
    (place.outside / "f").write_text("f")
    place.has(a="a")
    place.holds(a="a", mine="m", sub__also="x")
    (place.target / "link").symlink_to(place.outside)
    kept = place.run()
    assert (kept.changed, lists(kept)) == (False, {"purged": ["link", "mine", "sub/also"], "stable": ["a"]})
    event = place.run(purge=True)
    assert (event.changed, lists(event)) == (True, {"stable": ["a"]})
    assert place.existing_files() == {"a": "a", "sub": None}
    assert place.existing_files(place.outside) == {"f": "f"}


def test_links_to_files_are_followed_for_comparison_and_replaced(place):
    (place.outside / "same").write_text("a")
    (place.outside / "other").write_text("x")
    place.has(a="a", b="b", c="c")
    place.target.mkdir()
    (place.target / "a").symlink_to(place.outside / "same")
    (place.target / "b").symlink_to(place.outside / "other")
    (place.target / "c").symlink_to("nowhere")
    event = place.run(noop=True)
    assert lists(event) == {"changed": ["b", "c"], "stable": ["a"]}
    place.run()
    assert place.existing_files() == {"a": f"-> {place.outside}/same", "b": "b", "c": "c"}
    assert place.existing_files(place.outside) == {"other": "x", "same": "a"}


@pytest.mark.parametrize("noop", [False, True])
@pytest.mark.parametrize("purge", [False, True])
def test_nothing_is_written_through_a_link_in_the_target(place, noop, purge):
    place.has(a="new", sub__deep__b="b")
    place.holds(a="old")
    (place.outside / "deep").mkdir()
    (place.target / "sub").symlink_to(place.outside)
    assert "symbolic link" in place.error(noop=noop, purge=purge)
    assert place.existing_files()["a"] == "old"
    assert place.existing_files(place.outside) == {"deep": None}


def test_nothing_is_removed_through_a_link_in_the_target(place):
    place.has(a="a", sub__b="b")
    place.holds(a="a")
    (place.outside / "b").write_text("b")
    (place.target / "sub").symlink_to(place.outside)
    event = place.run(ensure="absent")
    assert (event.failed, event.changed, event.final_ensure) == (False, True, "absent")
    assert place.existing_files() == {"sub": f"-> {place.outside}"}
    assert place.existing_files(place.outside) == {"b": "b"}


def test_the_path_of_a_target_can_contain_a_link(place):
    place.has(a="a")
    place.target.symlink_to(place.outside)
    assert not place.run(purge=True).failed
    assert place.existing_files(place.outside) == {"a": "a"}
    assert not place.run().changed


def test_absent_removes_rendered_files_and_directories_that_become_empty(place):
    place.has(a="a", sub__deep__b="b", sub2__c="c")
    place.holds(a="other", sub__deep__b="b", sub2__c="c", sub2__mine="m")
    rendered = place.run(ensure="absent", noop=True)
    assert rendered.noop_message == "Would have removed 3 scaffold files"
    assert rendered.final_ensure == "present"
    event = place.run(ensure="absent")
    assert (event.changed, event.final_ensure) == (True, "absent")
    assert place.existing_files() == {"sub2": None, "sub2/mine": "m"}
    assert not place.run(ensure="absent").changed


@pytest.mark.starts_processes
def test_post_commands_run_on_copies_three_times_for_a_change(place):
    log = place.directory / "log"
    place.has(a="a", b="b", sub__c="{{ write('made', 'm') }}c")
    post = [
        {"[ab]": f"sh -c 'echo x >> {log}'"},
        {"b": "chmod 0600 {}", "*c": "sed -i s/c/C/"},
        {"made": "truncate -s 0"},
    ]
    place.run(post=post, noop=True)
    assert (log.read_text(), place.target.exists()) == ("x\nx\n", False)
    log.write_text("")
    event = place.run(post=post)
    assert (event.changed, lists(event)) == (True, {"stable": ["a", "b", "made", "sub/c"]})
    assert log.read_text() == "x\n" * 6
    assert place.existing_files() == {"a": "a", "b": "b", "made": "", "sub": None, "sub/c": "C"}
    assert os.stat(place.target / "b").st_mode & 0o777 == 0o600
    assert not place.run(post=post).changed


@pytest.mark.starts_processes
def test_files_that_post_commands_create_or_remove_are_included(place):
    place.has(a="a", b="b")
    event = place.run(post=[{"a": "sh -c 'mkdir -p $0.d && cp $0 $0.d/copy && ln -s x $0.link'"}, {"b": "rm"}])
    assert lists(event) == {"stable": ["a", "a.d/copy"]}
    assert place.existing_files() == {"a": "a", "a.d": None, "a.d/copy": "a"}


@pytest.mark.parametrize(
    ("post", "wanted"),
    [
        pytest.param(
            {"*": "sh -c 'echo out; echo err >&2; exit 3'"},
            'failed to post process a\nerror: exit status 3\noutput: "out\\nerr',
            marks=pytest.mark.starts_processes,
        ),
        pytest.param({"*": "/nowhere/tool"}, "failed to post process a\nerror: ", marks=pytest.mark.starts_processes),
        ({"[": "true"}, "syntax error in pattern"),
        ({"*": "echo 'x"}, "Unterminated single-quoted string"),
        ({"*": " "}, "no command specified"),
    ],
)
def test_post_commands_that_fail_are_named(place, post, wanted):
    place.has(a="a")
    assert wanted in place.error(post=[post])
    assert not place.target.exists()


@pytest.mark.starts_processes
def test_post_commands_inherit_the_environment(place, monkeypatch):
    monkeypatch.setenv("CCM_TEST", "rendered")
    place.has(a="a")
    place.run(post=[{"*": "sh -c 'printf %s $CCM_TEST > $0'"}])
    assert place.existing_files() == {"a": "rendered"}


def test_sources_contain_only_files_and_directories(place):
    place.has(a="a", sub__b="b")
    (place.source / "sub" / "link").symlink_to("b")
    assert place.error() == "invalid file in source: link"


@pytest.mark.parametrize(("source", "reason"), [("none", "no such file"), ("src/a", "not a directory")])
def test_a_source_must_be_a_directory(place, source, reason):
    place.has(a="a")
    found = place.error(source=source)
    assert found.startswith(f"cannot read source directory: stat {place.directory}/{source}: {reason}")


def test_data_of_the_resource_replaces_data_of_the_run(place):
    place.has(a="{{ data }} {{ Data.x }} {{ lookup('data.x') }} {{ lookup('facts.os') }}")
    place.run(data={"x": 1})
    assert place.existing_files() == {"a": "{'x': 1} 1 1 x"}


def test_bytes_that_are_not_utf8_are_copied(place):
    (place.source / "a").write_bytes(b"\xff{{ data.who }}\xfe\n")
    place.run()
    assert (place.target / "a").read_bytes() == b"\xffann\xfe\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ nope }}", "template a:1: 'nope' is undefined"),
        ("\n{{ data.none }}", "template a:2: "),
        ("\n\n{% if %}", "template a:3: "),
        ("{{ lookup('data.none') }}", "template a:1: missing key 'data.none' in environment"),
        ("{{ 1 / 0 }}", "template a:1: division by zero"),
        ("{{ file('none') }}", "template a:1: failed to read file"),
        ("{{ lookup() }}", "template a:1: lookup requires 1 or 2 arguments"),
    ],
)
def test_errors_in_templates_have_a_position(place, text, wanted):
    place.has(a=text)
    assert wanted in place.error()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{{ render("b") }}', "render requires 2 arguments: render(name, data)"),
        ("{{ render() }}", "render requires 2 arguments: render(name, data)"),
        ('{{ render("b", {}, 1) }}', "render requires 2 arguments: render(name, data)"),
        ('{{ render("b", name="b") }}', "render requires 2 arguments: render(name, data)"),
        ('{{ write("b", text="b") }}', "write requires 2 arguments: write(name, content)"),
        ('{{ write("b", 1) }}', "content of write(name, content) must be text"),
        ("{{ render(1, {}) }}", "name of render(name, data) must be text"),
        ('{{ lookup(path="data.a") }}', "lookup takes its arguments in order, without names like path="),
        *(
            (text, 'include, import and extends find no other templates here: use render("b", data)')
            for text in ('{% include "b" %}', '{% extends "b" %}', '{% import "b" as b %}', '{% from "b" import c %}')
        ),
    ],
)
def test_wrong_arguments_of_functions_are_reported(place, text, wanted):
    place.has(a="\n" + text, b="b")
    assert place.error() == f"template a:2: {wanted}"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ ''.__class__ }}", "access to attribute '__class__' of 'str' object is unsafe."),
        ("{{ lookup.__globals__ }}", "access to attribute '__globals__' of 'function' object is unsafe."),
        ("{{ write | attr('__globals__') }}", "access to attribute '__globals__' of 'function' object is unsafe."),
        ("{{ '{0.__globals__}'.format(render) }}", "access to attribute '__globals__' of 'function' object is unsafe."),
        (
            "{{ facts.host.GO_NAMES.update({'a': 'b'}) }}",
            "access to attribute 'GO_NAMES' of 'HostInfo' object is unsafe.",
        ),
        ("{{ 'x' * 10 ** 9 }}", "the result would be larger than 100000000 characters, entries or bits"),
        ("{{ 10 ** 9 * [1] }}", "the result would be larger than 100000000 characters, entries or bits"),
        ("{{ 9 ** (9 ** 9) }}", "the result would be larger than 100000000 characters, entries or bits"),
    ],
)
def test_jinja2_templates_cannot_reach_python_or_fill_the_memory(place, text, wanted):
    place.has(a=text)
    assert place.error() == f"template a:1: {wanted}"


CHANGES = {
    "its own list": "{% set l = [] %}{% for x in [1, 2] %}{% set _ = l.append(x) %}{% endfor %}{{ l }}",
    "a namespace": "{% set n = namespace(l=[]) %}{% set _ = n.l.append(1) %}{{ n.l }}",
    "a part": "{% set y = data.l %}{% set _ = y.append(3) %}{{ data.l }} {{ Data.l }}",
    "an alias": "{% set _ = data.same.append(3) %}{{ data.l }}",
    "a map": "{% set _ = data.update({'who': 'bob'}) %}{{ data.who }}{% set _ = data.pop('l') %} {{ 'l' in data }}",
    "by its name": "{% set _ = data.l | attr('append') %}{% set _ = data.l['extend']([3]) %}{{ data.l }}",
    "by the class": "{% set _ = dict.update(data, {'who': 'bob'}) %}{{ data.who }}",
    "in a format": "{{ '{0.append}'.format(data.l)[:15] }}",
    "in a filter": "{% set m = [data.l] | map(attribute='clear') | list %}{% set _ = m[0]() %}{{ data.l }}",
    "in a macro": "{% macro m(l) %}{% set _ = l.append(3) %}{% endmacro %}{{ m(data.l) }}{{ data.l }}",
    "in a block": "{% set l = [1] %}{% block b %}{% set _ = l.append(2) %}{{ l }}{% endblock %}{{ l }}",
    "the environment": "{% set _ = environ.update({'HOME': '/'}) %}{{ environ.HOME }}",
    "facts": "{% set _ = facts.update({'os': 'y'}) %}{{ facts.os }}{{ Facts.os }}",
    "a fact": "{% set _ = facts.host.update({'hostname': 'y'}) %}{{ facts.host.Hostname }}",
    "a default": "{% set l = [1] %}{% set _ = lookup('data.none', l).append(2) %}{{ l }}",
    "a key that is a method": "{% set _ = data.l.append(3) %}{{ data['clear'] }}{{ data.l }}",
}


@pytest.fixture
def gathered():
    """Return facts that note which families were gathered, and the notes."""
    notes = []

    def gather(name, value):
        return lambda: notes.append(name) or value

    host = HostInfo(hostname="x", os="linux")
    return Facts.gathered_by({"os": gather("os", "x"), "host": gather("host", host), "cpu": gather("cpu", [1])}), notes


@pytest.mark.parametrize("text", CHANGES.values(), ids=CHANGES)
def test_jinja2_templates_change_only_what_they_see(place, text, gathered):
    """A template changes lists and maps as in Jinja2 alone, and the next one, and the run, see what there was (Q82)."""
    shared = [1, 2]

    def values():
        return {"who": "ann", "l": shared, "same": shared, "clear": "c"}

    data, environ = values(), {"HOME": "/h"}
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined)
    environment.globals["lookup"] = lambda path, default: default
    plain = {
        "facts": {"os": "x", "host": HostInfo(hostname="x")},
        "data": copy.deepcopy(values()),
        "environ": dict(environ),
    }
    seen = environment.from_string(text).render({**plain, "Data": plain["data"], "Facts": plain["facts"]})
    after = "{{ data }}{{ environ }}{{ facts.os }}{{ facts.host }}"
    place.has(a=text, b=after, c='{{ render("_partials/d", data) }}{{ data.l }}')
    place.has(_partials__d="{% set _ = l.append(9) %}{{ l }}")
    facts, _notes = gathered
    place.run(environment=Environment(facts, data, environ, str(place.directory)))
    assert place.existing_files() == {
        "a": seen,
        "b": "{'who': 'ann', 'l': [1, 2], 'same': [1, 2], 'clear': 'c'}{'HOME': '/h'}x{'hostname': 'x', 'os': 'linux'}",
        "c": "[1, 2, 9][1, 2]",
    }
    assert (data, environ, facts["os"]) == (values(), {"HOME": "/h"}, "x")
    assert data["l"] is shared


def test_values_that_functions_return_are_not_changed(place):
    place.has(
        a="{% set _ = lookup('data.l').append(3) %}{{ lookup('data.l') }}", b="{{ lookup('data.l') }}{{ data.l }}"
    )
    environment = Environment({}, {"l": ["1", "2"]}, {}, str(place.directory))
    place.run(environment=environment)
    assert place.existing_files()["b"] == "['1', '2']['1', '2']"


def test_templates_that_change_nothing_copy_nothing(place, gathered, monkeypatch):
    """Reading makes no copy, and a change gathers no facts that the template does not use."""
    facts, notes = gathered
    place.has(
        a="{{ facts.os }}{{ data.l | sort | join }}{{ data.l.index(1) }}{{ data.items() | list }}{{ data.get('l') }}"
    )
    monkeypatch.setattr(jinja, "own", None)
    place.run(environment=Environment(facts, {"l": [2, 1]}, {}, str(place.directory)))
    assert place.existing_files() == {"a": "x121[('l', [2, 1])][2, 1]"}
    monkeypatch.undo()
    place.has(a="{% set _ = [].append(1) %}{{ facts.os }}")
    place.run(environment=Environment(facts, {"l": [2, 1]}, {}, str(place.directory)))
    assert notes == ["os"]


def test_templates_that_render_each_other_are_begun_twice_only_once(place):
    """Each of 20 templates changes something after the next one was rendered: not twice as much for each level."""
    inner = (
        "{% set l = [n] %}{{ n and render('_partials/d', {'n': n - 1}) }}{{ lookup('data.who') }}{% set _ = l.pop() %}"
    )
    place.has(a="{{ render('_partials/d', {'n': 20}) }}", _partials__d=inner)
    looked_up = []

    class Noting(Environment):
        def lookup(self, path, default=None):
            looked_up.append(path)
            return super().lookup(path, default)

        def with_data(self, data):
            return Noting(self.facts, data, self.environ, self.directory)

    place.run(environment=Noting({}, {"who": "x"}, {}, str(place.directory)))
    assert place.existing_files() == {"a": "0" + "x" * 21}
    assert len(looked_up) <= 2 * 21**2


LINE_ENDS = {
    "no delimiter": (b"\x89PNG\r\n\x1a\n\0\xff\r{ %}", b"\x89PNG\r\n\x1a\n\0\xff\r{ %}"),
    **{f"binary, {begin}": (f"x\0{begin} abc #}}\r\ny\0".encode(),) * 2 for begin in ("{{", "{%", "{#")},
    "one kind": (b"a {{ 1 }}\r\n{% if 1 %}\r\ny\r\n{% endif %}\r\nb\r\n", b"a 1\r\ny\r\nb\r\n"),
    "mixed": (b"a\rb\n{{ 1 }}\r\n{# x\r\n #}\rc\n\r\n", b"a\rb\n1\r\nc\n\r\n"),
    "stripped": (b"a\r\n  {%- if 1 %}\nb\r{{ 2 -}}\n\r\n c\r\n{% endif %}\nd\n", b"ab\r2c\r\nd\n"),
    "raw": (b"{% raw %}{{\r\n}}\n{% endraw %}\r\nx\r", b"{{\r\n}}\nx\r"),
    "a loop": (b"{% for x in [1, 2] %}\r\n{{ x }}\r\n,\n{% endfor %}\r\n", b"1\r\n,\n2\r\n,\n"),
    "no last line end": (b"{{ 1 }}\r\nx", b"1\r\nx"),
    "not UTF-8": (b"\xe9 {{ 1 }}\r\n\xff\n", b"\xe9 1\r\n\xff\n"),
    "lines of a block": (b"{% set x =\r\n 1 %}\r\n{{ x\r\n}}\n\r\n", b"1\n\r\n"),
}


@pytest.mark.parametrize(("template", "wanted"), LINE_ENDS.values(), ids=LINE_ENDS)
def test_lines_of_jinja2_templates_keep_their_ends(place, template, wanted):
    (place.source / "a").write_bytes(template)
    place.run()
    assert (place.target / "a").read_bytes() == wanted


class LinesOfUnicode:
    """How Jinja2 before 3 finds the lines of a template: each line end of Unicode is one."""

    def __init__(self, ends):
        self._ends = ends

    def split(self, text):
        lines = text.splitlines() + [""] * text.endswith(("\r", "\n"))
        return [part for line in lines for part in (line, "\n")][:-1]

    def sub(self, *given):
        return self._ends.sub(*given)


@pytest.mark.parametrize("release", ["this", "before 3"])
def test_characters_that_end_lines_in_unicode_stay_in_jinja2_templates(place, monkeypatch, release):
    if release == "before 3":
        monkeypatch.setattr("jinja2.lexer.newline_re", LinesOfUnicode(jinja2.lexer.newline_re))
    others = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
    template = f"a{others}b\r\n{{{{ 1 }}}}{others}\n{{{{ 'x{others}' }}}}\r\n{others}\n"
    (place.source / "a").write_bytes(template.encode())
    place.run()
    wanted = f"a{others}b\r\n1{others}\nx{others}\r\n{others}\n"
    assert (place.target / "a").read_bytes().decode() == wanted


def test_small_calculations_are_allowed(place):
    place.has(a="{{ 'x' * 3 }}{{ 3 * 4 ** 2 }}{{ 2 ** -1 }}{{ 2.5 * 2 }}{{ -1 * 'y' }}")
    place.run()
    assert place.existing_files() == {"a": "xxx480.55.0"}


def test_a_template_that_needs_too_much_memory_is_named(place):
    place.has(sub__a="{{ 'x'.center(10 ** 18) }}")
    assert place.error() == "template sub/a needs more memory than there is"


def test_functions_of_scaffolds_accept_names(place):
    place.has(a='{{ render(name="_partials/b", data={"x": 1}) }}{{ write("c", content="c") }}', _partials__b="{{ x }}")
    place.run()
    assert place.existing_files() == {"a": "1", "c": "c"}


def test_a_missing_language_is_an_error_with_advice(place, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    place.has(a="a")
    event = place.run()
    assert "needs the Python package jinja2" in event.errors[0]
    assert "python3-jinja2" in event.causes[0].advice


def differences_of(place, **given):
    rendered = []

    def keep(resource, provider, state):
        rendered.extend(provider.differences(resource.properties, state))

    place.run(noop=True, sinks=[Recorder(keep)], **given)
    return rendered


def test_differences_contain_texts(place):
    place.has(a="new\n", b="b", c="c")
    place.holds(a="old\n", c="c", mine="m")
    rendered = differences_of(place, purge=True)
    output = [(entry["before_header"], entry["change"], entry["before"], entry["after"]) for entry in rendered]
    root = str(place.target)
    assert output == [
        (f"{root}/a", "changed", "old\n", "new\n"),
        (f"{root}/b", "added", "", "b"),
        (f"{root}/mine", "removed", "m", ""),
    ]


def test_differences_of_files_that_are_not_text(place):
    place.has(empty="", link="x")
    place.holds(gone_empty="")
    (place.target / "gone_binary").write_bytes(b"\0")
    (place.target / "gone_link").symlink_to("empty")
    (place.target / "link").symlink_to("nowhere")
    output = [
        (entry["after_header"][len(str(place.target)) + 1 :], entry["change"])
        for entry in differences_of(place, purge=True)
    ]
    assert output == [
        ("empty", "added"),
        ("gone_binary", "removed"),
        ("gone_empty", "removed"),
        ("gone_link", "removed"),
        ("link", "changed"),
    ]


def test_differences_read_only_the_shown_part_of_a_file(place):
    place.has(a="a")
    place.holds(a="a")
    with open(place.target / "huge", "wb") as file:
        file.truncate(1 << 43)
    (difference,) = differences_of(place, purge=True)
    assert (difference["change"], difference["dst_larger"]) == ("removed", 100_000)


def _directory_for_file(place):
    (place.target / "a").mkdir(parents=True)


def _dangling_target(place):
    place.target.symlink_to("nowhere")


def _file_for_directory(place):
    (place.source / "empty").mkdir()
    place.holds(empty="")


@pytest.mark.parametrize("prepare", [_directory_for_file, _dangling_target, _file_for_directory])
def test_a_run_that_would_fail_also_fails_in_noop(place, prepare):
    place.has(a="a")
    prepare(place)
    foreseen, met = place.error(noop=True), place.error()
    assert foreseen == met


def test_an_obstacle_that_is_not_in_the_way_of_a_file_is_ignored(place):
    place.has(a="a")
    (place.source / "empty").mkdir()
    place.holds(a="a", empty="")
    assert not place.run().changed
    dangling = place.directory / "link"
    dangling.symlink_to("nowhere")
    event = place.run(name=str(dangling), ensure="absent")
    assert (event.failed, event.changed) == (False, False)


def test_a_source_that_cannot_be_listed_is_reported(place, as_unprivileged_user):
    place.has(a="a", sub__b="b")
    (place.source / "sub").chmod(0)
    as_unprivileged_user()
    assert place.error() == f"open {place.source}/sub: permission denied"


def test_an_entry_that_cannot_be_removed_is_reported_and_kept(place, as_unprivileged_user, recorded_log):
    place.has(a="a", sub__b="b")
    place.run()
    for path in (place.target / "sub", place.target):
        path.chmod(0o555)
    as_unprivileged_user()
    event = place.run(ensure="absent", log=recorded_log)
    assert event.errors == ["failed to reach desired state: absent: target still has 2 stable and 0 changed files"]
    assert recorded_log.messages[-4:] == [
        *("Failed to remove file", "Failed to remove file", "Failed to remove directory"),
        "Target directory not removed",
    ]
    assert place.existing_files() == {"a": "a", "sub": None, "sub/b": "b"}


@pytest.mark.starts_processes
def test_post_commands_that_remove_a_directory(place):
    place.has(sub__a="a", sub__b="b")
    found = place.error(post=[{"a": "sh -c 'rm -r ${0%/a}'"}])
    assert re.fullmatch("open .*/scaffold-.*/target/sub/b: no such file or directory", found)


def test_text_that_cannot_be_encoded_in_utf8(place):
    place.has(a=r"{{ '\ud800' }}")
    assert place.error() == "rendered text cannot be written as UTF-8: surrogates not allowed"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[[ render("b") ]]', "unexpected number of arguments in a call to render"),
        ('[[ write("b") ]]', "unexpected number of arguments in a call to write"),
        ('[[ render("../b", 1) ]]', "render: ../b is not in source directory "),
        ('[[ write("../b", "") ]]', "write: "),
    ],
)
def test_errors_of_scaffold_functions_in_jet(place, text, wanted):
    place.has(a=text)
    assert wanted in place.error(engine="jet")


def test_a_named_pipe_in_the_target_is_not_replaced(place):
    place.has(a="new", b="new")
    place.holds(b="new")
    os.mkfifo(place.target / "a")
    for noop in (True, False):
        text = f"{place.target}/a exists as a named pipe; cannot replace it by a file"
        assert place.error(noop=noop) == text
    assert (place.target / "a").is_fifo()
    assert place.run(ensure="absent").errors == ()
    assert not place.target.exists()


@pytest.mark.starts_processes
def test_set_id_bits_of_post_commands_are_kept(place):
    place.has(a="x")
    assert place.run(post=[{"a": "chmod 4711"}]).errors == ()
    assert (place.target / "a").stat().st_mode & 0o7777 == 0o4711


@pytest.mark.starts_processes
def test_a_named_pipe_that_a_post_command_leaves_is_not_waited_for(place):
    place.has(a="x", b="y")
    error = place.error(post=[{"a": "sh -c 'mkfifo ${0%a}b'"}])
    assert re.fullmatch("open /.*/target/b: no such device or address", error)


@pytest.mark.needs("root", "trusted_attributes", "user_attributes")
def test_a_rewritten_file_keeps_attributes_of_users(place, recorded_log):
    place.has(a="new")
    place.holds(a="old")
    os.setxattr(place.target / "a", "user.k", b"v")
    os.setxattr(place.target / "a", "trusted.k", b"v")
    assert place.run(user_log=recorded_log).errors == ()
    assert place.existing_files() == {"a": "new"}
    assert list(attributes(place.target / "a")) == ["user.k"]
    assert {"file": f"{place.target}/a", "attributes": "trusted.k"} in recorded_log.fields
