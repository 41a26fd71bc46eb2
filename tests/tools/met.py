# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Note which messages are said while tests run: CCM_MET=FILE pytest -p tests.tools.met ...

Every place that says a message (messages.py) is compiled with a call around it, which answers what it is given; when
what is said has a wording for the first time in this process, its key goes to the end of the file that CCM_MET names.
Lines of programs and what they do stay what they are. Also a command: python -m tests.tools.met MODULE WORD...
"""

from __future__ import annotations

import ast
import builtins
import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from os import write  # as it is: tests put other functions into os

from .messages import Message, all_messages, place_of

SAID = "__ccm_said__"


class _Recorder:
    """What has not been said yet, by file and place."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.places: dict[str, dict[tuple, list[Message]]] = {}
        for message in all_messages():
            self.places.setdefault(str(message.said_in), {}).setdefault(message.place, []).append(message)

    def said(self, waiting: list[Message], value):
        """Note what a place says, and answer it."""
        if waiting:
            text = _text(value)
            for message in [each for each in waiting if each.is_in(text)]:
                waiting.remove(message)
                write(self.file, f"{message.key}\n".encode())
        return value


def _text(value) -> str:
    if isinstance(value, BaseException):
        for name in ("message", "text"):
            if isinstance(getattr(value, name, None), str):
                return getattr(value, name)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


class _Wrap(ast.NodeTransformer):
    """Put a call around the expressions that say something."""

    def __init__(self, places: dict[tuple, list[Message]], names: dict[int, list[Message]]) -> None:
        self.places = places
        self.names = names

    def visit(self, node):
        node = self.generic_visit(node)
        if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        waiting = self.places.get(place_of(node))
        if waiting is None:
            return node
        at = len(self.names)
        self.names[at] = waiting
        name = ast.Name(SAID, ast.Load())
        call = ast.Call(name, [ast.Constant(at), node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def install(path: str) -> None:
    """Have the plugins that are imported from here on note in the file `path` what they say."""
    recorder = _Recorder(path)
    names: dict[int, list[Message]] = {}
    setattr(builtins, SAID, lambda at, value: recorder.said(names[at], value))
    plain = SourceFileLoader.get_code

    def get_code(loader, fullname):
        file = os.path.realpath(loader.get_filename(fullname))
        places = recorder.places.get(file)
        if not places:
            return plain(loader, fullname)
        tree = ast.parse(loader.get_data(file), file)
        return compile(_Wrap(places, names).visit(tree), file, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code


if os.environ.get("CCM_MET"):
    install(os.environ["CCM_MET"])

if __name__ == "__main__":
    module = sys.argv[1]
    del sys.argv[0]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
