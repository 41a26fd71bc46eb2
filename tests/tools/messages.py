# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every message a person can meet, read from the source: errors, advice, log lines, and what noop would have done.

A message is what an exception is made with (or a function that answers one), the `advice=` of anything, the first
argument of a log's methods, what a Step would have done, the words of a Finding, a Failure or a shortfall. F-strings
become templates: `cannot read {path}`. Names are followed to what the function or the module assigns to them, and
calls to what a function of the same file answers, so that every wording is a message of its own.
"""

from __future__ import annotations

import ast
import functools
import gc
import itertools
import os
import pathlib
import re
import sys

from extensions.molecule.hosts.host import may_mount

PLUGINS = pathlib.Path(__file__).parents[2] / "plugins"
FOLDERS = ("module_utils", "action", "plugin_utils")

ERROR, ADVICE, WARNING, LOG, DEBUG, NOOP, FINDING, SHORTFALL, PROGRESS = (
    "error",
    "advice",
    "warning",
    "log",
    "debug log",
    "noop",
    "finding",
    "failed expectation",
    "progress",
)
LOG_KINDS = {"info": LOG, "warn": WARNING, "error": ERROR, "debug": DEBUG, "doing": PROGRESS}
# What is made with a message that is no exception: the place of the message among the arguments, and its kind.
MADE_WITH = {"Step": (1, NOOP), "Failure": (1, SHORTFALL), "Finding": (2, FINDING)}
BUILT_IN = {"ValueError", "TypeError", "LookupError", "KeyError", "AnsibleActionFail", "AnsibleError"}
# Modules whose functions return a message, and in which type.
RETURNED_BY = {
    "cli/failure": "str",
    "data/validators": "str | None",
    "engine/event_log": "str",
    "lang/yamlerrors": "tuple[str, int]",
    "lint/references": "str",
    "ansible_tasks/messages": "str",
}
# What these return explains no difference between a resource and its state.
RETURNED_KINDS = {"engine/event_log": LOG, "lint/references": ADVICE}
MOST = 24  # wordings of one place
MOST_CALLS = 3  # functions on the way from a wording to the place that says it
Place = tuple[int, int, int, int]  # of an expression: line and column of its begin, and of its end
Part = tuple[str, bool]  # a text or the name of a value, and whether it is a text


class Message:
    """One wording: its `template`, the `kind`, the module it comes from, and the place that says it."""

    def __init__(self, parts: tuple[Part, ...], kind: str, module: str, place: Place) -> None:
        template = "".join(text if literal else "{" + text + "}" for text, literal in parts)
        self.template = template.replace("\n", "\\n")
        self.pattern = _pattern(parts)
        self.kind = kind
        self.module = module
        self.place = place

        self.said_in: pathlib.Path | None = None

    @property
    def key(self) -> str:
        """What the message is called in lists."""
        return f"{self.module}: {self.template}"

    @functools.cached_property
    def _compiled(self) -> re.Pattern:
        return re.compile(self.pattern, re.DOTALL)

    def is_in(self, text: str) -> bool:
        """Whether a text that was said is, or holds, this wording."""
        return bool(self._compiled.search(text))


class Source:
    """A file of the plugins: its tree, and what it declares."""

    def __init__(self, path: pathlib.Path, text: str) -> None:
        relative = path.relative_to(PLUGINS).with_suffix("").as_posix()
        self.path = path
        self.module = relative.removeprefix("module_utils/")
        self.tree = ast.parse(text, str(path))
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.constants: dict[str, ast.expr] = {}
        self.imported: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ImportFrom) and node.level:
                module = (node.module or "").replace(".", "/")
                self.imported |= {alias.asname or alias.name: module for alias in node.names}
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
        for statement in self.tree.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.constants[statement.targets[0].id] = statement.value


class Survey:
    """All sources together: which classes are exceptions, and which functions answer one."""

    def __init__(self) -> None:
        paths = sorted(itertools.chain.from_iterable((PLUGINS / folder).rglob("*.py") for folder in FOLDERS))
        self.read([Source(path, path.read_text("utf-8")) for path in paths if "__pycache__" not in path.parts])

    def read(self, sources: list[Source]) -> None:
        """Learn what the sources declare."""
        self.sources = sources
        self.constants: dict[str, ast.expr] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        bases: dict[str, set[str]] = {}
        for source in self.sources:
            self.classes.update(source.classes)
            for name, node in source.classes.items():
                bases.setdefault(name, set()).update(_last(base) for base in node.bases)
            self.constants.update(source.constants)
        self.exceptions = set(BUILT_IN)
        found = {"Exception"}
        while found:
            self.exceptions |= found
            found = {name for name, above in bases.items() if name not in self.exceptions and above & self.exceptions}
        self.exceptions.discard("Exception")
        self._calls: dict[str, list[tuple[Source, ast.FunctionDef | None, ast.Call]]] | None = None
        self.builders: dict[str, list[tuple[Source, ast.FunctionDef]]] = {}
        for source in self.sources:
            for name, functions in source.functions.items():
                answering = [(source, node) for node in functions if self.answers_error(node)]
                if answering:
                    self.builders.setdefault(name, []).extend(answering)

    def answers_error(self, node: ast.FunctionDef) -> bool:
        answer = ast.unparse(node.returns).strip("'\"") if node.returns else ""
        return answer in self.exceptions or answer == "Exception"

    def calls(self, source: Source, function: ast.FunctionDef):
        """The calls of a function, as far as names show: (source, function around it, call)."""
        if self._calls is None:
            self._calls = {}
            for each in self.sources:
                for around, node in _with_function(each.tree):
                    if isinstance(node, ast.Call):
                        self._calls.setdefault(_last(node.func), []).append((each, around, node))
        declared = sum(function.name in each.functions for each in self.sources)
        for each, around, call in self._calls.get(function.name, ()):
            if isinstance(call.func, ast.Name):
                if each is source or source.module.endswith(each.imported.get(function.name, "\0")):
                    yield each, around, call
            elif not _is_method(function):
                module = each.imported.get(_last(call.func.value))
                if module is not None and source.module.endswith("/" + _last(call.func.value)):
                    yield each, around, call
            elif each is not source and function.name in each.functions:
                continue
            elif hasattr(dict, function.name) and _last(call.func.value) != "self":
                continue  # most likely of a map
            elif each is source or declared == 1 or each.path.parent == source.path.parent:
                yield each, around, call

    def messages(self) -> list[Message]:
        """Every message, by module and place."""
        found: dict[str, Message] = {}
        for source in self.sources:
            for message in _Walk(self, source).messages():
                found.setdefault(f"{message.key}\0{message.place}", message)
        return list(found.values())


def all_messages() -> list[Message]:
    """Every message of the plugins; half of the time would be a search for garbage, which trees of syntax are not."""
    gc.disable()
    try:
        return Survey().messages()
    finally:
        gc.enable()


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _parameters(node: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in node.args.args]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _is_method(function: ast.FunctionDef) -> bool:
    return [argument.arg for argument in function.args.args[:1]] in (["self"], ["cls"])


def _pattern(parts) -> str:
    return "".join(re.escape(text) if literal else "(?:.*)" for text, literal in parts)


def _given(call: ast.Call, parameters: list[str]) -> dict[str, ast.expr]:
    plain = itertools.takewhile(lambda each: not isinstance(each, ast.Starred), call.args)
    given = dict(zip(parameters, plain, strict=False))
    return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


class _Scope:
    """The value of a name: in a function of a source, called with the arguments of another scope."""

    def __init__(self, walk, source, function=None, given=None, outer=None, depth=0) -> None:
        self.survey = walk.survey
        self.walk = walk
        self.source = source
        self.function = function
        self.given = given or {}
        self.outer = outer
        self.depth = depth
        self.following: frozenset[str] = frozenset()
        self.wanting: set[str] = set()
        self.framed = (
            False  # the wordings of the function itself are listed where it is defined: only what it is given counts
        )

    def wordings(self, node: ast.expr | None) -> list[tuple[Part, ...]]:
        """The ways an expression can read, each as parts; [] for nothing said."""
        if node is None or self.depth > 6:
            return []
        found: dict[tuple[Part, ...], None] = {}
        for wording in self._wordings(node):
            found.setdefault(_joined(wording), None)
        return list(found)[:MOST]

    def _wordings(self, node):
        if isinstance(node, ast.Constant):
            return [((node.value, True),)] if isinstance(node.value, str) else []
        if isinstance(node, ast.JoinedStr):
            return self._product([self._part(value) for value in node.values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._product([self._inner(node.left), self._inner(node.right)])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return [_percent(node.left.value)] if isinstance(node.left, ast.Constant) else self._unknown(node)
        if isinstance(node, ast.Tuple):
            return [each for value in node.elts for each in self._wordings(value)]
        if isinstance(node, ast.IfExp):
            return self._inner(node.body) + self._inner(node.orelse)
        if isinstance(node, ast.BoolOp):
            return [each for value in node.values for each in self._inner(value)]
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute) and node.attr.isupper() and node.attr in self.survey.constants:
            return self._deeper(None).wordings(self.survey.constants[node.attr])
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._unknown(node)

    def _inner(self, node):
        return self._wordings(node) or self._unknown(node, constants=False)

    def _part(self, value):
        if isinstance(value, ast.FormattedValue):
            return self._inner(value.value)
        return self._wordings(value)

    @staticmethod
    def _product(parts):
        counts = {len(part) for part in parts if len(part) > 1}
        if len(counts) == 1 and sum(len(part) > 1 for part in parts) > 1:  # alternatives of one decision
            parts = [part * counts.copy().pop() if len(part) == 1 else part for part in parts]
            several = zip(*parts, strict=False)
        else:
            several = itertools.islice(itertools.product(*parts), MOST)
        return [tuple(itertools.chain.from_iterable(each)) for each in several]

    @staticmethod
    def _unknown(node, constants=True):
        if isinstance(node, ast.Constant):
            return [] if constants else [((str(node.value), True),)] if node.value is not None else []
        return [((_name_of(node), False),)]

    def _deeper(self, function, given=None, source=None):
        return _Scope(self.walk, source or self.source, function, given, self, self.depth + 1)

    def _name(self, node):
        if node.id in self.following:
            return self._unknown(node)
        if node.id in self.given:
            answer = self.outer.wordings(self.given[node.id])
            return answer or self._unknown(node)
        assigned = self._assigned(node.id)
        if not assigned and self.function is not None and node.id in _parameters(self.function):
            self.wanting.add(node.id)
        if self.framed and assigned and not any(_names_in(value) & set(self.given) for value in assigned):
            return self._unknown(node)
        if (not assigned and self.function is None) or (not assigned and node.id not in _locals(self.function)):
            assigned = [self.source.constants.get(node.id) or self.survey.constants.get(node.id)]
            assigned = [value for value in assigned if value is not None]
        answers = [each for value in assigned for each in self._following(node.id).wordings(value)]
        texts = [each for each in answers if any(literal and text.strip() for text, literal in each)]
        empty = any(isinstance(value, ast.Constant) and value.value == "" for value in assigned)
        if not texts or len(texts) < len(answers) - empty:
            texts += self._unknown(node)
        return texts

    def _following(self, name):
        scope = _Scope(self.walk, self.source, self.function, self.given, self.outer, self.depth + 1)
        scope.following = self.following | {name}
        scope.wanting = self.wanting
        scope.framed = self.framed
        return scope

    def _assigned(self, name):
        if self.function is None:
            return []
        found = []
        for node in _inside(self.function):
            if (
                isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
            ) or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name):
                found.append(node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                found += self._of_loop(node, name)
        return [value for value in found if value is not None]

    def _of_loop(self, loop, name):
        """What a loop over a table of the module, or over what a function of the file yields, gives a name."""
        over = loop.iter
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        at = next((at for at, target in enumerate(targets) if isinstance(target, ast.Name) and target.id == name), None)
        if at is None:
            return []
        if isinstance(over, ast.Call) and _last(over.func) in self.source.functions and len(targets) == 1:
            functions = self.source.functions[_last(over.func)]
            return [n.value for f in functions for n in _inside(f) if isinstance(n, ast.Yield) and n.value]
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "items":
            table = self.source.constants.get(_last(over.func.value))
            return (table.values if at else [k for k in table.keys if k]) if isinstance(table, ast.Dict) else []
        table = self.source.constants.get(_last(over))
        rows = table.elts if isinstance(table, (ast.Tuple, ast.List)) else []
        if len(targets) == 1:
            return rows
        return [row.elts[at] for row in rows if isinstance(row, ast.Tuple) and len(row.elts) == len(targets)]

    def _subscript(self, node):
        name = _last(node.value)
        table = self.source.constants.get(name) or self.survey.constants.get(name)
        if isinstance(table, ast.Dict) and name.isupper():
            texts = [each for value in table.values for each in self._deeper(None).wordings(value)]
            if texts and all(any(literal for _text, literal in each) for each in texts):
                return texts
        return self._unknown(node)

    def _call(self, node):
        name = _last(node.func)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant) and name == "format":
            return [_braces(node.func.value.value)]
        if name == "quote" and node.args:
            return [((_name_of(node.args[0]), False),)]
        if name == "prefixed" and node.args:
            return [(*each, ("error", False)) for each in self.wordings(node.args[0])]
        made = self.made(node)
        if made is not None:
            return made
        answering = [each for each in self.source.functions.get(name, []) if _answers_text(each)]
        if len(answering) == 1 and self.depth < 4:
            inner = self._deeper(answering[0], _given(node, _parameters(answering[0])))
            texts = [each for value in _returned(answering[0]) for each in inner.wordings(value)]
            if texts and all(any(literal for _text, literal in each) for each in texts):
                return texts
        return self._unknown(node)

    def made(self, call: ast.Call) -> list[tuple[Part, ...]] | None:
        """The message of the exception that a call makes; None for a call that makes none."""
        name = _last(call.func)
        if self.depth > 5:
            return None
        if name in self.survey.exceptions:
            return self._exception(call, name)
        builders = self._builders(call.func, self.survey.builders.get(name, []))
        if not builders:
            return None
        source, function = builders[0]
        inner = self._deeper(function, _given(call, _parameters(function)), source)
        inner.framed = True
        values = [value for value in _returned(function) if isinstance(value, ast.Call)]
        most = max((len(_names_in(value) & set(inner.given)) for value in values), default=0)
        values = [value for value in values if len(_names_in(value) & set(inner.given)) == most]
        texts = [each for value in values for each in inner.made(value) or []]
        frames = {_pattern(each) for value in values for each in self._frames(source, function, value)}
        return [each for each in texts if _pattern(each) not in frames] or self._arguments(call)

    def _frames(self, source, function, value):
        """What a function that answers an error has around what it is given."""
        scope = _Scope(self.walk, source, function, depth=self.depth + 1)
        scope.framed = True
        return scope.made(value) or []

    def _builders(self, called, builders):
        own = [each for each in builders if each[0] is self.source]
        if own:
            return own
        if isinstance(called, ast.Name) and called.id in self.source.imported:
            return [each for each in builders if each[0].module.endswith(self.source.imported[called.id])]
        if isinstance(called, ast.Attribute):
            return [each for each in builders if each[0].path.parent == self.source.path.parent]
        return []

    def _arguments(self, call):
        return [each for argument in call.args for each in self.wordings(argument) if any(lit for _t, lit in each)]

    def _exception(self, call, name):
        node = self.survey.classes.get(name)
        while node is not None:
            init = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
            if init is not None:
                return self._initialised(call, init)
            node = next((self.survey.classes[_last(b)] for b in node.bases if _last(b) in self.survey.classes), None)
        return self.wordings(call.args[0]) if call.args else []

    def _initialised(self, call, init):
        given = _given(call, _parameters(init))
        for node in _inside(init):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "__init__"
                and node.args
            ):
                for default, argument in zip(init.args.kw_defaults, init.args.kwonlyargs, strict=True):
                    if argument.arg not in given and isinstance(default, ast.Constant) and default.value == "":
                        given[argument.arg] = default
                return self._deeper(init, given).wordings(node.args[0])
        return self.wordings(call.args[0]) if call.args else []


class _Walk:
    """The places of one source that say something, and what the calls of their functions have them say."""

    def __init__(self, survey: Survey, source: Source) -> None:
        self.survey = survey
        self.source = source
        self.open: dict[str, ast.expr] = {}

    def messages(self):
        for node, scope, kind, wordings in self._places():
            yield from _worded(wordings, kind, self.source, node, self.source)
            if scope.function is not None and scope.wanting:
                place = (node, kind, wordings, self.source)
                yield from self._carried(place, scope, lambda inner, node=node: self._again(node, inner), MOST_CALLS)

    def _again(self, node, scope):
        """What a place says in another scope."""
        return (scope.made(node) if isinstance(node, ast.Call) else None) or scope.wordings(node)

    def _carried(self, place, scope, say, levels):
        """What callers hand to a function for it to say."""
        if not levels or scope.function.name.startswith("__") or self.survey.answers_error(scope.function):
            return  # calls of what answers an error are places themselves
        node, kind, plain, source = place
        for calling, function, call in self.survey.calls(scope.source, scope.function):
            outer = _Scope(self, calling, function)
            given = _given(call, _parameters(scope.function))

            def said(outer, given=given):
                inner = _Scope(self, scope.source, scope.function, given, outer, outer.depth + 1)
                inner.framed = True
                return say(inner)

            if not scope.wanting & set(given):
                continue
            known = {_pattern(parts) for parts in plain}
            wordings = [each for each in said(outer) if _pattern(each) not in known]
            yield from _worded(wordings, kind, calling, node, source)
            if outer.wanting and function is not None:
                yield from self._carried((node, kind, plain + wordings, source), outer, said, levels - 1)

    def _places(self):
        for function, node in _with_function(self.source.tree):
            scope = _Scope(self, self.source, function)
            if isinstance(node, ast.Call):
                yield from self._of_call(node, scope)
            elif isinstance(node, ast.Assign) and _is_answer(node.targets[0]):
                yield node.value, scope, LOG, scope.wordings(node.value)
            elif isinstance(node, ast.Return) and node.value and function and _is_reason(function, self.source):
                yield node.value, scope, RETURNED_KINDS.get(self.source.module, SHORTFALL), scope.wordings(node.value)

    def _of_call(self, node, scope):
        name = _last(node.func)
        for keyword in node.keywords:
            if keyword.arg in ("advice", "msg") and (keyword.arg == "advice" or name in ("fail_json", "exit_json")):
                kind = ADVICE if keyword.arg == "advice" else ERROR
                yield keyword.value, scope, kind, scope.wordings(keyword.value)
        if name in MADE_WITH:
            at, kind = MADE_WITH[name]
            if len(node.args) > at:
                yield node.args[at], scope, kind, scope.wordings(node.args[at])
            return
        receiver = _last(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if name in LOG_KINDS and receiver.lower().endswith(("log", "report")) and node.args:
            yield node.args[0], scope, LOG_KINDS[name], scope.wordings(node.args[0])
        elif name == "prefixed" and node.args:
            yield node, scope, ERROR, scope.wordings(node)
        elif name != "__init__" and (made := scope.made(node)) is not None:
            yield node, scope, ERROR, made


def place_of(node) -> Place:
    """The place of an expression."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _worded(wordings, kind, source, node, said_in):
    for parts in wordings:
        if any(literal and re.search(r"[A-Za-z]{2}", text) for text, literal in parts):
            message = Message(parts, kind, source.module, place_of(node))
            message.said_in = said_in.path
            yield message


@functools.cache
def _with_function(tree) -> list[tuple[ast.FunctionDef | None, ast.AST]]:
    """Every node with the function around it, in the order of the text."""
    found = []
    waiting = [(None, tree)]
    while waiting:
        function, node = waiting.pop()
        found.append((function, node))
        inside = node if isinstance(node, ast.FunctionDef) else function
        waiting += [(inside, child) for child in reversed(list(ast.iter_child_nodes(node)))]
    return found


def _is_answer(target):
    """Whether it is the `msg` of what a module answers."""
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value == "msg"


def _is_reason(function, source):
    """Whether a function answers why something is not as it should be."""
    answer = ast.unparse(function.returns) if function.returns else ""
    if function.name in ("shortfall", "mismatch", "failure", "manageable"):
        return "str" in answer
    return answer == RETURNED_BY.get(source.module)


def _answers_text(function):
    return bool(function.returns) and ast.unparse(function.returns) in ("str", "str | None")


@functools.cache
def _returned(function):
    return [
        node.value if isinstance(node, ast.Return) else node.exc
        for node in _inside(function)
        if (isinstance(node, ast.Return) and node.value) or (isinstance(node, ast.Raise) and node.exc)
    ]


@functools.cache
def _names_in(node) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


@functools.cache
def _inside(function) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(function))


@functools.cache
def _locals(function):
    names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    names |= {n.id for n in _inside(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names


def _joined(parts):
    joined: list[Part] = []
    for text, literal in parts:
        if literal and joined and joined[-1][1]:
            joined[-1] = (joined[-1][0] + text, True)
        elif text:
            joined.append((text, literal))
    return tuple(joined)


def _percent(text):
    return tuple((part or "…", not at % 2) for at, part in enumerate(re.split(r"%(?:\((\w+)\))?[sdrq]", text)))


def _braces(text):
    return tuple((part or "…", not at % 2) for at, part in enumerate(re.split(r"\{(\w*)[^}]*\}", text)))


def _name_of(node: ast.expr) -> str:
    """A short name for a value in a message."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _last(node).strip("_") or "…"
    if isinstance(node, ast.Call):
        called = _last(node.func)
        if called.endswith("_of"):
            return called[:-3].strip("_")
        inner = node.args[0] if node.args else node.func
        if isinstance(node.func, ast.Attribute) and not node.args:
            inner = node.func.value
        return _name_of(inner)
    if isinstance(node, ast.Subscript):
        return _name_of(node.value)
    names = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))]
    return _name_of(names[0]) if names else "…"


def main(paths: list[str]) -> int:
    """Judge the files that met.py wrote; the exit status is 1 when there is a message that none of them has."""
    if os.geteuid() != 0 or not may_mount():
        print("left out: whether each message is provoked: some take a root that may mount file systems")
        return 0
    met = {line for path in paths for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()}
    known = {message.key: message for message in all_messages()}
    missing = sorted(set(known) - met)
    for key in missing:
        place = f"{known[key].said_in.relative_to(PLUGINS.parent)}:{known[key].place[0]}"
        print(f"{place}: no unit test or vector provokes this message, add one that does: {known[key].template}")
    print(f"{len(known)} messages, {len(known) - len(missing)} of them provoked")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
