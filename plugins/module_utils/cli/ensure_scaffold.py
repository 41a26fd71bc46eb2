# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure scaffold`: a tree of files rendered from a tree of templates."""

from __future__ import annotations

import os

from ..model.errors import CCMError
from ..resources.scaffold.checks import refuse_address
from ..resources.scaffold.type import ENGINES, JET, PRESENT
from ..resources.scaffold.type import TYPE as SCAFFOLD_TYPE
from .command import Argument, Command, Flag
from .ensure_resource import PropertyFlags, common_flags, ensure_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import Values

_OWN = PropertyFlags(
    SCAFFOLD_TYPE,
    without=("data", "post", "skip_empty", "source"),
    renamed={"left_delimiter": "left-delimiter", "right_delimiter": "right-delimiter"},
    settings={"engine": {"default": JET, "offered": ENGINES}},
)


def _ensure(values: Values) -> int:
    _check(values)
    properties = {"name": values.name, "ensure": values.ensure, "source": values.source, **_OWN.properties(values)}
    properties["skip_empty"] = values.skip_empty
    if values.post:
        properties["post"] = [{pattern: command} for pattern, command in values.post.items()]
    if values.data:
        properties["data"] = values.data
    return ensure_resource(SCAFFOLD_TYPE, properties, values)


def _check(values: Values) -> None:
    """Refuse a language that there is not, and a source that is no directory, before anything is read."""
    if values.engine not in ENGINES:
        raise CCMError(f"enum value must be one of {','.join(ENGINES)}, got '{values.engine}'", value=values.engine)
    if values.source and not os.path.isdir(values.source):
        refuse_address(values.source)
        there = os.path.exists(values.source)
        problem = (
            f"'{os.path.basename(values.source)}' is a file" if there else f"path '{values.source}' does not exist"
        )
        raise CCMError(problem, value=values.source)


SCAFFOLD = Command(
    "ensure scaffold",
    "Scaffold management",
    arguments=(
        Argument("name", "Target path to render into", required=True, path="directory"),
        Argument("source", "Source for the scaffold", path="directory"),
        Argument("ensure", "Ensure value", default=PRESENT, offered=SCAFFOLD_TYPE.ensure_choices),
    ),
    flags=(
        Flag("skip-empty", "switch", "Leave no file where a template renders to nothing", default=False),
        *_OWN.flags,
        Flag("data", "map", "Data for the templates, instead of that of --hiera", placeholder="KEY=VALUE"),
        Flag("post", "map", "Commands for rendered files, by the pattern of their names", placeholder="PATTERN=TOOL"),
        *common_flags(SCAFFOLD_TYPE),
    ),
    run=_ensure,
)
