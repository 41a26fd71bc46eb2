# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML as manifests, data and facts write it: parsed values, the place of each, and what was literally written.

PyYAML reads the syntax; what scalars mean, keys, duplicates, merges and limits are decided here, as the
original's parser decides them (behaviour.md 15.7). PyYAML is imported on first use only.
"""

from __future__ import annotations

import gc

from .yamlscalars import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, Sequence

#: Deepest nesting of lists and mappings.
MAX_DEPTH = 200
#: Values that aliases may add to the values in the text itself.
MAX_EXPANSION = 1_000_000
#: A manifest of so many bytes is read without keeping nodes (yamllarge.py).
LARGE = 1 << 16

#: The tags that a ``<<`` may have which merges.
OF_MERGES = ("", "tag:yaml.org,2002:merge")
#: What PyYAML's scanners take for the end of a line, and the original does not.
_BREAKS = "\x85\u2028\u2029"
_BLANK = ("", " ", "\t", "\n", "\r")
_BEFORE_VALUE = frozenset(" \t\n\r[{,")
#: The characters before the first character of a value, blanks left out; an anchor may be there, too.
_LEADS = frozenset(("", *"\n\r:-?[{,"))
_LONGEST_LEAD = 200
_BEFORE_NODE = _BEFORE_VALUE | {""}
_loader_class: Any = None


class YAMLError(Exception):
    """Text that cannot be read as YAML or JSON.

    ``message`` names the error; ``line`` and ``column`` count from 1 (0 when unknown); ``excerpt`` shows the line with
    a caret under the column (may be empty); ``name`` is the file's name as it was given.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, excerpt: str = "", name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.name = name

    def __str__(self) -> str:
        if not self.line:
            return f"{self.name}: {self.message}" if self.name else self.message
        if self.name:
            return f"{self.name}:{self.line}:{self.column}: {self.message}"
        return f"line {self.line}, column {self.column}: {self.message}"


class YAMLUnavailable(Exception):
    """PyYAML is not installed on this machine; the message names the package to install."""


class Document:
    """A parsed YAML document.

    ``value`` is plain data: dict (keys are str), list, str, int, float, bool, None, bytes (``!!binary``). Paths are
    sequences of keys and indices; ``()`` is the document itself.
    """

    __slots__ = ("_found", "_lines", "_pairs", "_root", "name", "text", "value")

    def __init__(self, value: Any, root: Any, text: str, name: str) -> None:
        self.value = value
        self.name = name
        self.text = text
        self._root = root
        self._lines: list[str] | None = None
        self._pairs: dict[int, dict[str, tuple[Any, Any]]] = {}
        self._found: dict[tuple[str | int, ...], tuple[Any, Any] | None] = {}

    def drop(self) -> None:
        """Drop what takes much memory and can be read again; here that is nothing."""

    @property
    def lines(self) -> list[str]:
        """The lines of the source without their ends; line N of a position is ``lines[N - 1]``."""
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    def position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the key at ``path``, or of a list's entry; None when there is none."""
        found = self._find(path)
        return None if found is None else _place(found[0])

    def value_position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the value at ``path``; None when there is none."""
        found = self._find(path)
        return None if found is None else _place(found[1])

    def scalar(self, path: Sequence[str | int]) -> str | None:
        """Return the scalar at ``path`` as it was written (``0644``, ``5.10``), of quoted text what it says.

        None when there is nothing at ``path`` or it is a list or a mapping.
        """
        found = self._find(path)
        if found is None or found[1].id != "scalar":
            return None
        text: str = found[1].value
        return text

    def is_unquoted(self, path: Sequence[str | int]) -> bool:
        """Return whether the scalar at ``path`` is without quotes and without a tag."""
        found = self._find(path)
        return found is not None and found[1].id == "scalar" and found[1].tag == ""

    def _find(self, path: Sequence[str | int]) -> tuple[Any, Any] | None:
        steps = tuple(path)
        if steps in self._found:
            return self._found[steps]
        found = None
        if not steps:
            found = None if self._root is None else (self._root, self._root)
        else:
            above = self._find(steps[:-1])
            if above is not None:
                found = self._entry(above[1], steps[-1])
        self._found[steps] = found
        return found

    def _entry(self, node: Any, step: str | int) -> tuple[Any, Any] | None:
        if node.id == "sequence" and isinstance(step, int) and 0 <= step < len(node.value):
            return node.value[step], node.value[step]
        if node.id == "mapping" and isinstance(step, str):
            return self._members(node, 0).get(step)
        return None

    def _members(self, node: Any, depth: int) -> dict[str, tuple[Any, Any]]:
        members = self._pairs.get(id(node))
        if members is None:
            members = {}
            for key, value in node.value:
                if key.tag in OF_MERGES and key.value == "<<":
                    for merged in value.value if value.id == "sequence" else [value]:
                        if merged.id == "mapping" and depth < MAX_DEPTH:
                            members.update(self._members(merged, depth + 1))
                else:
                    name, text = _flow_pair(node, key, value)
                    members[name if text is not None else _key(key)] = (key, value)
            self._pairs[id(node)] = members
        return members


def load(text: str | bytes, name: str = "") -> Document:
    """Return the first document of ``text``; an empty one has the value None.

    ``name`` is shown in errors. Raises YAMLError, YAMLUnavailable.
    """
    text = decode(text)
    source = Source(text, name)
    collecting = gc.isenabled()
    gc.disable()
    try:
        root = source.compose()
        value = None if root is None else Builder(source).build(root, 0)
    except RecursionError:
        raise source.error("nested too deeply", 0) from None
    finally:
        if collecting:
            gc.enable()
    return Document(value, root, text, name)


def decode(text: str | bytes) -> str:
    """Return ``text`` as str without a byte order mark; each byte that is not UTF-8 becomes U+FFFD."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        else:
            text.encode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        text = encodable(text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text)
    return text[1:] if text.startswith("\ufeff") else text


def encodable(text: str) -> str:
    """Return the text with U+FFFD for bytes that were no UTF-8."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def excerpt(line: str, number: int, column: int) -> str:
    """Return a line (or 60 characters either side of ``column``) with its number, and a caret below the column."""
    start = max(0, column - 61)
    shown = line[start : column + 60]
    lead = f"{number} | "
    before = shown[: column - 1 - start]
    gap = "".join("\t" if char == "\t" else " " for char in before) if "\t" in before else " " * len(before)
    return f"{lead}{shown}\n{' ' * (len(lead) - 2)}| {gap}^"


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` without their ends, as positions count them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _place(node: Any) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def pyyaml() -> Any:
    """Return the module of PyYAML. Raises YAMLUnavailable."""
    try:
        import yaml
    except ImportError:
        raise YAMLUnavailable("reading YAML needs PyYAML: install the package python3-yaml") from None
    return yaml


def _libyaml() -> Any:
    from . import libyaml

    return libyaml


def emitter() -> tuple[Any, Any, Any]:
    """Return the class that writes events as YAML, the module of the events, and the classes of its errors.

    Raises YAMLUnavailable.
    """
    libyaml = _libyaml()
    found = libyaml.binding()
    if found is not None:
        return found.CEmitter, libyaml.with_events(found), libyaml.refusals()
    yaml = pyyaml()
    written = yaml.cyaml.CEmitter if yaml.__with_libyaml__ else yaml.emitter.Emitter
    return written, yaml, libyaml.refusals()


def tokens_of(text: str) -> Iterator[Any]:
    """Yield PyYAML's tokens of a text, up to the first that is not YAML; their marks have ``index`` and ``line``."""
    yaml = pyyaml()
    try:
        yield from yaml.scan(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return


class Source:
    """A text on its way through PyYAML."""

    __slots__ = ("name", "text")

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    def compose(self) -> Any:
        """Return the root node of the first document, or None."""
        try:
            root = self.composed()
        except _TooDeep as error:
            raise self.error(f"nested more than {MAX_DEPTH} levels deep", error.index) from None
        if root is not None and _has_bare_tag(self.text):
            from .yamlrewriting import mark_texts

            mark_texts(root, self.text)
        return root

    def composed(self) -> Any:
        """Return the root node as PyYAML composes it, or None. Raises YAMLError, _TooDeep."""
        loader_class = _loader()
        first = None
        if not (loader_class.in_python or _may_be_misread(self.text)):
            try:
                return _root(loader_class, self.text)
            except loader_class.refusals() as error:
                first = error
        return self.rewritten(loader_class, first)

    def rewritten(self, loader_class: Any, first: Any) -> Any:
        """Return the root node of a text that PyYAML reads as the original does once it is rewritten.

        ``first`` is how it refused the text as it is, or None. What libyaml refuses, the loader in Python may read.
        """
        from .yamlerrors import explain_later
        from .yamlrewriting import HalfCharacter, Rewriting

        rewriting = Rewriting(self.text)
        if not loader_class.in_python and (_needs_python(self.text) or (first and rewriting.text == self.text)):
            loader_class = _loader_in_python()
        try:
            try:
                root = _root(loader_class, rewriting.text)
            except loader_class.refusals():
                if loader_class.in_python:
                    raise
                root = _root(_loader_in_python(), rewriting.text)
            if root is not None:
                rewriting.restore(root)
            return root
        except HalfCharacter as error:
            raise self.error(str(error), error.index) from None
        except loader_class.refusals() as error:
            message, index = explain_later(first, error, self.text, tokens_of)
            raise self.error(rewriting.with_original_characters(message), index) from None

    def key_error(self, index: int) -> YAMLError:
        """Return the error for a list or a mapping at character ``index``, which is a key."""
        from .yamlerrors import bare_expression

        expression = bare_expression(self.text, index)
        return self.error(*(expression or ("a key must be a single text, not a list or a mapping", index)))

    def error(self, message: str, index: int) -> YAMLError:
        """Return an error at character ``index`` of the text."""
        before = split_lines(self.text[:index])
        column = len(before[-1]) + 1
        rest = split_lines(self.text[index : index + 200])[0]
        shown = excerpt(before[-1] + rest, len(before), column)
        return YAMLError(message, len(before), column, shown, self.name)


def _may_be_misread(text: str) -> bool:
    """Return whether PyYAML may read the text without an error, and otherwise than the original."""
    if _needs_python(text):
        return True
    if not text.isascii() and any(char in text for char in _BREAKS):
        return True
    pieces = text.split("?") if "?" in text else []
    for before, after in zip(pieces, pieces[1:]):
        if before[-1:] in _BEFORE_VALUE and after[:1] not in (" ", "\t"):
            return True
    at = text.find(" :") if "&" in text or "!" in text else -1
    while at >= 0:
        if text[at + 2 : at + 3] not in _BLANK:
            line = text[text.rfind("\n", 0, at) + 1 : at]
            if "&" in line or "!" in line:
                return True
        at = text.find(" :", at + 2)
    return False


def _has_bare_tag(text: str) -> bool:
    """Return whether the tag ``!`` alone, which makes a text of what follows, may be in ``text``."""
    pieces = text.split("!") if "!" in text else []
    for before, after in zip(pieces, pieces[1:]):
        if after[:1] in _BLANK and _precedes_value(before[-_LONGEST_LEAD:]):
            return True
    return False


def _precedes_value(text: str) -> bool:
    """Return whether a value may begin behind a text, which it does not inside of a command, comment or quotes."""
    lead = text.rstrip(" \t")
    return lead[-1:] in _LEADS or lead.rpartition(" ")[2].lstrip("[{,").startswith(("&", "!"))


def _needs_python(text: str) -> bool:
    """Return whether libyaml may read the text without an error and otherwise than the loader in Python.

    It takes a ``:`` in the name of an anchor for the end of the name, a ``#`` at once behind ``|`` for a comment, and
    counts the indentation that a block of text behind ``---`` is given from another column.
    """
    for indicator in ("|", ">"):
        if any(text[max(at - 1, 0) : at] in ("", "\n", "\r") for at in _places(text, f"--- {indicator}")):
            return True
        if any(_precedes_value(text[max(at - _LONGEST_LEAD, 0) : at]) for at in _places(text, f"{indicator}#")):
            return True
    for at in _places(text, "&") if ":" in text else ():
        lead = text[max(at - _LONGEST_LEAD, 0) : at]
        if text[at + 1 : at + 2] not in _BLANK and lead[-1:] in _BEFORE_NODE and _precedes_value(lead):
            name, colon, _rest = text[at + 1 : text.find("\n", at) + 1 or None].partition(":")
            if colon and ("_" + name.replace("-", "_")).isidentifier():
                return True
    return False


def _places(text: str, wanted: str) -> Iterator[int]:
    """Yield where a piece of text is in another."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _root(loader_class: Any, text: str) -> Any:
    """Return the root node of the first document of ``text``, or None. Raises PyYAML's errors."""
    loader = loader_class(text)
    try:
        root = loader.get_node() if loader.check_node() else None
        try:
            loader.check_node()
        except loader_class.refusals() as error:
            if not _is_after_document(error, text):
                raise
        return root
    except loader_class.refusals() as error:
        if getattr(error, "problem", None) != "second occurrence":
            raise
        from .yamlevents import compose

        return compose(pyyaml(), loader_class(text))
    finally:
        loader.dispose()


def _is_after_document(error: Any, text: str) -> bool:
    """Return whether an error is about text after the line ``...`` that ends the first document."""
    if "<document start>" not in (getattr(error, "problem", None) or ""):
        return False
    lines = split_lines(text[: error.problem_mark.index])[:-1]
    while lines and not lines[-1].partition("#")[0].strip():
        lines.pop()
    return bool(lines) and lines[-1].partition("#")[0].rstrip() == "..."


def composed_by(derived: Callable[[Any], Any], text: str) -> Any:
    """Return the root node of a text, composed by the class that ``derived`` makes of the loader's class.

    None for no document, and for a text that PyYAML alone does not read as it is meant. Raises errors of PyYAML.
    """
    loader_class = _loader()
    if loader_class.in_python or _may_be_misread(text) or _has_bare_tag(text):
        return None
    return _root(derived(loader_class), text)


class _TooDeep(Exception):
    def __init__(self, index: int) -> None:
        super().__init__("nested too deeply")
        self.index = index


def _loader() -> Any:
    """Return the class that composes nodes."""
    global _loader_class
    if _loader_class is None:
        found = _libyaml().binding()
        base = getattr(pyyaml(), "CSafeLoader", None) if found is None else found.CParser
        _loader_class = _loader_in_python() if base is None else _loader_over(base)
    return _loader_class


def _loader_in_python() -> Any:
    from .yamlscanning import loader_in_python

    return _loader_over(loader_in_python(pyyaml()))


def _loader_over(base: Any) -> Any:
    # PyYAML, and so its class, is known only when a document is read.
    class Loader(base):
        """Leaves the tag of unquoted scalars empty, marks others ``!``, and counts the depth while it composes."""

        depth = 0
        in_python = hasattr(base, "scan_plain")
        #: Returns the classes of its errors.
        refusals = staticmethod(_libyaml().refusals)

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            return "" if value is None or implicit[0] else "!"

        def descend_resolver(self, parent: Any, index: Any) -> None:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise _TooDeep(parent.start_mark.index)

        def ascend_resolver(self) -> None:
            self.depth -= 1

    return Loader


def _key(node: Any) -> str:
    if node.tag == "!":
        text: str = node.value
        return text
    value = plain(node.value) if not node.tag else tagged(node.tag, node.value)
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    from .go.fmt import sprint

    return sprint(value)


def _flow_pair(mapping: Any, key: Any, value: Any) -> tuple[str, str | None]:
    """Return the two halves of ``{a:1}``, which the original reads as ``{a: 1}``; the second is None for all else."""
    if mapping.flow_style and value.value == "" and not value.tag and not key.tag and value.id == "scalar":
        head, colon, tail = key.value.partition(":")
        if colon and head and not tail.startswith("//") and value.start_mark.index == key.end_mark.index:
            return head.rstrip(), tail
    return "", None


def _name(mapping: Any, key: Any, value: Any) -> str:
    """Return the text of a key that is known to be one."""
    head, tail = _flow_pair(mapping, key, value)
    return head if tail is not None else _key(key)


def tagged(tag: str, text: str) -> Any:
    """Return the value of a scalar with an explicit tag; ValueError when its text does not fit the tag."""
    kind = tag.rpartition(":")[2] if tag.startswith("tag:yaml.org,2002:") else ""
    if kind == "null":
        return None
    if kind == "bool":
        return {"true": True, "yes": True, "1": True, "t": True, "false": False, "no": False, "0": False, "f": False}[
            text.lower()
        ]
    if kind in ("int", "float"):
        value = plain(text)
        number = (
            value if isinstance(value, (int, float)) and not isinstance(value, bool) else float(text.replace("_", ""))
        )
        if kind == "float":
            return float(number)
        if number != int(number):
            raise ValueError("not a whole number")
        return int(number)
    if kind == "binary":
        from binascii import a2b_base64

        return a2b_base64(text)
    if kind == "merge":
        raise ValueError("no merge key")
    return text


class Builder:
    """Turns nodes into values."""

    __slots__ = ("budget", "keys", "plains", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.budget = len(source.text) + MAX_EXPANSION
        self.plains: dict[str, Any] = {}
        self.keys: dict[str, str] = {}

    def build(self, node: Any, depth: int) -> Any:
        """Return the value of ``node``."""
        if node.id == "scalar":
            return self.scalar(node)
        self.budget -= len(node.value) + 1
        if depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} levels deep, or an alias holds itself", node)
        if self.budget < 0:
            raise self.error("aliases make the document too large", node)
        if node.id == "sequence":
            return [self.scalar(item) if item.id == "scalar" else self.build(item, depth + 1) for item in node.value]
        return self.mapping(node, depth)

    def scalar(self, node: Any) -> Any:
        """Return the value of a scalar node."""
        tag = node.tag
        text = node.value
        if tag == "!":
            return text
        if tag:
            try:
                return tagged(tag, text)
            except (ValueError, KeyError, OverflowError):
                raise self.error(f'cannot read "{text}" as {tag.replace("tag:yaml.org,2002:", "!!")}', node) from None
        try:
            return self.plains[text]
        except KeyError:
            value = self.plains[text] = plain(text)
            return value

    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        """Return the value of a mapping node."""
        result: dict[str, Any] = {}
        written = result
        keys = self.keys
        for key_node, value_node in node.value:
            if key_node.tag == "!":
                name = key_node.value
            elif key_node.id == "scalar" and not key_node.tag and key_node.value in keys:
                name = keys[key_node.value]
            elif key_node.value == "<<" and key_node.tag in OF_MERGES:
                if written is result:
                    written = dict(result)
                if "<<" in written:
                    raise self.repeated(node, key_node, "<<")
                written["<<"] = None
                self.merge(result, value_node, depth)
                continue
            else:
                name = self.key(key_node)
            if value_node.id != "scalar":
                value = self.build(value_node, depth + 1)
            elif value_node.value == "" and not value_node.tag:
                name, value = self.bare(node, key_node, value_node, name)
            else:
                value = self.scalar(value_node)
            if name in written:
                raise self.repeated(node, key_node, name)
            result[name] = written[name] = value
        return result

    def bare(self, mapping: Any, key_node: Any, value_node: Any, name: str) -> tuple[str, Any]:
        """Return key and value where nothing is after the key: ``{a:1}`` means ``{a: 1}``."""
        head, tail = _flow_pair(mapping, key_node, value_node)
        if tail is None:
            return name, None
        return head, load(tail).value if tail[:1] in ("'", '"') else plain(tail)

    def merge(self, result: dict[str, Any], node: Any, depth: int) -> None:
        """Put the entries that ``<<`` refers to into ``result``, over its own entries, as the original does."""
        for merged in node.value if node.id == "sequence" else [node]:
            if merged.id != "mapping":
                raise self.error("<< needs a mapping, or a list of mappings", merged)
            result.update(self.build(merged, depth + 1))

    def key(self, node: Any) -> str:
        """Return the text of a key that is not quoted."""
        if node.id != "scalar":
            raise self.source.key_error(node.start_mark.index)
        try:
            name = _key(node)
        except (ValueError, KeyError, OverflowError):
            raise self.error(f'cannot read "{node.value}" as a key', node) from None
        if not node.tag:
            self.keys[node.value] = name
        return name

    def repeated(self, mapping: Any, node: Any, name: str) -> YAMLError:
        """Return the error for a key that is twice in a mapping; it names both places."""
        first = next(key for key, value in mapping.value if _name(mapping, key, value) == name)
        line, column = _place(first)
        return self.error(f'key "{name}" is already defined at line {line}, column {column}', node)

    def error(self, message: str, node: Any) -> YAMLError:
        """Return an error at the place of ``node``."""
        return self.source.error(message, node.start_mark.index)
