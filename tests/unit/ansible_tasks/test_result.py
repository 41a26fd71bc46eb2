# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of results as JSON."""

from __future__ import annotations

import datetime
import json

from ccm.ansible_tasks.result import TaskLog, plain
from hypothesis import given
from hypothesis import strategies as st

ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(st.characters(codec=None, exclude_categories=())),
        st.binary(),
        st.dates(),
    ),
    lambda inner: st.one_of(
        st.lists(inner), st.tuples(inner), st.dictionaries(st.one_of(st.text(), st.integers(), st.none()), inner)
    ),
    max_leaves=20,
)


@given(ANYTHING)
def test_plain_values_are_json_in_utf8(value):
    assert json.loads(json.dumps(plain(value), ensure_ascii=False).encode("utf-8")) == plain(value)


def test_values_with_a_json_form_are_unchanged():
    value = {"a": [1, 1.5, True, None, "é"], "b": {}}
    assert plain(value) == value
    assert plain((b"\xff", "\ud800", datetime.date(2026, 1, 2))) == ["\\xff", "\\ud800", "2026-01-02"]
    deep = []
    for _level in range(5000):
        deep = [deep]
    json.dumps(plain(deep))


def test_a_warning_does_not_control_the_terminal_of_ansible():
    log = TaskLog()
    log.warn("a\x1b[31m", output="b\u202e\x9b")
    log.info("\x1b")
    assert log.lines == ["a\x1b[31m output=b\u202e\x9b", "\x1b"]
    assert log.warnings == [r"a\x1b[31m output=b\u202e\u009b"]
