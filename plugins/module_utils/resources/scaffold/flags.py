# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of scaffold resources (behaviour.md 19.2)."""

from __future__ import annotations

import os

from ...model.errors import CCMError
from ...model.flags import Argument, Flag
from ...model.type_flags import PropertyFlags, TypeFlags
from .type import ENGINES, JET, TYPE, refuse_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.flags import Values
    from ...model.values import Data

_OWN = PropertyFlags(
    TYPE,
    without=("data", "post", "skip_empty", "source"),
    renamed={"left_delimiter": "left-delimiter", "right_delimiter": "right-delimiter"},
    settings={"engine": {"default": JET, "offered": ENGINES}},
)


class ScaffoldFlags(TypeFlags):
    """A tree of templates, and its target."""

    arguments = (
        Argument("name", "Target path to render into", required=True, path="directory"),
        Argument("source", "Source for the scaffold", path="directory"),
        Argument("ensure", "Ensure value", default=TYPE.default_ensure, offered=TYPE.ensure_choices),
    )
    flags = (
        Flag("skip-empty", "switch", "Leave no file where a template renders to nothing", default=False),
        *_OWN.flags,
        Flag("data", "map", "Data for the templates, instead of that of --hiera", placeholder="KEY=VALUE"),
        Flag("post", "map", "Commands for rendered files, by the pattern of their names", placeholder="PATTERN=TOOL"),
    )

    def properties(self, values: Values) -> Data:
        """Return the given properties.

        Raises CCMError for an unknown language, and a source that is not a directory.
        """
        _check(values)
        properties = {"name": values.name, "ensure": values.ensure, "source": values.source, **_OWN.properties(values)}
        properties["skip_empty"] = values.skip_empty
        if values.post:
            properties["post"] = [{pattern: command} for pattern, command in values.post.items()]
        if values.data:
            properties["data"] = values.data
        return properties


def _check(values: Values) -> None:
    if values.engine not in ENGINES:
        raise CCMError(f"enum value must be one of {','.join(ENGINES)}, got '{values.engine}'", value=values.engine)
    if values.source and not os.path.isdir(values.source):
        refuse_address(values.source)
        there = os.path.exists(values.source)
        problem = (
            f"'{os.path.basename(values.source)}' is a file" if there else f"path '{values.source}' does not exist"
        )
        raise CCMError(problem, value=values.source)


FLAGS = ScaffoldFlags()
