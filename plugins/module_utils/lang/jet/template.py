# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Templates in the language Jet (v6 of CloudyKit), as CCM uses it: nothing is escaped.

    templates = TemplateSet(loader, functions, "[[", "]]")
    text = templates.parse(source, "input").render({"data": data}, context)

Source of the rules: behaviour.md 11, vectors/NOTES.md "jet.jsonl".
"""

from __future__ import annotations

from ..near import nearest
from ..paths import base, clean
from .called import unknown_functions
from .calls import Function
from .errors import JetError, SyntaxFault
from .functions import DEFAULTS
from .parser import Parser
from .runtime import Runtime
from .statements import Block, Compiler
from .values import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Mapping

    from .calls import Arguments
    from .compiler import Code

    Loader = Callable[[str], "str | None"]
    Functions = Mapping[str, Callable[[Arguments], Any]]

__all__ = ["JetError", "SyntaxFault", "Template", "TemplateSet", "parse"]

#: The endings that are tried behind the path of a template.
_EXTENSIONS = ("", ".jet", ".html.jet", ".jet.html")
#: How much a function looks like the name that may mean it: upper is meant by upcase.
_CLOSE = 0.54


class Template:
    """A parsed template; it can be rendered any number of times.

    ``name`` is its path, ``templates`` the set it belongs to, ``blocks`` what it can yield by name.
    """

    def __init__(self, templates: TemplateSet, name: str, text: str) -> None:
        self.templates = templates
        self.name = name
        self.blocks: dict[str, Block] = {}
        self._extends: Template | None = None
        self._imports: list[Template] = []
        parser = Parser(text, name, templates.left, templates.right, self._refer)
        try:
            nodes = parser.parse()
        except SyntaxFault:
            raise
        except JetError as error:
            raise parser.fault(str(error)) from None
        compiler = Compiler(name)
        for other in [*([self._extends] if self._extends else []), *self._imports]:
            self.blocks.update(other.blocks)
        for block, node in parser.blocks.items():
            self.blocks[block] = Block(compiler, node)
        self._root = compiler.body(nodes)

    def _refer(self, word: str, path: str) -> None:
        other = self.templates.beside(path, self.name)
        if word == "extends":
            self._extends = other
        else:
            self._imports.append(other)

    def root(self) -> Code:
        """Return the code to run: the code of the template at the end of the chain of ``extends``."""
        template = self
        while template._extends is not None:
            template = template._extends
        return template._root

    def render(self, variables: Mapping[str, Any] | None = None, context: Any = MISSING) -> str:
        """Return the text of the template.

        ``variables`` are there by their names, ``context`` is ``.``: Go values (gotemplate/values.py), in a scaffold a
        ``VarMap`` of the variables. What the template assigns into them stays. Bytes that are no UTF-8 are surrogate
        escapes. Raises JetError.
        """
        runtime = Runtime(self, dict(variables or {}), context)
        try:
            self.root()(runtime)
            return "".join(runtime.out)
        except RecursionError:
            raise JetError(f"template {self.name} is nested too deeply") from None
        except (MemoryError, OverflowError):
            raise JetError(f"template {self.name} calculates with something too big") from None


class TemplateSet:
    """Templates that can refer to one another, with the functions and delimiters they have in common.

    ``loader`` gives the text of a template by its path (absolute, clean), or None when there is none; without it no
    other template is ever found. ``functions`` are called with ``Arguments``, answer Go values and raise JetError; they
    are added to the ``known`` functions, by default the language's own. Empty delimiters are ``{{`` and ``}}``.
    """

    def __init__(
        self,
        loader: Loader | None = None,
        functions: Functions | None = None,
        left: str = "",
        right: str = "",
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.left = left or "{{"
        self.right = right or "}}"
        self.globals = DEFAULTS if known is None else known
        if functions:
            self.globals = {**self.globals, **{name: Function(call) for name, call in functions.items()}}
        self._loader = loader
        self._parsed: dict[str, Template] = {}
        self._under_way: list[str] = []

    def parse(self, text: str, name: str) -> Template:
        """Return the template of a text, as if it lay at ``name``. Raises SyntaxFault, JetError for a bad name."""
        if base(name) in (".", "/"):
            raise JetError("template path has no base name")
        return self._parse(text, clean("/" + name))

    def alone(self, text: str, name: str) -> Template:
        """Return the template of a text that finds only itself, by ``name``, as in a scaffold. Raises JetError."""
        path = clean("/" + name)
        templates = TemplateSet({path: text}.get, None, self.left, self.right, self.globals)
        return templates.read(path, text)

    def _parse(self, text: str, path: str) -> Template:
        try:
            return Template(self, path, text)
        except RecursionError:
            raise SyntaxFault(f"template: {path}: nested too deeply") from None

    def get(self, path: str) -> Template:
        """Return a template that the loader offers, parsed once. Raises JetError."""
        return self.beside(path, "/")

    def beside(self, path: str, sibling: str) -> Template:
        """Return a template by a path seen from another template. Raises JetError."""
        wanted, found = self._find(path, sibling)
        if found is None:
            raise JetError(f"template {wanted} could not be found")
        known = self._parsed.get(found[0])
        if known is not None:
            return known
        if found[0] in self._under_way:
            chain = " -> ".join([*self._under_way, found[0]])
            raise JetError(f"templates extend or import one another in a circle: {chain}")
        return self.read(*found)

    def read(self, path: str, text: str) -> Template:
        """Return the template that the loader offers at ``path``, from now on kept. Raises JetError."""
        self._under_way.append(path)
        try:
            template = self._parsed[path] = self._parse(text, path)
        finally:
            self._under_way.pop()
        return template

    def exists(self, path: str) -> bool:
        """Return whether the loader offers a template."""
        return self._find(path, "/")[1] is not None

    def _find(self, path: str, sibling: str) -> tuple[str, tuple[str, str] | None]:
        """Return the path that was looked for, and path and text of what was found."""
        if not path.startswith("/"):
            path = clean(sibling.rpartition("/")[0] + "/" + path)
        if self._loader is not None:
            for extension in _EXTENSIONS:
                candidate = path + extension
                text = self._loader(clean(candidate))
                if text is not None:
                    return path, (candidate, text)
        return path, None


def parse(
    text: str,
    name: str,
    functions: Functions | None = None,
    left: str = "",
    right: str = "",
    loader: Loader | None = None,
) -> Template:
    """Return the template of a text: see ``TemplateSet`` and ``TemplateSet.parse``. Raises JetError."""
    return TemplateSet(loader, functions, left, right).parse(text, name)


def jet_parser(left: str, right: str, functions: Iterable[str]) -> Callable[[str, str], str]:
    """Return a function from the text of a template and its name to the error in it, "" for none.

    `functions` are the names that a template may call in addition to the language's own. Empty delimiters mean the
    language's own.
    """
    templates = TemplateSet(None, None, left, right)
    known = sorted({*DEFAULTS, *functions})

    def fault(text: str, name: str) -> str:
        try:
            templates.parse(text, name)
            path = clean("/" + name)
            parser = Parser(text, path, templates.left, templates.right, lambda _word, _path: None)
            for called, line in unknown_functions(parser.parse(), known):
                near = nearest(called, known, _CLOSE)
                return f'template: {path}:{line}: function "{called}" not defined' + _meant(near)
        except JetError as error:
            if isinstance(error, SyntaxFault) and error.opened:
                return f"template: {clean('/' + name)}:{error.opened}: unexpected EOF: {error.advice}"
            return str(error)
        return ""

    return fault


def _meant(name: str) -> str:
    return f', did you mean "{name}"?' if name else ""
