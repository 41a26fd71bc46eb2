# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The outer shape of a manifest: its keys, and the checks of them (behaviour.md 15.1)."""

from __future__ import annotations

from ..model.decode import described, unknown_key
from ..model.errors import InvalidResource, ManifestError
from .origin import DocumentOrigin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.values import Data, ParsedDocument, Path, Value
    from .engine_settings import EngineSettings

TOP_KEYS = ("data", "hierarchy", "overrides", "ccm")
#: Top-level keys with this prefix are ignored, so that they can hold anchors (decisions.md Q65).
IGNORED_PREFIX = "x-"
CCM_KEYS = ("pre_message", "post_message", "fail_on_error", "resources", "resources_jet_file", "engine")


class ManifestDocument:
    """A parsed manifest of the right outer shape. `name` is its name in messages."""

    def __init__(self, document: ParsedDocument, name: str, *, strict: bool = True) -> None:
        self.document = document
        self.name = name
        self.strict = strict
        self.origin = DocumentOrigin(document, name)
        value = document.value
        if value is None:
            raise ManifestError(
                "the manifest is empty", position=self.origin.position(()), advice="give it ccm.resources"
            )
        self.value: Data = self._mapping(value, (), "the manifest")
        self.ccm = self._mapping(self.value.get("ccm") or {}, ("ccm",), "ccm")
        if strict:
            self._check_keys(checked_top_keys(self.value), TOP_KEYS, (), "the manifest")
            self._check_keys(self.ccm, CCM_KEYS, ("ccm",), "ccm")
            self._check_overrides()
            self._check_hierarchy()
            self._check_numbers()
        self.engine = self._engine()
        self.jet_file = self.text("resources_jet_file")
        if self.jet_file and self.ccm.get("resources"):
            raise ManifestError(
                "jet_file and resources cannot be used together",
                position=self.origin.position(("ccm", "resources_jet_file")),
            )

    def fail_on_error(self) -> bool:
        """Return whether the run ends with the first failed resource."""
        value = self.ccm.get("fail_on_error")
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self._wrong(("ccm", "fail_on_error"), "true or false", value)

    def resources(self) -> list[Value]:
        """Return the list of entries under `ccm.resources`."""
        value = self.ccm.get("resources")
        if isinstance(value, list):
            return value
        raise ManifestError(
            f"jsonschema validation failed: at '/ccm/resources': got {_schema_kind(value)}, want array",
            position=self.origin.value_position(("ccm", "resources")),
            advice=self._resources_advice(),
        )

    def _resources_advice(self) -> str:
        if "ccm" not in self.value and "resources" in self.value:
            return key_advice("resources")
        if "ccm" not in self.value and any(key in self.value for key in TOP_KEYS):
            return f"this is data for --hiera, no manifest: ccm hiera parse {self.name} reads it"
        return "give ccm.resources a list, each entry starting with -"

    def text(self, key: str) -> str:
        """Return the text of a key of `ccm`, its expressions not resolved. Raises ManifestError for no text."""
        value = self.ccm.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, (bool, int, float)):
            return self.document.scalar(("ccm", key)) or str(value)
        raise self._wrong(("ccm", key), "text", value)

    def _mapping(self, value: Value, path: Path, what: str) -> Data:
        if isinstance(value, dict):
            return value
        raise ManifestError(
            f"{what} must be a mapping, not {described(value)}",
            position=self.origin.value_position(path),
            advice="put the list below ccm: and resources:" if isinstance(value, list) and not path else "",
        )

    def _check_keys(self, keys: Iterable[str], known: tuple[str, ...], path: Path, where: str) -> None:
        for key in keys:
            if key not in known:
                refused = unknown_key("key", key, list(known), where, self.origin.position((*path, key)))
                advice = ("" if path else key_advice(key)) or refused.advice
                raise ManifestError(refused.message, property=key, position=refused.position, advice=advice)

    def _check_overrides(self) -> None:
        overrides = self.value.get("overrides")
        if not isinstance(overrides, dict):
            return
        for key, value in overrides.items():
            if not isinstance(value, dict) and value is not None:
                raise ManifestError(
                    f"jsonschema validation failed: at '/overrides/{key}': got {_schema_kind(value)}, want object",
                    position=self.origin.position(("overrides", key)),
                    advice="an entry of overrides is a mapping of data",
                )

    def _check_hierarchy(self) -> None:
        hierarchy = self.value.get("hierarchy")
        if not isinstance(hierarchy, dict):
            return
        self._check_keys(hierarchy, ("order", "merge"), ("hierarchy",), "hierarchy")
        merge = hierarchy.get("merge", "first")
        if merge not in ("first", "deep"):
            raise ManifestError(
                "jsonschema validation failed: at '/hierarchy/merge': value must be one of 'first', 'deep'",
                property="hierarchy.merge",
                value=merge,
                position=self.origin.value_position(("hierarchy", "merge")),
            )

    def _check_numbers(self) -> None:
        given: Data = {key: self.value[key] for key in ("data", "overrides") if key in self.value}
        if not given:
            return
        from ..model.finite import non_finite_message, path_of_non_finite

        path = path_of_non_finite(given)
        if path is not None:
            position = self.origin.value_position(path)
            raise ManifestError(non_finite_message(path), property=str(path[0]), position=position)

    def _engine(self) -> EngineSettings | None:
        given = self.ccm.get("engine")
        if given is None:
            return None
        from .engine_settings import EngineSettings

        origin = self.origin.below(("ccm", "engine"))
        settings = self._mapping(given, ("ccm", "engine"), "ccm.engine")
        try:
            engine = EngineSettings(settings, origin, ignore_unknown=not self.strict)
            engine.require_agreement()
            return engine
        except InvalidResource as error:
            raise error.prefixed("invalid ccm.engine: ") from None

    def _wrong(self, path: Path, wanted: str, value: Value) -> ManifestError:
        return ManifestError(
            f"{'.'.join(map(str, path))} must be {wanted}, not {described(value)}",
            property=str(path[-1]),
            value=value,
            position=self.origin.value_position(path),
        )


def key_advice(key: str) -> str:
    """Return what to do about an unknown key at the top of a manifest, "" where only the known ones can help."""
    return f"put {key} below ccm:" if key in CCM_KEYS else ""


def checked_top_keys(manifest: Data) -> list[str]:
    """Return the top-level keys of a manifest that must be known."""
    return [key for key in manifest if not (isinstance(key, str) and key.startswith(IGNORED_PREFIX))]


def _schema_kind(value: Value) -> str:
    for kind, word in ((bool, "boolean"), (str, "string"), ((int, float), "number"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return word
    return "null"
