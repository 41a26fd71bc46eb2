# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of expressions in addition to the language's own (behaviour.md 11.4)."""

from __future__ import annotations

from ..lang.expr.errors import ExprFunctionError
from ..lang.expr.kinds import Function
from ..lang.go.values import Int64
from ..model.errors import CCMError, ResourceFailed
from .templates import resolve_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, TypeVar

    from ..model.environment import ExpressionEnvironment, NatsValues
    from ..model.values import Value

    T = TypeVar("T")

#: How deep `template()` may call itself: a template that includes itself must end with an error.
MAX_DEPTH = 10

#: The functions of expressions and of a hierarchy. They accept any arguments and check them themselves: the recorded
#: messages are theirs, not the language's.
FUNCTIONS = {
    name: Function() for name in ("lookup", "readFile", "file", "template", "jet", "registrations", "kvGet", "sent")
}
LOOKUP = {"lookup": FUNCTIONS["lookup"]}


class Functions:
    """The functions of one environment, called with the arguments in the expression; they raise ExprFunctionError."""

    def __init__(self, environment: ExpressionEnvironment) -> None:
        self._environment = environment
        self._depth = 0

    def named(self) -> dict[str, Callable[..., Value]]:
        """Return the functions by their names in expressions."""
        if self._environment.only_lookup:
            return {"lookup": self.lookup}
        return {
            "lookup": self.lookup,
            "readFile": self.read_file,
            "file": self.read_file,
            "template": self.template,
            "jet": self.jet,
            "registrations": self.registrations,
            "kvGet": self.kv_get,
        }

    def lookup(self, *given: Value) -> Value:
        """Do `lookup(path[, default])`: see `ExpressionEnvironment.lookup`."""
        if len(given) not in (1, 2):
            raise ExprFunctionError("lookup requires 1 or 2 arguments")
        path = given[0]
        if not isinstance(path, str):
            raise ExprFunctionError("lookup requires a string argument")
        default = given[1] if len(given) == 2 else None
        missing: Value = None if default is None else []
        value = _call(lambda: self._environment.lookup(path, missing))
        if missing is not None and value is missing:
            return default
        # An integer that is found is an int64, as in the original; a default stays what it is.
        return Int64(value) if value.__class__ is int else value

    def read_file(self, *given: Value) -> str:
        """Do `readFile(path)`, `file(path)`: return the content of a file; further arguments are ignored."""
        if not given or not isinstance(given[0], str):
            raise ExprFunctionError("readFile requires a string argument")
        return self._content(given[0])

    def template(self, *given: Value) -> Value:
        """Do `template(text)`: return the text, or the text of a file `*.templ`, with its expressions resolved."""
        if not given or not isinstance(given[0], str):
            raise ExprFunctionError("template requires a string argument")
        text = given[0]
        extension = text[text.rfind("/") + 1 :].rpartition(".")
        if extension[1:] == (".", "jet"):
            return self.jet(text)
        if extension[1:] == (".", "templ"):
            text = self._content(text)
        return self._resolved(text)

    def _resolved(self, text: str) -> Value:
        return self._deeper("template", lambda: resolve_typed(text, self._environment))

    def _deeper(self, name: str, render: Callable[[], T]) -> T:
        if self._depth >= MAX_DEPTH:
            raise ExprFunctionError(f"{name}() calls itself more than {MAX_DEPTH} times deep")
        self._depth += 1
        try:
            return _call(render)
        finally:
            self._depth -= 1

    def jet(self, *given: Value) -> Value:
        """Do `jet(text[, left, right])`: return the text, or the text of a file `*.jet`, rendered."""
        if len(given) not in (1, 3):
            raise ExprFunctionError("jet requires 1 or 3 arguments")
        texts: list[str] = []
        for value, what in zip(given, ("template body", "left delimiter", "right delimiter")):
            if not isinstance(value, str):
                raise ExprFunctionError(f"jet requires a string argument for {what}")
            texts.append(value)
        from .jet import render_jet

        body = self._content(texts[0]) if texts[0].endswith(".jet") else texts[0]
        delimiters = dict(zip(("left", "right"), texts[1:]))
        return self._deeper("jet", lambda: render_jet(body, self._environment, self, **delimiters))

    def registrations(self, *given: Value) -> Value:
        """Do `registrations(cluster, protocol, service, ip)`: return the entries in NATS that match."""
        if len(given) != 4:
            raise ExprFunctionError("registrations requires 4 string arguments: cluster, protocol, service, ip")
        _check_texts("registrations", given)
        terms = [str(text) for text in given]
        found = _call(lambda: self._nats("registrations").registrations(terms))
        from .registrations import Entries

        return Entries(found)

    def kv_get(self, *given: Value) -> str:
        """Do `kvGet(bucket, key)`: return the value of a key in NATS."""
        if len(given) != 2:
            raise ExprFunctionError("kvGet requires 2 string arguments: bucket, key")
        _check_texts("kvGet", given)
        bucket, key = (str(text) for text in given)
        return _call(lambda: self._nats("kvGet").key_value(bucket, key)).decode("utf-8", "surrogateescape")

    def _nats(self, function: str) -> NatsValues:
        nats = self._environment.nats
        if nats is None:
            raise ExprFunctionError(f"{function} function not available")
        self._environment.before_waiting()
        return nats()

    def _content(self, path: str) -> str:
        from ..model.sent_names import require_sent
        from .reading import read_relative

        environment = self._environment

        try:
            require_sent(path, environment.directory, environment, is_needed=True)
        except ResourceFailed as error:
            raise ExprFunctionError(f"{error.message}; {error.advice}") from None
        return _call(lambda: read_relative(path, environment.directory))


def _check_texts(function: str, given: tuple[Value, ...]) -> None:
    for number, value in enumerate(given, 1):
        if not isinstance(value, str):
            raise ExprFunctionError(f"{function} argument {number} must be a string")


def _call(function: Callable[[], T]) -> T:
    """Call one of our functions; its error becomes the function's."""
    try:
        return function()
    except CCMError as error:
        raise ExprFunctionError(error.message) from None
