# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML as we write it: scalars as the original writes them, but never so that they are read otherwise."""

from __future__ import annotations

from .controls import in_json
from .go.fmt import GoFormatError, sprint
from .yaml import YAMLError, encodable, pyyaml
from .yamlscalars import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FIRST = "*&[{}],!|>%'\"@ `"
#: Booleans of older dialects.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off"))
_dumper_class: Any = None


class Plain(str):
    """A text that is written without quotes, also when it reads as another kind: a time."""

    __slots__ = ()


def dump(value: Any) -> str:
    """Return ``value`` as YAML: mappings in their order, texts of several lines as blocks, texts that would read as
    something else, or have characters that control a terminal (Q113), in quotes. yaml.load() gives the value back.

    Raises YAMLError for what has no YAML form, YAMLUnavailable.
    """
    yaml = pyyaml()
    try:
        text: str = yaml.dump(
            value,
            Dumper=_dumper(yaml),
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
            width=1 << 30,
        )
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise YAMLError("cannot be written as YAML: " + reason) from None
    # Only texts in double quotes have such characters.
    return in_json(text[:-4] if text.endswith("\n...\n") else text)


def _dumper(yaml: Any) -> Any:
    global _dumper_class
    if _dumper_class is not None:
        return _dumper_class
    text_tag = "tag:yaml.org,2002:str"

    # PyYAML, and so its class, is known only when a document is read.
    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):
        """Quotes a text that any dialect, or ours, would read as something else."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            tag: str = super().resolve(kind, value, implicit)
            if tag == text_tag and implicit[0] and not isinstance(plain(value), str):
                return ""
            return tag

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Any, data: str) -> Any:
        shown = str(data) if data.isascii() else encodable(data)
        return dumper.represent_scalar(text_tag, shown, style=_style(shown))

    def unquoted(dumper: Any, data: Plain) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:timestamp", str(data))

    def other(dumper: Any, data: Any) -> Any:
        try:
            return text(dumper, sprint(data))
        except GoFormatError as error:
            raise ValueError(str(error)) from None

    Dumper.add_representer(str, text)
    Dumper.add_multi_representer(str, text)
    Dumper.add_representer(Plain, unquoted)
    for kind in (dict, list, bool, int, float):
        Dumper.add_multi_representer(kind, Dumper.yaml_representers[kind])
    Dumper.add_multi_representer(tuple, Dumper.yaml_representers[list])
    Dumper.add_multi_representer(object, other)
    _dumper_class = Dumper
    return Dumper


def _style(text: str) -> str | None:
    """Return the style of a text.

    A block for several lines, double quotes where it could be taken for something else, or has an escape (Q113).
    """
    if not text.isascii() and in_json(text) != text:
        return '"'
    if "\n" in text:
        return "|"
    return '"' if _needs_quotes(text) else None


def _needs_quotes(text: str) -> bool:
    if not text or text[0] in _FIRST or text[-1] in ": " or "#" in text or "\\" in text:
        return True
    if text == "-" or text.isdigit() or ": " in text or "- " in text or text.lower() in _WORDS:
        return True
    return text[0] in "0123456789+-.~nNtTfF" and (_is_time(text) or not isinstance(plain(text), str))


def _is_time(text: str) -> bool:
    """Return whether a text begins as a date, or is a time of day."""
    day = text[:10].split("-")
    if len(day) == 3 and all(part.isdigit() for part in day) and len(day[0]) == 4:
        return True
    hours, colon, minutes = text.partition(":")
    return bool(colon) and hours.isdigit() and minutes.isdigit() and len(hours) < 3 and len(minutes) < 3
