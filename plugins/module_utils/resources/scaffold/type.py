# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The scaffold type: a tree of files rendered from a tree of templates."""

from __future__ import annotations

from ...lang.gofmt import quote
from ...lang.paths import clean
from ...model.errors import InvalidResource
from ...model.property import NEVER, Property
from ...model.resource import Properties, ResourceType

PRESENT = "present"
ABSENT = "absent"
GO = "go"
JET = "jet"
JINJA2 = "jinja2"


class ScaffoldType(ResourceType):
    """Scaffolds (features.md 9)."""

    name = "scaffold"
    ensure_choices = (PRESENT, ABSENT)
    own_properties = (
        Property("source", always_shown=True, help="The directory of templates."),
        Property("skip_empty", "boolean", help="Whether templates that render to nothing leave no file."),
        Property("left_delimiter", when=NEVER, help="What opens an action in the templates."),
        Property("right_delimiter", when=NEVER, help="What closes an action in the templates."),
        Property("engine", when=NEVER, default=JET, choices=(GO, JET, JINJA2), help="The language of the templates."),
        Property("data", "data", keys_resolved=True, help="Data for the templates, instead of the manifest's."),
        Property("purge", "boolean", help="Whether to remove files that no template renders."),
        Property("post", "string_maps", help="Commands for rendered files, by the pattern of their names."),
    )

    def validate_own(self, properties: Properties) -> None:
        """Check paths, engine and post commands; an empty engine is an unset one (decisions.md Q9)."""
        if properties.ensure not in self.ensure_choices:
            raise InvalidResource(
                'invalid ensure value: must be one of "present" or "absent"',
                property="ensure",
                value=properties.ensure,
            )
        if not properties.name.startswith("/"):
            raise InvalidResource("name must be an absolute path", property="name", value=properties.name)
        if clean(properties.name) != properties.name:
            raise InvalidResource("name must be a canonical path", property="name", value=properties.name)
        if not properties.source:
            raise InvalidResource("source cannot be empty", property="source")
        properties.engine = properties.engine or JET
        if properties.engine not in (GO, JET, JINJA2):
            raise InvalidResource('engine must be one of "go" or "jet"', property="engine", value=properties.engine)
        for entry in properties.post:
            for pattern, command in entry.items():
                if not pattern:
                    raise InvalidResource("post keys cannot be empty", property="post")
                if not command:
                    raise InvalidResource(f"post value for key {quote(pattern)} cannot be empty", property="post")


SCAFFOLD = ScaffoldType()
