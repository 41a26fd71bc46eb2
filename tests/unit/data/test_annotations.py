# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key that a comment belongs to. The expectations were compared with the results of the original."""

from __future__ import annotations

import pytest
from ccm.data import annotations
from ccm.data.annotations import find_rules
from ccm.data.reading import parse_document
from ccm.lang import yaml

OWNERS = [
    ("data:\n  a: 1\n  # @x\n  k: 1\n", ["k @x"]),
    ("data:\n  # @x\n\n  # text\n  #@y z  \n  k: 1 # @same\n", ["k @x", "k @y z", "k @same"]),
    ("data:\n  a:\n    b: 1\n    # @deep\n  c: 1\n", ["a.b @deep"]),
    ("data:\n  a:\n    b: 1\n# @shallow\n  c: 1\n", ["c @shallow"]),
    ("data:\n    # @x\n  a: 1\n", ["a @x"]),
    ("data:\n  a: 1\n  # @foot\nother: 1\n", ["a @foot"]),
    ("data:\n  a:\n    b: 1\n    # @foot\n  # @head\n    # @head\n  c: 1\n", ["a.b @foot", "c @head", "c @head"]),
    ("data:\n  a:\n    - b\n    # @list\n  c: 1\n", []),
    ("data:\n  a: 1\n    # @deeper\n  c: 1\n", ["c @deeper"]),
    ("data:\n  a: 1\n# @outside\nother: 1\n", []),
    ("data:\n  a: 1\n  b:\n    c: 1\n  # @end\n", ["b @end"]),
    ("# @x\ndata: # @y\n  k: 1\n", []),
    ("overrides:\n  x:\n    # @o\n    a: 1\ndata:\n  # @p\n  a: 1\n", ["a @p"]),
    ("data:\n  # @l\n  l: # @m\n    # @n\n    - a: 1 # @o\n      # @p\n      b: 2\n  k: 1\n", ["l @l", "l @m"]),
    ("data:\n  # @1\n  a:\n    # @2\n    b:\n      # @3\n      c: 1\n", ["a @1", "a.b @2", "a.b.c @3"]),
    ("data:\n  k:\n    # @above\n    x # @beside\n", ["k @above", "k @beside"]),
    ("data:\n  a: | # @a\n    x\n    # @content\n\n    # @content\n  # @k\n  k: 1\n", ["a @a", "k @k"]),
    ("data:\n  l:\n    - t: >-\n        # @content\n  # @k\n  k: 1\n", ["k @k"]),
    (
        "data:\n  a: x# @no\n  b: 'it''s # @no' # @b\n  c: \"\\\" # @no\" # @c\n  d: it's # @d\n",
        ["b @b", "c @c", "d @d"],
    ),
    ("data:\n  a: {b: 1} # @a\n  c: [1, # @no\n    2]\n", ["a @a"]),
    ("data: {a: 1} # @no\n", []),
    ("data:\n  a.b: 1 # @x\n  a$b: 1 # @y\n  a[b: 1 # @z\n", ["'a.b' @x", "'a$b' @y"]),
    ("data:\r\n  # @x\r\n  k: 1\r\n", ["k @x"]),
    ("data: [1] # @x\n", []),
    ("# @x\n", []),
]


@pytest.mark.parametrize(("text", "expected"), OWNERS)
def test_the_key_of_a_comment(text, expected):
    _rules, unknown = find_rules(parse_document(text, "d.yaml"))
    assert [f"{key} {annotation}" for key, annotation in unknown] == expected


def rules(text, data_key="data"):
    return [
        (rule.key, rule.required, rule.validation) for rule in find_rules(parse_document(text, "d.yaml"), data_key)[0]
    ]


def test_rules_in_the_order_of_the_document():
    text = "data:\n  # @required\n  z: 1\n  # @require\n  # @validate  isInt(value) \n  a: 1\n"
    assert rules(text) == [("z", True, ""), ("a", True, "isInt(value)")]


def test_the_last_validation_of_a_key_is_used():
    assert rules("data:\n  # @validate a\n  # @validate b\n  k: 1\n") == [("k", False, "b")]


@pytest.mark.parametrize("annotation", ["@require it", "@Require", "@validate", "@validate\tx", "text @require"])
def test_other_comments_are_not_rules(annotation):
    assert rules(f"data:\n  # {annotation}\n  k: 1\n") == []


def test_the_key_of_the_data_can_have_another_name():
    assert rules("data:\n  a: 1 # @require\nmine:\n  b: 1 # @require\n", "mine") == [("b", True, "")]


def test_json_has_no_annotations():
    assert rules('{"data": {"k": "# @require"}}') == []


def test_a_rule_has_a_position():
    position = find_rules(parse_document("data:\n  # @require\n  k: 1\n", "d.yaml"))[0][0].position
    assert str(position) == "d.yaml:3:3"


@pytest.mark.parametrize(
    "text", ["  # @require\n" * 50_000 + "  b: 1\n", "".join(f"  # @require\n  k{n}: 1\n" for n in range(5000))]
)
def test_each_of_many_comments_is_read_once(text, monkeypatch):
    """Each block and each line is read once, for any number of comments."""
    looks = 0
    content = annotations._content

    def counted_calls(*given):
        nonlocal looks
        looks += 1
        return content(*given)

    monkeypatch.setattr(annotations, "_content", counted_calls)
    document = yaml.load("data:\n  a: 1\n" + text, "x")
    rules, unknown = annotations.find_rules(document)
    assert (len(rules), unknown) == (text.count(": 1"), [])
    assert looks <= 2 * text.count(": 1")
