# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks a whole manifest with the manifests that it applies; no host is read."""

from __future__ import annotations

import os

from ..data.annotations import find_rules
from ..manifest.reader import parse_manifest
from ..model.errors import CCMError, Position
from .addresses import check_address
from .children import check_application, is_application
from .commands import check_commands
from .declared import RESOURCES, check_defaults, check_duplicates, read_blocks
from .documents import check_documents
from .expressions import Expressions
from .finding import ERROR, Finding
from .graph_order import check_graph_order
from .implied_order import check_implied_order
from .known import KnownValues, sections
from .lost_values import LostValues
from .paths import check_paths, check_unused
from .portability import Portability
from .portable_templates import check_portable_resources, check_portable_templates
from .publishing import check_registrations
from .references import Earlier, Names, check_references, is_in_graph_order, names_of
from .review import Review
from .secrets import Secrets
from .shape import check_contents, check_shape
from .templates import check_resources_file, check_source, check_templates
from .unmet import check_unmet
from .values import Trials, check_values
from .words import check_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..data.annotations import Rule
    from .declared import Block, Declared


def findings(
    text: bytes,
    name: str,
    directory: str,
    *,
    portable: bool = True,
    upstream: bool = False,
    is_parallel: bool = False,
    known: KnownValues | None = None,
) -> list[Finding]:
    """Return the faults, and possible faults, of a manifest with this name for messages and this directory.

    Manifest by manifest, each from its first line to its last. With `portable` also what the original would handle
    differently; for `upstream`, as errors, what only this version knows, and what fails in the order of the list.
    With `is_parallel` it runs in graph order, also without `order: graph`. `known` are the facts and data of its run.
    Only the files that the manifest names are read.
    """
    path = os.path.join(directory, os.path.basename(name))
    lint = _Lint(portable or upstream, upstream, is_parallel)
    lint.follow(text, name, path, (), known or KnownValues(), may_apply=True)
    return lint.findings()


class _Lint:
    """One check of a manifest and its children; what runs earlier is known to what runs later."""

    def __init__(self, portable: bool, upstream: bool, is_parallel: bool) -> None:
        self._portable = portable
        self._upstream = upstream
        self._is_parallel = is_parallel
        self._earlier = Earlier()
        self._above: set[str] = set()
        self._above_in_graph: set[str] = set()
        self._lost_values = LostValues()
        self._trials = Trials()
        # The findings of each manifest with its name, a manifest before the manifests that it applies.
        self._found: list[tuple[str, list[Finding]]] = []

    def follow(
        self, text: bytes, name: str, path: str, chain: tuple[str, ...], known: KnownValues, *, may_apply: bool
    ) -> None:
        """Check one manifest, and below its resources the manifests that it applies."""
        try:
            document = parse_manifest(text, name)
        except CCMError as error:
            place = error.position or Position(name, 0, 0)
            self._found.append((name, [Finding(ERROR, "yaml", error.message, place, excerpt=error.excerpt)]))
            self._earlier.is_open = True
            return
        # Only for the given manifest: manifests that it applies run as they say.
        is_parallel = self._is_parallel and not chain
        review = Review(document, name, os.path.dirname(path), upstream=self._upstream, is_parallel=is_parallel)
        self._found.append((name, review.findings))
        check_documents(review)
        self._check_blocks(review, (*chain, os.path.realpath(path)), known, may_apply)

    def findings(self) -> list[Finding]:
        """Return the findings of all manifests that were checked, each of them once."""
        self._lost_values.note()
        found: dict[tuple[str, str, str], Finding] = {}
        for name, of_manifest in self._found:
            for finding in sorted(of_manifest, key=lambda finding: _order(finding, name)):
                found.setdefault((str(finding.position), finding.rule, finding.message), finding)
        return list(found.values())

    def _check_blocks(self, review: Review, chain: tuple[str, ...], known: KnownValues, may_apply: bool) -> None:
        parsed = check_shape(review)
        value = review.document.value
        if parsed is None:
            self._earlier.is_open = True
            return
        entries = check_contents(review, parsed)
        expressions, secrets = Expressions(review, self._portable, known), Secrets(review)
        portability = Portability(review) if self._portable else None
        expressions.check_outside(value)
        _check_annotations(review)
        secrets.check_data(value)
        if portability is not None:
            portability.check_outside(value)
            for at, entry in enumerate(entries):
                portability.check_entry(entry, (*RESOURCES, at))
        if parsed.jet_file:
            check_resources_file(review, parsed.jet_file)
            if self._portable:
                check_portable_resources(review, parsed.jet_file)
            self._earlier.is_open = True
        blocks = list(read_blocks(review, entries))
        for block in blocks:
            expressions.check_block(block)
            secrets.check_block(block)
            check_defaults(review, block)
            if portability is not None:
                portability.check_block(block)
        self._run(review, blocks, chain, known, may_apply)

    def _run(
        self, review: Review, blocks: list[Block], chain: tuple[str, ...], known: KnownValues, may_apply: bool
    ) -> None:
        """Check resources in the order in which they would run."""
        resources = [declared for block in blocks for declared in block.resources]
        applies = any(map(is_application, resources))
        names = Names(names_of(resources), self._above, self._above_in_graph, applies)
        above = (self._above, self._above_in_graph)
        if is_in_graph_order(review):
            check_graph_order(review, resources)
        else:
            check_duplicates(review, resources)
            check_implied_order(review, resources)
        self._lost_values.add(review, resources)
        for index, declared in enumerate(resources):
            check_values(review, declared, index, self._trials)
            check_references(review, declared, self._earlier, names)
            if check_address(review, declared):
                check_templates(review, declared)
                if self._portable:
                    check_portable_templates(review, declared)
                check_source(review, declared)
            _check_rules(review, declared)
            check_commands(review, declared)
            check_paths(review, declared)
            check_unused(review, declared)
            check_words(review, declared)
            check_unmet(review, declared)
            check_registrations(review, declared)
            if is_application(declared):
                self._above = names.above | names.own
                if is_in_graph_order(review):
                    self._above_in_graph = names.above_in_graph | names.own
                self._apply(review, declared, chain, known, may_apply)
                self._above, self._above_in_graph = above
            self._earlier.add(declared)

    def _apply(
        self, review: Review, declared: Declared, chain: tuple[str, ...], known: KnownValues, may_apply: bool
    ) -> None:
        child = check_application(review, declared, chain, may_apply)
        if child is None:
            self._earlier.is_open = True
            return
        data = declared.values.get("data")
        if data is not None:
            known = known.with_data([data])
        elif known.data is not None:
            known = known.with_data([*sections(review.document.value), *known.data])
        self.follow(child.text, child.name, child.path, chain, known, may_apply=child.may_apply)


def _order(finding: Finding, name: str) -> tuple[bool, str, int, int]:
    """Return a sort key: findings in the manifest of that name first, by place, then those in its templates."""
    place = finding.position
    if place is None:
        return (False, "", 0, 0)
    return (place.file != name, place.file, place.line, place.column)


def _check_annotations(review: Review) -> None:
    """Note comments at data that are like annotations and are none, and validations that do not compile."""
    rules, unknown = find_rules(review.document)
    for key, annotation in unknown:
        path = ("data", *key.split("."))
        review.warn("annotation", f"unrecognized annotation at {key}: {annotation}", review.key(path))
    for rule in rules:
        if rule.validation:
            _check_validation(review, rule)


def _check_rules(review: Review, declared: Declared) -> None:
    """Note faults in the rules of the health checks of a resource."""
    for at, check in enumerate(declared.objects("health_checks")):
        rules = check["goss_rules"]
        if isinstance(rules, dict):
            # Importing the rules takes 40 ms, and most manifests have none.
            from .health_rules import RuleReview

            RuleReview(review, declared, ("health_checks", at, "goss_rules")).check(rules)


def _check_validation(review: Review, rule: Rule) -> None:
    """Note a validation that does not compile for a text, or that a run never makes, as of a list."""
    from ..data.validation import does_validate, failure_of_expression, value_at

    document = review.document.value
    overrides = document.get("overrides")
    layers = [document.get("data"), *(overrides.values() if isinstance(overrides, dict) else ())]
    values = [value_at(layer, rule.key) for layer in layers if isinstance(layer, dict)]
    if any(map(does_validate, values)):
        failure = failure_of_expression(rule)
        if failure:
            review.error("expression", failure, rule.position)
    elif any(values):
        message = f"the validation of key {rule.key} is ignored: lists and mappings are not validated"
        review.warn("annotation", message, rule.position, advice="validate single values, or leave it out")
