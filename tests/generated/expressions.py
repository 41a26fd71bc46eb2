# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions: mostly of right types, some of wrong ones, some damaged, some mere noise."""

from ccm.data.templates import resolve_string, resolve_typed
from ccm.lang.go.fmt import sprint
from ccm.model.errors import TemplateError
from hypothesis import strategies as st

from .frame import form
from .world import environment

_NUMBERS = st.one_of(
    st.integers(-100, 10**6).map(str),
    st.floats(0, 1e9, allow_nan=False).map(repr),
    st.sampled_from(
        ["Data.port", "Facts.cores", "Facts.load", "lookup('data.port')", "0x1F", "1_000", "9223372036854775807"]
    ),
)
_TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="'\\\n\r"), max_size=8).map(lambda text: f"'{text}'"),
    st.sampled_from(
        ["Data.package", "Facts.hostname", "Environ.HOME", '"a\\tb"', "`raw`", "lookup('facts.hostname', 'x')"]
    ),
)
_BOOLEANS = st.sampled_from(["true", "false", "Facts.virtual", "Facts.host.info.os == 'linux'"])
_LISTS = st.sampled_from(["Data.list", "[1, 2, 3]", "1..5", "Data.words", "map(Facts.users, .uid)", "[]"])
_MAPS = st.sampled_from(["Data.map", "{a: 1, 'b': 2}", "Facts.host.info", "{}"])


def _grow(parts):
    number, text, truth, items, mapping = parts
    numbers = st.one_of(
        form("({} + {})", number, number),
        form("{} * {}", number, number),
        form("({} - {})", number, number),
        form("{} / {}", number, number),
        form("len({})", items),
        form("len({})", text),
        form("sum({})", items),
        form("abs({})", number),
        form("round({})", number),
        form("max({}, {})", number, number),
        form("-{}", number),
        form("{} | max({})", number, number),
        form("{} ? {} : {}", truth, number, number),
        form("count({}, # > 1)", items),
        form("int({})", text),
        form("{}[{}]", items, number),
        form("{} % {}", number, number),
        form("{} ** 2", number),
        form("let x = {}; x + {}", number, number),
    )
    texts = st.one_of(
        form("({} + {})", text, text),
        form("upper({})", text),
        form("{} | trim()", text),
        form("string({})", number),
        form("join(map({}, string(#)), '-')", items),
        form("replace({}, 'a', 'b')", text),
        form("{} ?? {}", text, text),
        form("{}[0:2]", text),
        form("toJSON({})", mapping),
        form("toJSON({})", items),
        form("repeat({}, 3)", text),
        form("if {} {{ {} }} else {{ {} }}", truth, text, text),
    )
    truths = st.one_of(
        form("({} && {})", truth, truth),
        form("{} or {}", truth, truth),
        form("not {}", truth),
        form("{} < {}", number, number),
        form("{} == {}", text, text),
        form("{} in {}", number, items),
        form("{} contains {}", text, text),
        form("{} matches '[a-z]+'", text),
        form("any({}, # == 1)", items),
        form("{} startsWith {}", text, text),
        form("'a' in {}", mapping),
    )
    lists = st.one_of(
        form("filter({}, # != {})", items, number),
        form("map({}, # * 2)", items),
        form("[{}, {}]", number, text),
        form("sort({})", items),
        form("keys({})", mapping),
        form("concat({}, {})", items, items),
        form("{}[1:]", items),
        form("split({}, 'a')", text),
        form("reverse({})", items),
        form("take({}, 2)", items),
        form("uniq({})", items),
        form("flatten([{}, {}])", items, items),
    )
    maps = st.one_of(
        form("{{k: {}, 'w': {}}}", number, text),
        form("groupBy({}, # > 1)", items),
        form("fromPairs([['a', {}]])", number),
    )
    return tuple(st.one_of(old, new) for old, new in zip(parts, (numbers, texts, truths, lists, maps), strict=True))


_POOLS = (_NUMBERS, _TEXTS, _BOOLEANS, _LISTS, _MAPS)
for _ in range(3):
    _POOLS = _grow(_POOLS)
SOUND = st.one_of(*_POOLS)


@st.composite
def _damaged(draw):
    text = draw(SOUND)
    at = draw(st.integers(0, len(text)))
    return (
        text[:at]
        + draw(st.sampled_from(["", ")", "(", "'", "..", "{", "#", "??", "\x00", " ", "é", "|", "let "]))
        + text[at + draw(st.integers(0, 3)) :]
    )


NOISE = st.text(st.characters(codec="utf-8"), max_size=40)
MADE = st.one_of(SOUND, SOUND, SOUND, SOUND, _damaged(), NOISE)


def attempt(expression):
    """Whether the expression has a value; errors must be proper ones, and equal forms must agree."""
    env = environment()
    try:
        value = env.evaluate(expression)
    except TemplateError as error:
        _proper(error)
        return False
    if "//" not in expression and "/*" not in expression and ";" not in expression and "let" not in expression:
        assert sprint(env.evaluate(f"({expression})")) == sprint(value)
    if (
        "}" not in expression
        and '"' not in expression
        and "'" not in expression
        and "`" not in expression
        and expression.strip()
    ):
        text = f"${{ {expression} }}"
        assert sprint(resolve_typed(text, env)) == sprint(value) == resolve_string(text, env)
    return True


def _proper(error):
    assert str(error)
    assert "Traceback" not in str(error)
