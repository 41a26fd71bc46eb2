# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Composes a YAML document in which an anchor is defined again, which PyYAML's own composer refuses."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def compose(yaml: Any, loader: Any) -> Any:
    """Return the root node of the first document that ``loader`` (one of yaml.py's) reads.

    An alias means the latest anchor of its name. Raises PyYAML's errors.
    """
    loader.get_event()
    loader.get_event()
    return _Composer(yaml, loader).node()


class _Composer:
    __slots__ = ("anchors", "loader", "yaml")

    def __init__(self, yaml: Any, loader: Any) -> None:
        self.yaml = yaml
        self.loader = loader
        self.anchors: dict[str, Any] = {}

    def node(self) -> Any:
        yaml = self.yaml
        event = self.loader.get_event()
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise yaml.composer.ComposerError(None, None, "found undefined alias", event.start_mark)
            return self.anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            tag = self.tag(event, event.value)
            node = yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark, style=event.style)
        else:
            mapping = isinstance(event, yaml.MappingStartEvent)
            kind = yaml.MappingNode if mapping else yaml.SequenceNode
            node = kind(self.tag(event, None), [], event.start_mark, None, flow_style=event.flow_style)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        if node.id != "scalar":
            self.loader.descend_resolver(node, None)
            self.fill(node)
            self.loader.ascend_resolver()
        return node

    def tag(self, event: Any, value: str | None) -> str:
        if event.tag is None or event.tag == "!":
            resolved: str = self.loader.resolve(None, value, event.implicit)
            return resolved
        tag: str = event.tag
        return tag

    def fill(self, node: Any) -> None:
        yaml = self.yaml
        end = yaml.MappingEndEvent if node.id == "mapping" else yaml.SequenceEndEvent
        while not self.loader.check_event(end):
            item = self.node()
            node.value.append((item, self.node()) if node.id == "mapping" else item)
        node.end_mark = self.loader.get_event().end_mark
