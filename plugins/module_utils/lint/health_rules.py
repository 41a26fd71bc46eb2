# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of health checks: unknown kinds, attributes and matchers (behaviour.md 13)."""

from __future__ import annotations

from ..data.environment import Environment
from ..health.goss.catalogue import KIND_NAMES
from ..health.goss.resolving import resolved
from ..health.goss.spec import FILES, attributes_of, check_rule, required_of
from ..health.goss.values import RuleError
from ..lang.near import nearest
from ..model.errors import ResourceFailed
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

    from ..model.values import Data, Path, Value
    from .declared import Declared
    from .review import Review

_RULE = "goss-rule"
_PROPERTY = "health_checks.goss_rules"


class RuleReview:
    """Notes faults in the rules at `path` in the properties of a resource; values of expressions are not known."""

    def __init__(self, review: Review, declared: Declared, path: Path) -> None:
        self._review = review
        self._declared = declared
        self._path = path

    def check(self, spec: Data) -> None:
        """Note faults in a mapping from kinds of rules to rules."""
        for kind, rules in spec.items():
            if holds_expression(kind):
                continue
            if kind not in KIND_NAMES and kind != FILES:
                self._review.warn(
                    _RULE,
                    f"there are no rules for {kind}: they are ignored",
                    self._declared.origin.position((*self._path, kind)),
                    resource=self._declared.reference,
                    property=_PROPERTY,
                    advice=_nearest(kind, [*KIND_NAMES, FILES]),
                )
            elif isinstance(rules, dict):
                for name, attributes in rules.items():
                    self._check_rule(kind, name, attributes)
            elif rules is not None:
                self._refuse(f"the rules for {kind} must be a mapping from names to attributes", (kind,))

    def _check_rule(self, kind: str, name: str, attributes: Value) -> None:
        if holds_expression(attributes) and not isinstance(attributes, dict):
            return
        if not isinstance(attributes, dict):
            self._try(kind, name, attributes, (kind, name))
            return
        known, required = attributes_of(kind), required_of(kind)
        before = len(self._review.findings)
        for key, value in attributes.items():
            where = (kind, name, key)
            if holds_expression(key):
                continue
            if key not in known:
                self._refuse(f"rules for {kind} have no attribute {key}", where, _nearest(key, known))
            elif not holds_expression(value):
                self._try(kind, name, {key: value}, where)
        is_open = any(map(holds_expression, attributes)) or attributes.get("skip")
        is_missing = required and attributes.keys().isdisjoint(required) and not is_open
        if is_missing and len(self._review.findings) == before:
            message = f"a rule for {kind} without {required[0]} never holds"
            self._refuse(message, (kind, name), f"give {required[0]}, which the rest of the rule depends on")

    def _try(self, kind: str, name: str, attributes: Value, where: Path) -> None:
        """Note a fault of the rule."""
        given = resolved(attributes, Environment({}, {}, {}, ""))
        try:
            check_rule(kind, name, given)
        except (ResourceFailed, RuleError) as error:
            self._refuse(str(error), where)

    def _refuse(self, message: str, where: Path, advice: str = "") -> None:
        self._review.error(
            _RULE,
            message,
            self._declared.origin.position((*self._path, *where)),
            resource=self._declared.reference,
            property=_PROPERTY,
            advice=advice,
        )


def _nearest(word: str, known: Collection[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near}?" if near else f"known: {', '.join(known)}"
