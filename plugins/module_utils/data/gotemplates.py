# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go templates in an environment: their variables and their functions (behaviour.md 9.1, 11.4)."""

from __future__ import annotations

from os import environ, urandom
from time import time_ns

from ..host.errors import HostError
from ..host.facts.system import Facts
from ..lang.expr.errors import ExprFunctionError
from ..lang.go.time.times import LOCAL, Time
from ..lang.go.values import StringMap
from ..lang.gotemplate.errors import TemplateFault
from ..lang.gotemplate.function import CallError, Function
from ..lang.gotemplate.sprig.catalogue import NAMES
from ..lang.gotemplate.sprig.catalogue import function as sprig_function
from ..lang.gotemplate.template import parse
from ..model.errors import CCMError, TemplateError
from .functions import Functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from ..model.environment import ExpressionEnvironment
    from ..model.values import Data, Value


def _itself(value: Value) -> Value:
    return value


_METHODS = {"Interface": Function(_itself)}


class _Values(Facts):
    """A map of values that is its own ``.Interface``, as templates for the original use it (decisions.md Q51)."""

    GO_METHODS = _METHODS
    __slots__ = ()


class _Texts(StringMap):
    """A map of texts that is its own ``.Interface``."""

    GO_TYPE = "map[string]string"
    GO_METHODS = _METHODS


def go_variables(environment: ExpressionEnvironment) -> Data:
    """Return the dot of an environment's templates."""
    values = {
        "facts": _Values(environment.facts or {}),
        "data": _Values(environment.data or {}),
        "environ": _Texts(environment.environ or {}),
    }
    return {**values, **{name.capitalize(): value for name, value in values.items()}}


def template_function(call: Callable[..., Value], *parameters: str) -> Function:
    """Return one of our functions as templates call it; its error becomes the template's."""

    def called(*arguments: Value) -> Value:
        try:
            return call(*arguments)
        except (CCMError, ExprFunctionError, HostError) as error:
            raise CallError(str(error)) from None

    return Function(called, *parameters)


class _Known:
    """Functions of CCM by name, then the functions of Sprig, loaded at first use."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions

    def __contains__(self, name: object) -> bool:
        return name in self._functions or name in NAMES

    def __getitem__(self, name: str) -> Function:
        found = self._functions.get(name) or sprig_function(name)
        if found is None:
            raise KeyError(name)
        return found


class _Machine:
    """What functions of Sprig need of this host."""

    def __init__(self, before_waiting: Callable[[], None]) -> None:
        self._before_waiting = before_waiting

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment variables of this process."""
        return environ

    @staticmethod
    def now() -> Time:
        """Return the time by the clock of this host."""
        return Time(time_ns(), LOCAL)

    @staticmethod
    def random(count: int) -> bytes:
        """Return this number of random bytes."""
        return urandom(count)

    def addresses(self, name: str) -> list[str]:
        """Return the addresses of a host; an empty list when it has none."""
        from socket import SOCK_STREAM, getaddrinfo

        self._before_waiting()
        try:
            return list(dict.fromkeys(str(found[4][0]) for found in getaddrinfo(name, None, type=SOCK_STREAM)))
        except (OSError, UnicodeError):
            return []


class GoTemplates:
    """The templates of one environment.

    `functions`, made by `template_function`, are added to the original's; `left` and `right` are the delimiters, ""
    for the usual ones.
    """

    def __init__(
        self,
        environment: ExpressionEnvironment,
        functions: Mapping[str, Function] | None = None,
        left: str = "",
        right: str = "",
    ) -> None:
        ours = Functions(environment)
        own = {
            "lookup": template_function(ours.lookup, "...any"),
            "readFile": template_function(ours.read_file, "string"),
            "file": template_function(ours.read_file, "string"),
            "jet": template_function(ours.jet, "...any"),
            "registrations": template_function(ours.registrations, "...any"),
            "kvGet": template_function(ours.kv_get, "...any"),
        }
        self._functions = _Known({**own, **(functions or {})})
        self._variables = go_variables(environment)
        self._delimiters = (left, right)
        self._machine = _Machine(environment.before_waiting)

    def render(self, text: str, name: str, data: Value = None) -> str:
        """Return the result of a template with this name for messages. Raises TemplateError.

        Its dot is `data`, without any the facts, the data and the environment variables by their names.
        """
        try:
            template = parse(text, name, self._functions, *self._delimiters)
        except TemplateFault as fault:
            raise TemplateError(f"parsing template {name} failed: {fault}", value=name) from None
        try:
            return template.render(self._variables if data is None else data, self._machine)
        except TemplateFault as fault:
            raise TemplateError(str(fault), value=name) from None
