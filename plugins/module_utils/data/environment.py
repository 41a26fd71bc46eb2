# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The environment of expressions: the variables Facts, Data and Environ, and the functions of behaviour.md 11.4."""

from __future__ import annotations

import _thread
import os

from ..model.errors import TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from ..model.environment import NatsValues
    from ..model.log import Log
    from ..model.values import Data, FactSource, Value
    from .evaluation import Evaluator

ENVIRON_NAME = ".env"


def nothing_sent(*_given: Value) -> Value:
    """Be the function `sent` where nothing is. Raises TemplateError."""
    raise TemplateError("sent() works only in what is resolved just before a resource of a manifest is managed")


def _nothing() -> None:
    """Do nothing."""


class Environment:
    """The facts, data and environment variables of a run, and what expressions may do with them.

    `facts` and `data` are maps by name (None where there are none); `facts` may also be a function that returns the
    map, called at first use. `environ` maps names to text, relative files are read from `directory` ("" for the current
    one). With `only_lookup` expressions have no function but `lookup`; with `default_on_missing` a `lookup` that finds
    nothing and has no default gives "". `nats` returns what `kvGet` and `registrations` use, when they are called;
    None where there is no NATS. `before_waiting` is called before a function waits, as `Machine.before_waiting`.

    Relative names may not lead out of the directory `tree`, "" for any.

    The data of `lookup` is built once and kept: data that is to be changed afterwards needs a new Environment
    (behaviour.md 11.4).
    """

    def __init__(
        self,
        facts: FactSource = None,
        data: Mapping[str, Value] | None = None,
        environ: Mapping[str, str] | None = None,
        directory: str = "",
        *,
        only_lookup: bool = False,
        default_on_missing: bool = False,
        nats: Callable[[], NatsValues] | None = None,
        before_waiting: Callable[[], None] = _nothing,
        tree: str = "",
    ) -> None:
        self._facts = facts
        self.data = data
        self.environ = environ
        self.directory = directory
        self.tree = tree
        self.only_lookup = only_lookup
        self.default_on_missing = default_on_missing
        self.nats: Callable[[], NatsValues] | None = nats
        self.before_waiting = before_waiting
        self._evaluator: Evaluator | None = None
        self._document: Data | None = None
        #: The function `sent`.
        self.sent: Callable[..., Value] = nothing_sent

    @property
    def facts(self) -> Mapping[str, Value] | None:
        """The facts, read or gathered now when they were given as a function."""
        if callable(self._facts):
            self._facts = self._facts()
        return self._facts

    def variables(self) -> Data:
        """Return the variables of templates by name, in both spellings (behaviour.md 9.1, 11.4)."""
        found: Data = {"facts": self.facts, "data": self.data, "environ": self.environ}
        return {**found, **{name.capitalize(): value for name, value in found.items()}}

    def fresh(self) -> Environment:
        """Return an Environment with the same values that has looked up nothing yet."""
        found = Environment.__new__(Environment)
        vars(found).update(vars(self), _evaluator=None, _document=None, sent=nothing_sent)
        return found

    def with_data(self, data: Mapping[str, Value] | None) -> Environment:
        """Return the same but for other `data`."""
        found = self.fresh()
        found.data = data
        return found

    def restricted(self, default_on_missing: bool = True) -> Environment:
        """Return the environment of hierarchies: these facts, no data, no environ, only `lookup` (behaviour.md 16)."""
        return self.limited(default_on_missing)

    def limited(
        self,
        default_on_missing: bool = False,
        data: Mapping[str, Value] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Environment:
        """Return these facts with other `data` and `environ`, and no function but `lookup`."""
        return Environment(
            self._facts, data, environ, self.directory, only_lookup=True, default_on_missing=default_on_missing
        )

    def evaluate(self, expression: str, as_bool: bool = False) -> Value:
        """Return the value of one expression.

        With `as_bool` it must be a boolean (null counts as false), as `control` needs. Raises TemplateError: `expr
        compile error for '<expression>': <reason>`, or the reason with its place when it fails while it runs.
        """
        if self._evaluator is None:
            from .evaluation import Evaluator

            self._evaluator = Evaluator(self, self._sent_now)
        return self._evaluator.evaluate(expression, as_bool)

    def _sent_now(self, *given: Value) -> Value:
        """Call what `sent` is now: the run sets it for each resource, and the evaluator is kept."""
        return self.sent(*given)

    def lookup(self, path: str, default: Value = None) -> Value:
        """Return the value at a GJSON path over `{"facts": …, "data": …, "environ": …}`.

        Numbers are floats when they are written with a `.`, else integers; numbers inside lists and maps are floats. A
        path that finds nothing gives `default`, null counting as none. Raises TemplateError `missing key '<path>' in
        environment`. Source: behaviour.md 11.4, vectors gjson.jsonl.
        """
        from ..lang.gjson.search import GJSONError, get

        if self._document is None:
            plain = getattr(self.facts, "plain", None)
            self._document = {
                "facts": self.facts if plain is None else plain(),
                "data": self.data,
                "environ": self.environ,
            }
        try:
            result = get(self._document, path)
            if result.exists:
                return result.lookup_value()
        except GJSONError as error:
            raise TemplateError(f"lookup of '{path}' failed: {error}", value=path) from None
        if default is not None:
            return default
        if self.default_on_missing:
            return ""
        raise TemplateError(f"missing key '{path}' in environment", value=path)


def read_environ(
    read_env: bool = True,
    directory: str = ".",
    log: Log | None = None,
) -> dict[str, str]:
    """Return the environment of expressions: the variables of this process, overridden by `.env` of `directory`.

    Variables of the process that are empty are left out, as in the original. `log` gets a line when a file is read.
    Raises DataError when the file exists and cannot be read. Source: behaviour.md 11.5.
    """
    environ = {name: value for name, value in os.environ.items() if value}
    path = os.path.join(directory, ENVIRON_NAME)
    if not read_env or not os.path.isfile(path):
        return environ
    path = os.path.abspath(path)
    if log is not None:
        log.info("Reading environment variables from .env file", file=path)
    from .dotenv import read_dotenv

    return {**environ, **read_dotenv(path)}


def facts_of_machine(log: Log, given: Data | None = None) -> Callable[[], Data]:
    """Return a function that returns the facts of this host, overridden by facts of files, then by `given` facts.

    Nothing is imported or read before it is called; every call returns the same facts.
    """
    found: list[Data] = []
    lock = _thread.allocate_lock()

    def facts() -> Data:
        with lock:
            if not found:
                from .factfiles import gather

                found.append(gather(given, log=log))
            return found[0]

    return facts
