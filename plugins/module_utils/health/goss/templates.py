# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go templates in files of rules, with Sprig's functions and goss's own."""

from __future__ import annotations

import os

from ...data.environment import Environment
from ...data.gotemplates import GoTemplates, template_function
from ...host.limited import read_limited
from ...lang.go.regexp.errors import RegexpError
from ...lang.go.regexp.program import compile_regexp
from ...lang.go.values import StringMap
from ...lang.gotemplate.function import CallError
from ...lang.gotemplate.members import MemberError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ...lang.go.regexp.program import Regexp
    from ...model.environment import ExpressionEnvironment


class _Variables(StringMap):
    """Environment variables; an unset one is an error."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> NoReturn:
        raise MemberError(f'map has no entry for key "{name}"')


def render(text: str, path: str, environment: ExpressionEnvironment | None) -> str:
    """Return the rendered text of a file. Raises TemplateError."""
    templates = GoTemplates(environment or Environment(), _FUNCTIONS)
    return templates.render(text, path, {"Env": _Variables(os.environ), "Vars": _Variables()})


def _read_file(path: str) -> str:
    return read_limited(path).decode("utf-8", "replace").strip()


def _get_env(name: str, *default: str) -> str:
    return os.environ.get(name) or "".join(default[:1])


def _compiled(pattern: str) -> Regexp:
    try:
        return compile_regexp(pattern)
    except RegexpError as error:
        raise CallError(str(error)) from None


def _regex_match(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text)


def _find_submatch(pattern: str, text: str) -> dict[str, str]:
    """Return the groups of the first match by their names; where none has a name, everything by number."""
    expression = _compiled(pattern)
    match = expression.find(text)
    spans = enumerate(match or ())
    numbered = {number: text[start:end] if start >= 0 else "" for number, (start, end) in spans}
    named = {name: numbered[at] for at, name in enumerate(expression.group_names) if name and at in numbered}
    return named or {str(number): found for number, found in numbered.items()}


_FUNCTIONS = {
    "mkSlice": template_function(lambda *values: list(values), "...any"),
    "readFile": template_function(_read_file, "string"),
    "getEnv": template_function(_get_env, "string", "...string"),
    "regexMatch": template_function(_regex_match, "string", "string"),
    "toUpper": template_function(lambda text: text.upper(), "string"),
    "toLower": template_function(lambda text: text.lower(), "string"),
    "findStringSubmatch": template_function(_find_submatch, "string", "string"),
}
