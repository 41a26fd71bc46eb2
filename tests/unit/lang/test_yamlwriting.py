# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values written as YAML."""

from __future__ import annotations

import sys

import pytest
import yaml
from ccm.lang.yaml import YAMLError, load
from ccm.lang.yamlwriting import Plain, dump
from hypothesis import given, settings
from hypothesis import strategies as st

# Something else in YAML 1.1 alone.
QUOTED = [
    *("12:30:45", "1:2.", "0b_", "-0" + "7" * 23, "09.e+999", "1.5e+400", "-" + "9" * 20, "-" + "9" * 20 + ".e+999"),
    *("+.inf", "=", "<<", "2001-1-1 10:00:00", "2001-1-1T1:00:00.5 +1"),
]
UNQUOTED = [
    *("1.2.3", "01:30:00", "1e5", "0b", "0b2", "0xg", "1:5.5e+3", "12:60:00", "-.5e+999", ".e+3", "-:1:1."),
    *("1.5e400", "2d71", "-x", "==", "2:1.3-1"),
]
KEYS = """\
2: null
null: !!binary |
  YWI=
? |-
  two
  lines
: - ""
  - |2+

  - |-
    x
    y
"""


@pytest.fixture(params=["binding of libyaml", "PyYAML", "PyYAML without libyaml"], autouse=True)
def emitter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "binding of libyaml":
        monkeypatch.delitem(sys.modules, "yaml")
    if request.param == "PyYAML without libyaml":
        monkeypatch.setattr(yaml, "__with_libyaml__", False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1, "x", None, True, 1.5]}, "b: 1\na:\n- 1\n- x\n- null\n- true\n- 1.5\n"),
        ({"a": "one\ntwo\n"}, "a: |\n  one\n  two\n"),
        ({"mode": "0644", "v": "yes", "d": "2024-01-01"}, 'mode: "0644"\nv: "yes"\nd: "2024-01-01"\n'),
        ({"oct": "0o17", "odd": "._4"}, 'oct: "0o17"\nodd: "._4"\n'),
        ("x", "x\n"),
        (5, "5\n"),
        ({"a": ("x",), "e": {}, "l": []}, "a:\n- x\ne: {}\nl: []\n"),
        ("long " * 60, '"' + "long " * 60 + '"\n'),
        (
            ["- x", "a - b", "a #b", "x:", "@x", "12:30", "back\\slash"],
            '- "- x"\n- "a - b"\n- "a #b"\n- "x:"\n- "@x"\n- "12:30"\n- "back\\\\slash"\n',
        ),
        ([str(10**20)], f'- "{10**20}"\n'),
        ({"a\u202e": "b\x1b\x7f\x9b\u200e"}, '"a\\u202e": "b\\e\\x7F\\x9B\\u200e"\n'),
        (["a\nb\u2066\n", "x\u2028  y"], '- "a\\nb\\u2066\\n"\n- "x\\L  y"\n'),
        (["\udcff\ud800é"], "- \ufffd\ufffdé\n"),
        ("", '""\n'),
        ({2: None, None: b"ab", "two\nlines": ["", "\n", "x\ny"]}, KEYS),
        ([1e17, 1e-7, -0.0, float("inf"), float("nan")], "- 1.0e+17\n- 1.0e-07\n- -0.0\n- .inf\n- .nan\n"),
        (QUOTED, "".join(f"- '{text}'\n" for text in QUOTED)),
        (UNQUOTED, "".join(f"- {text}\n" for text in UNQUOTED)),
        ({"y": "it's", "t": Plain("2024-01-01T00:00:00Z")}, '"y": it\'s\nt: 2024-01-01T00:00:00Z\n'),
    ],
)
def test_dump(value: object, text: str) -> None:
    assert dump(value) == text


def test_dump_writes_no_anchors_and_refuses_cycles_and_unknown_types() -> None:
    shared = ["x"]
    assert dump([shared, shared]) == "- - x\n- - x\n"
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (cycle, object()):
        with pytest.raises(YAMLError, match="cannot be written"):
            dump(value)


TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t :#-'\"0123456789._ox"), max_size=12
)


@settings(max_examples=1000)
@given(st.text("01279_.:+-eExXb", min_size=1, max_size=8) | st.text("12-: Tt.Z+\t", max_size=12))
def test_a_dumped_text_is_text_in_yaml_1_1_too(value: str) -> None:
    written = dump(value)
    assert yaml.safe_load(written) == value
    if written.startswith("'") and not value.startswith(("---", "...")):
        resolvers = yaml.SafeLoader.yaml_implicit_resolvers[value[0]]
        assert any(pattern.match(value) for _tag, pattern in resolvers), "quotes without need"


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | TEXT,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
        max_leaves=12,
    )
)
def test_dumped_values_are_loaded_back(value: object) -> None:
    assert load(dump(value)).value == value
