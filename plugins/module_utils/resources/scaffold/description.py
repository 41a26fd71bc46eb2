# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of scaffolds for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription
from .parsing import template_parser
from .type import ENGINES, JET, delimiters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ...model.type_description import Templates
    from ...model.values import Value

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name of the resource."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("target_exists", "boolean", help="Whether the directory is there."),
            Property("changed", "strings", help="Paths of files that are to be written."),
            Property("purged", "strings", help="Paths of files that no template renders."),
            Property("stable", "strings", help="Paths of files that are as they should be."),
            Property("engine", required=True, help="The language of the templates."),
        ),
    ),
)


def _engine(value: object) -> str:
    """Q9: the languages of the original."""
    return "" if value in ("go", "jet") else "the original takes go and jet as engine, and no other"


def _templates(values: Mapping[str, Value]) -> Templates | None:
    source, language, left, right = (
        str(values.get(name) or "") for name in ("source", "engine", "left_delimiter", "right_delimiter")
    )
    language = language or JET
    if language not in ENGINES:
        return None
    return source, template_parser(language, *delimiters(language, left, right))


DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    required_by_original=("ensure", "engine"),
    portability={"engine": _engine},
    # A source is no URL: no scheme is allowed, and this is the advice.
    addresses={"source": ((), "a source is a directory next to the manifest: an archive can download it before")},
    templates=_templates,
)
