# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""hiera.jsonl: a document of hierarchical data resolved for some facts, its annotations checked."""

from __future__ import annotations

from ccm.data.hierarchy import resolve_document, validate_data
from ccm.data.reading import parse_document

from ..compare import kind, kind_of
from .values import encode, refusing

NAME = "/srv/ccm-test/hiera.yaml"


def wanted(vector):
    want = vector["want"]
    return dict(want, types=_spelled_out(want["types"], want["data"])) if "types" in want else want


def _spelled_out(types, data):
    """The kinds of a want's leaves; what Go calls by one name, like []int, entry by entry."""
    if isinstance(types, dict):
        return {key: _spelled_out(entry, data[key]) for key, entry in types.items()}
    if isinstance(types, list):
        return [_spelled_out(entry, value) for entry, value in zip(types, data, strict=True)]
    return kinds_of(data) if isinstance(data, list) else kind(types)


def kinds_of(encoded):
    """The kind of each leaf; lists and maps as they are, bytes as a leaf."""
    if isinstance(encoded, list):
        return [kinds_of(entry) for entry in encoded]
    if isinstance(encoded, dict) and not any(key.startswith("$") for key in encoded):
        return {key: kinds_of(entry) for key, entry in encoded.items()}
    return kind_of(encoded)


def prepare(world):
    def answer(given):
        document = refusing(parse_document, given["document"], NAME)
        options = {"data_key": given.get("data_key", "data"), "overrides_data": given.get("data_overrides")}
        found = refusing(resolve_document, document, given["facts"], **options)
        refusing(validate_data, found.data, found.rules)
        got = {"data": encode(found.data)}
        if not given["document"].lstrip().startswith(("{", "[")):  # JSON has no comments, hence no rules
            rules = sorted(found.rules, key=lambda rule: rule.key)
            got["rules"] = [
                {"key": rule.key, "required": rule.required, "validation": rule.validation} for rule in rules
            ]
        if given.get("types"):
            got["types"] = kinds_of(got["data"])
        return got

    return answer
