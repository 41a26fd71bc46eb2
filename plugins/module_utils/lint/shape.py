# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The outer shape of a manifest: its sections and their keys (behaviour.md 15.1)."""

from __future__ import annotations

from ..data.hierarchy import resolve
from ..manifest.document import CCM_KEYS, TOP_KEYS, ManifestDocument, checked_top_keys, key_advice
from ..manifest.engine_settings import ENGINE, EngineSettings
from ..model.decode import described, unknown_key
from ..model.errors import CCMError, DataError, TemplateError
from ..model.finite import non_finite_message, path_of_non_finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Data, Path, Value
    from .review import Review

_SECTIONS = ("data", "hierarchy", "overrides")


def check_shape(review: Review) -> ManifestDocument | None:
    """Note unknown keys and wrong sections; return the document when its resources can be checked."""
    value = review.document.value
    if isinstance(value, dict):
        _check_keys(review, dict.fromkeys(checked_top_keys(value)), TOP_KEYS, (), "the manifest")
        _check_keys(review, value.get("ccm"), CCM_KEYS, ("ccm",), "ccm")
        _check_keys(review, value.get("hierarchy"), ("order", "merge"), ("hierarchy",), "hierarchy")
        _check_engine(review, value.get("ccm"))
        _check_data(review, value)
    try:
        return _Outline(review.document, review.name, strict=False)
    except CCMError as error:
        review.refuse("shape", error)
        return None


def check_contents(review: Review, parsed: ManifestDocument) -> list[Value]:
    """Note faults in values below `ccm`; return the entries of its list of resources."""
    for read in (parsed.fail_on_error, lambda: parsed.text("pre_message"), lambda: parsed.text("post_message")):
        try:
            read()
        except CCMError as error:
            review.refuse("kind", error)
    if parsed.jet_file:
        return []
    try:
        entries = parsed.resources()
    except CCMError as error:
        review.refuse("shape", error)
        return []
    if not entries:
        review.error("shape", "manifest must contain resources", review.key(("ccm", "resources")))
    return entries


class _Outline(ManifestDocument):
    """The outer shape alone: settings of the engine are checked one by one."""

    def _engine(self) -> None:
        return None


def _check_keys(review: Review, value: Value, known: tuple[str, ...], path: Path, where: str) -> None:
    for key in value if isinstance(value, dict) else ():
        if key not in known:
            error = unknown_key("key", key, list(known), where, review.key((*path, key)))
            error.advice = ("" if path else key_advice(key)) or error.advice
            review.refuse("unknown-key", error)


def _check_engine(review: Review, ccm: Value) -> None:
    given = ccm.get("engine") if isinstance(ccm, dict) else None
    if not isinstance(given, dict):
        return
    path = ("ccm", "engine")
    known = [field.name for field in ENGINE.fields]
    for key, value in given.items():
        if key not in known:
            review.refuse("unknown-key", unknown_key("property", key, known, "engine", review.key((*path, key))))
            continue
        try:
            EngineSettings({key: value}, review.origin.below(path))
        except CCMError as error:
            review.refuse("value", error.prefixed("invalid ccm.engine: "), review.value((*path, key)))
    try:
        EngineSettings(given, review.origin.below(path), ignore_unknown=True).require_agreement()
    except CCMError as error:
        # Wrong values were reported one by one.
        if error.property == "parallel" and error.position:
            review.refuse("value", error.prefixed("invalid ccm.engine: "), error.position)


def _check_data(review: Review, value: Data) -> None:
    """Note sections of another shape; the values of expressions in them depend on the host."""
    overrides = value.get("overrides")
    for key, entry in overrides.items() if isinstance(overrides, dict) else ():
        if not isinstance(entry, dict) and entry is not None:
            review.error(
                "shape",
                f'overrides "{key}" must be a mapping, not {described(entry)}',
                review.key(("overrides", key)),
                advice="an entry of overrides is a mapping of data",
            )
    hierarchy = value.get("hierarchy")
    merge = hierarchy.get("merge", "first") if isinstance(hierarchy, dict) else "first"
    if merge not in ("first", "deep"):
        message = "hierarchy.merge must be one of 'first', 'deep'"
        review.error("value", message, review.value(("hierarchy", "merge")))
        return
    path = path_of_non_finite({key: value.get(key) for key in ("data", "overrides")})
    if path is not None:
        review.error("value", non_finite_message(path), review.value(path))
    try:
        resolve({section: value[section] for section in _SECTIONS if section in value}, {}, locate=review.key)
    except TemplateError:
        return
    except DataError as error:
        review.refuse("shape", error)
