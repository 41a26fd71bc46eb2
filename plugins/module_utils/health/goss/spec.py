# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules as they are written: their kinds, their attributes, and the files of rules that they refer to."""

from __future__ import annotations

from ...lang.go.fmt import sprint
from ...model.decode import described
from ...model.errors import ResourceFailed
from ...redaction.texts import without_text_secrets
from .building import matcher_of
from .catalogue import KIND_NAMES, kind_of
from .files import read_matching
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection, Dict

    from ...model.environment import ExpressionEnvironment
    from ...model.values import Data, Value
    from .kind import Kind

    # Attributes by the names of rules, by the names of kinds.
    Spec = Dict[str, Data]

FILES = "gossfile"
_FILE_ATTRIBUTES = ("title", "meta", "skip", "file")
_DEEPEST = 50
_MOST_FILES = 1000
_TRUE, _FALSE = ("true", "yes", "on", "y"), ("false", "no", "off", "n")


def flattened(spec: Data, directory: str, environment: ExpressionEnvironment | None) -> Spec:
    """Return the rules with the rules of the files that they refer to; the last rule of a name wins.

    Relative names are resolved against `directory`; `environment` is the environment of templates. Raises
    ResourceFailed, TemplateError, HostError.
    """
    return _flattened(spec, directory, environment, [], 1)


def _flattened(
    spec: Data, directory: str, environment: ExpressionEnvironment | None, files: list[str], depth: int
) -> Spec:
    """See flattened; `files` grows by the path of every file that is read."""
    if depth >= _DEEPEST:
        raise ResourceFailed(f"max depth of {_DEEPEST} reached, possibly due to dependency loop in goss file")
    merged: Spec = {name: dict(_mapping(name, rules)) for name, rules in spec.items() if name in KIND_NAMES}
    for path, attributes in sorted(_mapping(FILES, spec.get(FILES)).items()):
        is_skipped, pattern = _file_rule(path, attributes)
        if is_skipped:
            continue
        for found, content in read_matching(pattern, directory, environment):
            files.append(found)
            if len(files) > _MOST_FILES:
                raise ResourceFailed(
                    f"more than {_MOST_FILES} files of rules in one check: {found}",
                    advice="a file counts as often as it is named",
                )
            beside = found.rpartition("/")[0] or "/"
            for name, rules in _flattened(content, beside, environment, files, depth + 1).items():
                merged.setdefault(name, {}).update(rules)
    return merged


def unknown_kinds(spec: Data) -> list[str]:
    """Return the names that are no kinds of rules; goss ignores them without a warning."""
    return [name for name in spec if name not in KIND_NAMES and name != FILES]


def attributes_of(kind: str) -> Collection[str]:
    """Return the attributes that a rule of a kind, or a file of rules, may have."""
    return _FILE_ATTRIBUTES if kind == FILES else kind_of(kind).attributes


def required_of(kind: str) -> tuple[str, ...]:
    """Return the attributes of which a rule needs one, the usual one first; none where any will do."""
    return () if kind == FILES else kind_of(kind).required


def check_rule(kind: str, name: str, attributes: Value) -> None:
    """Raise ResourceFailed for faults in a rule, or file of rules, and RuleError for matchers that goss does not know.

    A matcher that is only a value is not judged: a run may have replaced it by then.
    """
    if kind == FILES:
        _file_rule(name, attributes)
        return
    found = kind_of(kind)
    for key, value in _rule(found, name, attributes).attributes.items():
        if found.attributes[key] == "matcher" and isinstance(value, dict):
            matcher_of(value)


def rules_of(spec: Spec) -> list[tuple[Kind, Rule]]:
    """Return the rules in the order in which they are run. Raises ResourceFailed for a fault in any of them."""
    found = [
        (kind, _rule(kind, name, attributes))
        for kind, rules in ((kind_of(name), spec[name]) for name in KIND_NAMES if spec.get(name))
        for name, attributes in rules.items()
    ]
    if not found:
        known = ", ".join(KIND_NAMES)
        raise ResourceFailed("found 0 tests", property="health_checks.goss_rules", advice=f"known: {known}")
    return found


def _rule(kind: Kind, name: str, attributes: Value) -> Rule:
    called = without_text_secrets(name)
    given = _known_attributes(kind.title, called, attributes, kind.attributes)
    values = {key: _CHECKS[kind.attributes[key]](kind.title, called, key, value) for key, value in given.items()}
    subject = values.get(kind.subject)
    about = subject if isinstance(subject, str) and subject else name
    shown = called if about == name or kind.is_anonymous else f"{called}: {without_text_secrets(about)}"
    return Rule(f"{kind.title}: {shown}", about, values)


def _file_rule(name: str, attributes: Value) -> tuple[bool, str]:
    """Return whether a file of rules is skipped, and its name.

    Raises ResourceFailed for faults in its attributes.
    """
    given = _known_attributes("Gossfile", name, attributes, _FILE_ATTRIBUTES)
    is_skipped = _boolean("Gossfile", name, "skip", given.get("skip"))
    return is_skipped, _text("Gossfile", name, "file", given.get("file")) or name


def _known_attributes(title: str, name: str, attributes: Value, known: Collection[str]) -> Data:
    """Return the attributes of a rule.

    Raises ResourceFailed where there are none, or one is not `known`.
    """
    if attributes is None:
        raise ResourceFailed(f"Could not parse resource {title}:{name}")
    if not isinstance(attributes, dict):
        raise ResourceFailed(f"{title}:{name} must be a mapping, not {described(attributes)}")
    for key in attributes:
        if key not in known:
            raise ResourceFailed(f"invalid Attribute for {title}:{name}: {key}", advice=f"known: {', '.join(known)}")
    return attributes


def _mapping(kind: str, rules: Value) -> Data:
    if rules is None:
        return {}
    if not isinstance(rules, dict):
        raise ResourceFailed(f"rules of {kind} must be a mapping, not {described(rules)}")
    return rules


def _wrong(title: str, name: str, key: str, wanted: str, value: Value) -> ResourceFailed:
    return ResourceFailed(f"{key} of {title}:{name} must be {wanted}, not {described(value)}")


def _anything(title: str, name: str, key: str, value: Value) -> Value:
    return value


def _text(title: str, name: str, key: str, value: Value) -> str:
    if isinstance(value, (dict, list)):
        raise _wrong(title, name, key, "text", value)
    if value is None:
        return ""
    return sprint(value)


def _texts(title: str, name: str, key: str, value: Value) -> list[str]:
    if not isinstance(value, list):
        raise _wrong(title, name, key, "a list", value)
    return [_text(title, name, key, item) for item in value]


def _integer(title: str, name: str, key: str, value: Value) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(title, name, key, "an integer", value)
    return value


def _boolean(title: str, name: str, key: str, value: Value) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    word = value.lower() if isinstance(value, str) else ""
    if word not in (*_TRUE, *_FALSE):
        raise _wrong(title, name, key, "true or false", value)
    return word in _TRUE


def _meta(title: str, name: str, key: str, value: Value) -> Data:
    if value is not None and not isinstance(value, dict):
        raise _wrong(title, name, key, "a mapping", value)
    return value or {}


_CHECKS: dict[str, Callable[[str, str, str, Value], Value]] = {
    "matcher": _anything,
    "anything": _anything,
    "text": _text,
    "texts": _texts,
    "integer": _integer,
    "boolean": _boolean,
    "mapping": _meta,
}
