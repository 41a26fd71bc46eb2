# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sprig's functions for lists and maps."""

from __future__ import annotations

import pytest
from ccm.lang.gotemplate.sprig.lists import FUNCTIONS

from tests.unit.lang.gotemplate.sprig.rendering import outcome

#: A call, and its type and value in Go, or its error.
OUTCOMES = [
    ("list", "[]interface {}|[]"),
    ('list 1 "a" nil', "[]interface {}|[1 a <nil>]"),
    ("tuple 1 (list 2)", "[]interface {}|[1 [2]]"),
    ("append (list 1) nil", "[]interface {}|[1 <nil>]"),
    ('push (splitList "," "a") 1', "[]interface {}|[a 1]"),
    ('mustPush "x" 1', "mustPush: Cannot push on type string"),
    ("append nil 1", "append: runtime error: invalid memory address or nil pointer dereference"),
    ("append (dict) 1", "append: Cannot push on type map"),
    ('prepend (until 2) "x"', "[]interface {}|[x 0 1]"),
    ("mustPrepend 5 1", "mustPrepend: Cannot prepend on type int"),
    ("first (list 1 2)", "int|1"),
    ("first (list)", "<nil>|<nil>"),
    ('first (blob "ab")', "uint8|97"),
    ('first "ab"', "first: Cannot find first on type string"),
    ("mustFirst nil", "mustFirst: runtime error: invalid memory address or nil pointer dereference"),
    ("last (until 3)", "int|2"),
    ("last (dict)", "last: Cannot find last on type map"),
    ("rest (list 1 2 3)", "[]interface {}|[2 3]"),
    ("rest (list)", "[]interface {}|[]"),
    ("mustRest true", "mustRest: Cannot find rest on type bool"),
    ("initial (list 1 2 3)", "[]interface {}|[1 2]"),
    ('initial (splitList "," "a,b")', "[]interface {}|[a]"),
    ("mustInitial 1.5", "mustInitial: Cannot find initial on type float64"),
    ('reverse (list 1 "a" nil)', "[]interface {}|[<nil> a 1]"),
    ('mustReverse "abc"', "mustReverse: Cannot find reverse on type string"),
    ('uniq (list 1 1.0 (int64 1) 1 "a" "a" nil nil (list) (list))', "[]interface {}|[1 1 1 a <nil> []]"),
    ('mustUniq "aa"', "mustUniq: Cannot find uniq on type string"),
    ('without (list 1 2 "a" nil (int64 1)) 1 nil', "[]interface {}|[2 a 1]"),
    ('mustWithout (semver "1.2.3") 1', "mustWithout: Cannot find without on type ptr"),
    ("has 1 (list 1.0 (int64 1))", "bool|false"),
    ('has "a" (splitList "," "b,a")', "bool|true"),
    ("has nil (list nil)", "bool|true"),
    ("has 1 nil", "bool|false"),
    ('has 1 "1"', "has: Cannot find has on type string"),
    ("mustHas 1 (dict)", "mustHas: Cannot find has on type map"),
    ('compact (list 0 1 "" "a" nil (list) false (dict "a" 1))', "[]interface {}|[1 a map[a:1]]"),
    ('mustCompact "a"', "mustCompact: Cannot compact on type string"),
    ("slice (list 1 2 3)", "[]interface {}|[1 2 3]"),
    ("slice (list 1 2 3) 1", "[]interface {}|[2 3]"),
    ('slice (splitList "," "a,b,c") 1 2', "[]string|[b]"),
    ('slice (until 5) "1" 2.9', "[]int|[1]"),
    ("slice (list)", "<nil>|<nil>"),
    ("slice (list 1) 2", "slice: reflect.Value.Slice: slice index out of bounds"),
    ("slice (list 1) 0 5", "slice: reflect.Value.Slice: slice index out of bounds"),
    ("mustSlice (list 1 2) -1", "mustSlice: reflect.Value.Slice: slice index out of bounds"),
    ('mustSlice "abc" 1 2', "mustSlice: list should be type of slice or array but string"),
    ("concat", "[]interface {}|[]"),
    ('concat (list 1) (splitList "," "a,b") (until 1)', "[]interface {}|[1 a b 0]"),
    ("concat (list) (list)", "[]interface {}|[]"),
    ('concat "a"', "concat: Cannot concat type string as list"),
    ("concat (list 1) nil", "concat: runtime error: invalid memory address or nil pointer dereference"),
    ("chunk 2 (list 1 2 3)", "[][]interface {}|[[1 2] [3]]"),
    ('chunk 3 (splitList "," "a,b,c")', "[][]interface {}|[[a b c]]"),
    ("chunk 2 (list)", "[][]interface {}|[]"),
    ("chunk 0 (list 1)", "chunk: runtime error: makeslice: len out of range"),
    ("chunk -1 (list 1 2)", "[][]interface {}|[]"),
    ("chunk -3 (list 1)", "[][]interface {}|[[1]]"),
    ('mustChunk 2 "abc"', "mustChunk: Cannot chunk type string"),
    ('dict "a" 1 2 (list) nil "n" "odd"', "map[string]interface {}|map[2:[] <nil>:n a:1 odd:]"),
    ('dict "a" 1 "a"', "map[string]interface {}|map[a:]"),
    ('get (dict "a" nil) "a"', "<nil>|<nil>"),
    ('get (dict) "a"', "string|"),
    ('set (dict "a" 1) "b" nil', "map[string]interface {}|map[a:1 b:<nil>]"),
    ('unset (dict "a" 1 "b" 2) "a"', "map[string]interface {}|map[b:2]"),
    ('hasKey (dict "a" nil) "a"', "bool|true"),
    ('pluck "a" (dict "a" 1) (dict) (dict "a" nil)', "[]interface {}|[1 <nil>]"),
    ("keys", "[]string|[]"),
    ('keys (dict "a" 1)', "[]string|[a]"),
    ('values (dict "a" (list 1))', "[]interface {}|[[1]]"),
    ('pick (dict "a" 1 "b" 2) "b" "c"', "map[string]interface {}|map[b:2]"),
    ('omit (dict "a" 1 "b" 2) "b" "c"', "map[string]interface {}|map[a:1]"),
    ('dig "a" "b" "d" (dict "a" (dict "b" 1))', "int|1"),
    ('dig "a" "x" "d" (dict "a" (dict "b" 1))', "string|d"),
    ('dig "a" "d" (dict "a" nil)', "<nil>|<nil>"),
    ('dig "a" "b" "d" (dict "a" 1)', "dig: interface conversion: interface {} is int, not map[string]interface {}"),
    ('dig "a" "b" "d" (dict "a" nil)', "dig: interface conversion: interface {} is nil, not map[string]interface {}"),
    (
        'dig "a" "b" "d" (dict "a" (split "," "x"))',
        "dig: interface conversion: interface {} is map[string]string, not map[string]interface {}",
    ),
    ('dig 1 "d" (dict)', "dig: interface conversion: interface {} is int, not string"),
    ('dig "a" "d" "x"', "dig: interface conversion: interface {} is string, not map[string]interface {}"),
    ('dig "a" (dict)', "dig: dig needs at least three arguments"),
    (
        'merge (dict "a" 1 "b" "" "n" nil) (dict "a" 2 "b" 3 "c" 4 "n" 5)',
        "map[string]interface {}|map[a:1 b:3 c:4 n:5]",
    ),
    (
        'merge (dict "a" (dict "x" 1 "l" (list 1))) (dict "a" (dict "x" 2 "y" 3 "l" (list 2) "m" (list 3)))',
        "map[string]interface {}|map[a:map[l:[1] m:[3] x:1 y:3]]",
    ),
    (
        'merge (dict "a" false "l" (list) "m" (dict)) (dict "a" true "l" (list 1) "m" (dict "k" 1))',
        "map[string]interface {}|map[a:true l:[1] m:map[k:1]]",
    ),
    (
        'merge (dict "a" "s" "b" (list 1)) (dict "a" (dict "k" 1) "b" (dict "k" 1))',
        "map[string]interface {}|map[a:s b:[1]]",
    ),
    ('merge (dict "a" nil) (dict "a" nil "b" nil)', "map[string]interface {}|map[a:<nil>]"),
    ('merge (dict "a" (semver "1.2.3")) (dict "a" (dict))', "string|"),
    ('mustMerge (dict "a" (semver "1.2.3")) (dict "a" (dict))', "mustMerge: src and dst must be of same type"),
    (
        'mustMerge (dict "a" (split "," "x")) (dict "a" (dict "k" 1))',
        "mustMerge: reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string",
    ),
    ('mergeOverwrite (dict "a" 1 "b" 2) (dict "a" "" "c" 3 "b" nil)', "map[string]interface {}|map[a: b:<nil> c:3]"),
    (
        'mergeOverwrite (dict "a" (dict "x" 1 "y" 2)) (dict "a" (dict "x" 3))',
        "map[string]interface {}|map[a:map[x:3 y:2]]",
    ),
    (
        'mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" (list 1)) (dict "a" (dict))',
        "map[string]interface {}|map[a:map[]]",
    ),
    ('mergeOverwrite (dict "a" (list 1 2)) (dict "a" (list))', "map[string]interface {}|map[a:[]]"),
    (
        'mustMergeOverwrite (dict "a" (semver "1.2.3")) (dict "a" (dict "b" 1))',
        "map[string]interface {}|map[a:map[b:1]]",
    ),
    ('deepCopy (dict "a" (list 1 (splitList "," "b")))', "map[string]interface {}|map[a:[1 [b]]]"),
    ("deepCopy nil", "deepCopy: reflect: call of reflect.Value.Type on zero Value"),
    ('mustDeepCopy "x"', "string|x"),
]


@pytest.mark.parametrize(("call", "wanted"), OUTCOMES)
def test_outcome(call, wanted):
    assert outcome(call) == wanted


def test_uniq_compares_no_entry_with_every_other():
    compared = []

    class Entry:
        GO_TYPE = "entry"

        def __init__(self, number):
            self.number = number

        def __hash__(self):
            return self.number

        def __eq__(self, other):
            compared.append(self.number)
            return self.number == other.number

    entries = [Entry(number % 500) for number in range(1000)]
    nested = [[entry] for entry in entries]
    uniq = FUNCTIONS["uniq"].call
    assert [entry.number for entry in uniq(entries)] == list(range(500))
    assert [entry.number for (entry,) in uniq(nested)] == list(range(500))
    assert len(compared) < 10 * len(entries)


def test_uniq_keeps_what_equals_only_itself():
    nan = float("nan")
    lists = [[nan], [nan]]
    large = [[0] * 20000, [0] * 20000, [1]]
    uniq = FUNCTIONS["uniq"].call
    assert len(uniq([nan, lists[0], lists[0], lists[1]])) == 3
    assert uniq(large) == [large[0], [1]]
