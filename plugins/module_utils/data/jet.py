# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jet templates in an environment: their variables, and the functions of behaviour.md 11.4 as Jet calls them."""

from __future__ import annotations

from ..lang.expr.errors import ExprFunctionError
from ..lang.go.fmt import sprint
from ..lang.go.values import NilMap, StringMap
from ..lang.jet.template import JetError, TemplateSet
from ..lang.jet.values import VarMap
from ..model.errors import CCMError, TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, ClassVar, Dict, Mapping

    from ..lang.jet.calls import Arguments
    from ..model.environment import ExpressionEnvironment
    from ..model.values import Value
    from .functions import Functions

    JetFunctions = Dict[str, Callable[[Arguments], Value]]

#: What `jet_functions` returns, by name.
FUNCTION_NAMES = ("lookup", "readFile", "file", "template", "registrations", "kvGet")


class _Fields(dict):
    """The fields of a struct, which JSON shows in their own order."""

    keep_order = True


class Context:
    """The ``.`` outside of scaffolds: facts, data and environment variables as fields."""

    GO_TYPE = "*templates.Env"
    GO_FIELDS: ClassVar[dict[str, str]] = {"Facts": "facts", "Data": "data", "Environ": "environ"}
    GO_FIELD_COUNT = 10

    def __init__(self, environment: ExpressionEnvironment) -> None:
        self.facts = _map(environment.facts)
        self.data = _map(environment.data)
        self.environ = _texts(environment.environ)
        self._directory = environment.directory

    def go_text(self) -> str:
        """Return it as the original prints it, its internal state included."""
        shown = " ".join(map(sprint, (self.facts, self.data, self.environ, self._directory)))
        return f"{{{shown} <nil> <nil> false false [] {{{{}} {{0 0}}}}}}"

    def go_syntax(self) -> str:
        """Return it as the original's function ``dump`` shows it."""
        from ..lang.go.printf import sprintf

        values = [self.facts, self.data, self.environ, self._directory]
        return sprintf("&templates.Env{Facts:%#v, Data:%#v, Environ:%#v, WorkingDir:%#v, ", values) + (
            "RegistrationsFunc:(func(string, string, string, string) (interface {}, error))(nil), "
            "KVGetFunc:(func(string, string) (string, error))(nil), DefaultOnMissing:false, RestrictFunctions:false, "
            "envJSON:json.RawMessage(nil), mu:sync.Mutex{_:sync.noCopy{}, mu:sync.Mutex{state:0, sema:0x0}}}"
        )

    def go_json(self) -> Mapping[str, Value]:
        """Return its fields in JSON."""
        return _Fields(facts=self.facts, data=self.data, environ=self.environ)

    def variables(self) -> VarMap:
        """Return the same by their names in templates."""
        values = {"facts": self.facts, "data": self.data, "environ": self.environ}
        return VarMap({**values, **{name.capitalize(): value for name, value in values.items()}})


def _map(value: Mapping[str, Value] | None) -> Mapping[str, Value]:
    return NilMap() if value is None else value


def _texts(value: Mapping[str, str] | None) -> StringMap:
    return StringMap({} if value is None else value)


def jet_functions(functions: Functions) -> JetFunctions:
    """Return the functions of an environment as Jet templates call them. They raise JetError."""

    def lookup(arguments: Arguments) -> Value:
        arguments.require("lookup", 1, 2)
        path = arguments.string(0, "lookup: first argument must be a string: ")
        default = [] if len(arguments) < 2 else [arguments.plain(1)]
        return _call("lookup: failed: ", functions.lookup, path, *default)

    def file(arguments: Arguments) -> Value:
        arguments.require("file", 1, 1)
        return _call("file: ", functions.read_file, arguments.string(0, "file: argument must be a string: "))

    def template(arguments: Arguments) -> Value:
        arguments.require("template", 1, 1)
        return _call("template: ", functions.template, arguments.string(0, "template: argument must be a string: "))

    def registrations(arguments: Arguments) -> Value:
        arguments.require("registrations", 4, 4)
        texts = [arguments.string(at, "registrations: arguments must be strings: ") for at in range(4)]
        return _call("registrations: ", functions.registrations, *texts)

    def kv_get(arguments: Arguments) -> Value:
        arguments.require("kvGet", 2, 2)
        texts = [arguments.string(at, "kvGet: arguments must be strings: ") for at in range(2)]
        return _call("kvGet: ", functions.kv_get, *texts)

    return {
        "lookup": lookup,
        "readFile": file,
        "file": file,
        "template": template,
        "registrations": registrations,
        "kvGet": kv_get,
    }


def _call(lead: str, function: Callable[..., Value], *given: Value) -> Value:
    """Call one of our functions; its error becomes Jet's."""
    try:
        return function(*given)
    except (CCMError, ExprFunctionError) as error:
        raise JetError(f"{lead}{error}") from None


def render_jet(
    text: str,
    environment: ExpressionEnvironment,
    functions: Functions,
    left: str = "[[",
    right: str = "]]",
    name: str = "input",
) -> str:
    """Return the result of a Jet template with this name for messages; empty delimiters are `{{` and `}}`.

    `functions` are the functions of the environment. Assignments of the template to facts and data remain. Raises
    TemplateError.
    """
    context = Context(environment)
    try:
        template = TemplateSet(None, jet_functions(functions), left, right).parse(text, name)
        return template.render(context.variables(), context)
    except JetError as error:
        raise TemplateError(str(error), value=name, advice=error.advice) from None
