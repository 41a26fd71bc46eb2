# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Defaults of a list that no resource takes over."""

from __future__ import annotations

from ..model.decode import named_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Block
    from .review import Review

RULE = "unused-defaults"


def check_defaults(review: Review, block: Block) -> None:
    """Note defaults without resources, and those that every resource gives itself."""
    if not block.defaults_path:
        return
    if not block.resources:
        message = f"the list of {block.type.name} resources has nothing but defaults"
        review.warn(RULE, message, review.key(block.defaults_path))
        return
    for declared in block.resources:
        if declared.is_null:
            message = f"the defaults do not hold for {declared.reference}, whose properties are null"
            review.warn(RULE, message, review.key(declared.path), advice="write {} for no properties of its own")
    named = named_properties(block.type)
    given = [
        {named[key].name for key in declared.own if key in named} | {"name"}
        for declared in block.resources
        if not declared.is_null
    ]
    for key in block.defaults if isinstance(block.defaults, dict) else ():
        prop = named.get(key)
        if prop is not None and given and all(prop.name in own for own in given):
            review.warn(
                RULE,
                f"the default for {key} is never used: every resource of the list has its own",
                review.key((*block.defaults_path, key)),
                property=key,
            )
