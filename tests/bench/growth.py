# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the time for a text or a manifest grows with its size: python -m tests.bench.growth [--only TEXT]

The CPU time for eight times the size is divided by the time for the size, by the minima of several runs, which take
turns: noise only adds. Where time is in proportion to the size, the ratio is 8; where it grows with the square, 64.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import pathlib
import sys
import tempfile
import time
import typing

from ccm.data.annotations import find_rules
from ccm.engine.graph.graph import REQUIRE, Edge, Graph
from ccm.health.goss.patterns import HavePatterns
from ccm.health.goss.spec import flattened, rules_of
from ccm.lang import durations, near, shellwords, yaml
from ccm.lang.durations import DurationError
from ccm.lang.expr import program
from ccm.lang.expr.program import Environment, compile_expression
from ccm.lang.gjson.result import GJSONError
from ccm.lang.gjson.search import get
from ccm.lang.gjson.wildcard import matches
from ccm.lang.go.json import marshal
from ccm.lang.go.regexp.program import Regexp
from ccm.lang.gotemplate import template as gotemplate
from ccm.lang.jet import template as jet
from ccm.lang.jsondoc import load_json
from ccm.lang.templatescan import has_expression, scan
from ccm.lang.yaml import YAMLError
from ccm.lint.check import findings
from ccm.redaction.commands import hidden_text
from ccm.redaction.faults import holds_secret
from ccm.redaction.lines import Hiding

from . import lint
from .__main__ import files

#: How much larger the second size is.
TIMES = 8
#: A case has at least that many rounds, and more until that much time was measured.
ROUNDS, SECONDS = 3, 0.2
#: Twice what is in proportion to the size; the logarithm of the size has room in it.
MOST = 2 * TIMES

# What is repeated in long texts.
WORDS = (
    *("a", "-", "token", "token-", "token=x ", "--password \\' ", "token={{x ", "token={{x", "--token '"),
    *('"token":"{{ ', "?token=", "token ", "https://u:p", "://a@ ", "\u00e9"),
)
LINES = (
    *("-", " ", "- ", "token", "token ", "-token ", "<", "<token", "<token ", "://", "://a@", "a", "pass", "login x "),
    *("\"'", "password '", "-----BEGIN PRIVATE KEY-----", "token:", "export ", "set token ", "token: !"),
)
TEMPLATES = ("{{", "${", '{{"', '{{\\"', "${'`", '\\"{', "{{\\", "}${")
HARD_PATTERNS = (
    *(("(a*)*b", "a"), ("(a|a)*b", "a"), ("(a|aa)+$", "ab"), ("(?:a?){30}a{30}b", "a"), ("(.*)(.*)(.*)(.*)x", "a")),
    *(("(a|b)*a(a|b){12}c", "aabab"), (r"(\w+\s?)*!", "ab ")),
)


class Case(typing.NamedTuple):
    """What is timed, with what: `make` returns the input of a size, at first of `size`."""

    name: str
    size: int
    make: typing.Callable
    timed: typing.Callable
    most: float = MOST


def repeated(part):
    return lambda size: part * (size // len(part))


def hide(text):
    hidden_text("token " + text)
    holds_secret("token " + text)
    hidden_text(f"token {text} }}}}")


def expressions_of(text):
    has_expression(text)
    scan(text + "}" * len(text))


def numbers(size):
    return "1" * size, "9" * size + "d", "0" * size + "1" * 9000 + "h", "0." + "0" * size + "x"


def refuse_durations(texts):
    for text in texts:
        with contextlib.suppress(DurationError):
            durations.parse(text)


def compile_text(text):
    compile_expression(text, Environment({"Data": "map"}))


def match_stars(text):
    matches(text, "*a?" * (len(text) // 4) + "*b*")
    matches(text, "*a" * (len(text) // 2) + "*b*")


def search_text(pattern, text):
    Regexp(pattern).search(text)


def replace_text(text):
    Regexp("(a+)b").replace_all(text, "$1")


def refuse_literal(text):
    with contextlib.suppress(GJSONError):
        _value = get({}, f'!{{"a":1 {text}}}').value


def search_list(items):
    _raw = get({"a": items}, "a.#(b>1)#.b").raw


def refuse_yaml(text):
    with contextlib.suppress(YAMLError):
        yaml.load(text)


def manifest(size):
    return files(size, "/srv", "x" * 100)


def read_with_positions(text):
    document = yaml.load(text)
    document.position(("ccm", "resources", 0, "file", 1, "/srv/f0000", "content"))


def annotated(size):
    return "data:\n" + "".join(f"  # @require\n  k{number}: 1\n" for number in range(size))


def one_text(size):
    many = "{{ 1 }}{{ 2 }}" * size
    return f"ccm:\n  resources:\n    - exec: {{name: ls, environment: ['A={many}{{{{ 1 + }}}}{{{{ 2 }}}}']}}\n"


def references(size):
    entries = (f"    - exec: {{name: echo {number}, require: [exec#none{number}]}}\n" for number in range(size))
    return "ccm:\n  resources:\n" + "".join(entries)


def check(text):
    findings(text.encode(), "m.yaml", "/nonexistent")


def render_jet(text):
    jet.parse(text, "t", left="[[", right="]]").render({"data": {"port": 8080}})


def render_go(text):
    gotemplate.parse(text, "t").render({"port": 8080})


def rules(size):
    return {"file": {f"/srv/f{number}": {"exists": True, "contents": ["a", "/b+/"]} for number in range(size)}}


def files_of_rules(size):
    """Return a directory, which lives as long as the input, with that many files that are included."""
    scratch = tempfile.TemporaryDirectory(prefix="ccm-bench-")
    for number in range(size):
        text = f"port: {{'tcp:{number}': {{listening: true}}}}\n"
        pathlib.Path(scratch.name, f"r{number}.yaml").write_text(text, encoding="utf-8")
    return scratch


def read_included(scratch):
    rules_of(flattened({"gossfile": {f"{scratch.name}/*.yaml": {}}}, "/", None))


def aliases(levels):
    """Return lists of lists: each level has ten of the level before."""
    lines = (f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]\n" for at in range(1, levels))
    return "a0: &a0 [x]\n" + "".join(lines)


def chain(size):
    return size, [(at, at + 1) for at in range(size - 1)]


def star(size):
    return size, [(0, at) for at in range(1, size)]


def order(vertices):
    size, pairs = vertices
    Graph(size, [Edge(REQUIRE, first, then, "") for first, then in pairs]).order()


CASES = (
    *(Case(f"hide secrets in {part!r}", 16_000, repeated(part), hide) for part in WORDS),
    *(Case(f"hide secrets in a line of {part!r}", 16_000, repeated(part), Hiding(()).lines) for part in LINES),
    Case("hide secrets in many lines", 8_000, repeated("token: a\nb: c\n"), Hiding({"c"}).lines),
    *(Case(f"scan {part!r}", 4_000, repeated(part), expressions_of) for part in TEMPLATES),
    Case("refuse durations", 20_000, numbers, refuse_durations),
    Case("compile an expression with a list", 500, lambda size: f"[{'1, ' * size}1]", compile_text),
    Case("compile an expression with a text", 20_000, lambda size: "'" + r"\n" * size + "'", compile_text),
    Case("match many stars", 4_000, repeated("a"), match_stars),
    Case("refuse a literal of gjson", 20_000, repeated("x"), refuse_literal),
    Case("search a list with gjson", 1_000, lambda size: [{"b": at} for at in range(size)], search_list),
    *(
        Case(f"search {pattern} in {part!r}", 100_000, repeated(part), functools.partial(search_text, pattern))
        for pattern, part in HARD_PATTERNS
    ),
    Case("replace with a regular expression", 2_000, repeated("aab"), replace_text),
    Case("read a manifest", 100, manifest, read_with_positions),
    Case("read a long text of YAML", 20_000, lambda size: f'a: "{"x " * size}"', yaml.load),
    Case("read annotations", 200, annotated, lambda text: find_rules(yaml.load(text, "d.yaml"))),
    # The size of what aliases make has a limit, for any number of them.
    Case("refuse aliases", 10, aliases, refuse_yaml, most=2),
    Case("write JSON", 1_000, lambda size: [{"b": at} for at in range(size)], marshal),
    Case("read JSON", 2_000, lambda size: marshal([{"b": at} for at in range(size)]), load_json),
    Case("split words of a shell", 20_000, repeated("a 'b' "), shellwords.split),
    Case("render a Jet template", 200, lambda size: "[[ data.port ]]\n" * size, render_jet),
    Case("render a Go template", 100, lambda size: "{{ .port }}\n" * size, render_go),
    *(Case(f"lint {name}", 40, functools.partial(lint.manifest, name), check) for name in lint.FAULTS),
    Case("lint references to nothing", 75, references, check),
    Case("lint expressions in one text", 500, one_text, check),
    Case("read rules of goss", 500, rules, lambda given: rules_of(flattened(given, "/", None))),
    Case("read rules of goss from files", 100, files_of_rules, read_included),
    Case("find patterns of goss in lines", 1_000, lambda size: "a line\n" * size, HavePatterns(["!x", "/y+$/"]).match),
    Case("order a chain", 1_000, chain, order),
    Case("order a star", 1_000, star, order),
)


def seconds(timed, given):
    """Return the CPU time of a call that finds nothing in the caches."""
    near._answers.clear()
    program._tables.clear()
    begin = time.process_time()
    timed(given)
    return time.process_time() - begin


def measured(case):
    """Return the seconds of CPU for the size, and for the larger one."""
    small, large = case.make(case.size), case.make(TIMES * case.size)
    pairs = []
    while len(pairs) < ROUNDS or sum(map(sum, pairs)) < SECONDS:
        pairs.append((seconds(case.timed, small), seconds(case.timed, large)))
    return tuple(min(column) for column in zip(*pairs, strict=True))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    args = parser.parse_args()
    steep = []
    print(f"{'what':58}{'ms':>8}{f'{TIMES} times':>10}{'ratio':>7}{'most':>6}")
    for case in CASES:
        if args.only not in case.name:
            continue
        small, large = measured(case)
        ratio = large / small
        print(f"{case.name:58}{1000 * small:8.1f}{1000 * large:10.1f}{ratio:7.1f}{case.most:6.0f}")
        if ratio > case.most:
            steep.append(f"{case.name}: {ratio:.1f} times as long for {TIMES} times the size, at most {case.most}")
    print(*steep, sep="\n")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
