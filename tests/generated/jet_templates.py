# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jet templates: sound ones over the data, sound ones with something broken in them, and noise."""

import copy

from ccm.data.environment import Environment
from ccm.data.functions import Functions
from ccm.data.jet import render_jet
from ccm.lang.go.quoting import quote
from ccm.model.errors import TemplateError
from hypothesis import strategies as st

from .frame import form, templates
from .world import DATA, ENVIRON, FACTS

EXAMPLES = 1200

_TEXT = st.text(st.sampled_from(list("ab =\n\té{}*]-")), max_size=6)
_NUMBERS = st.one_of(
    st.integers(-3, 300).map(str),
    st.floats(0, 1e9).map(repr),
    st.sampled_from(["data.port", "facts.cores", "facts.load", "data.list[0]", "'a'", "0x1F", "len(data.words)"]),
    st.sampled_from(
        ['lookup("data.port")', "data.package[0]", "(data.map.a + 1)", "data.port / 3", "len(data.package)"]
    ),
)
_STRINGS = st.one_of(
    st.sampled_from(["data.package", "facts.hostname", "environ.HOME", "data.blank", '"a\\tb"', "`raw\\`"]),
    st.text("ab é\n\"'", max_size=5).map(quote),
    st.sampled_from(['template("{{ Data.package }}")', "data.package[1:3]", "data.words[0]", 'lookup("none", "x")']),
)
_TRUTHS = st.sampled_from(
    ["true", "facts.virtual", "isset(data.none)", "data.port > 80", "!data.blank", "nil == data.none"]
)
_LISTS = st.sampled_from(
    ["data.list", "data.words", "facts.users", 'split("a,b", ",")', "slice(1, `a`)", "data.list[1:]"]
)
_MAPS = st.sampled_from(["data.map", "facts.host.info", 'map("a", 1)', "environ", "map()"])
_ODD = st.sampled_from(
    ["nil", "data.none", "facts.nothing", "data.none.deeper", ".", ".data", "nosuch", "ints(0, 3)", "upper"]
)
_ANY = st.one_of(_NUMBERS, _STRINGS, _NUMBERS, _STRINGS, _TRUTHS, _LISTS, _MAPS, _ODD)
_VALUES = st.one_of(
    _ANY,
    form("{} {} {}", _NUMBERS, st.sampled_from(["+", "-", "*", "/", "%", "<", ">", "==", "!=", "<="]), _NUMBERS),
    form("{} + {}", _STRINGS, _ANY),
    form("{} == {}", _ANY, _ANY),
    form("{} ? {} : {}", _TRUTHS, _ANY, _ANY),
    form("{} {} {}", _TRUTHS, st.sampled_from(["and", "or", "&&", "||"]), _TRUTHS),
    form("not {}", _ANY),
    form("{}({})", st.sampled_from(["upper", "lower", "trimSpace", "html", "url", "len"]), _STRINGS),
    form("{}({})", st.sampled_from(["json", "isset", "len", "slice", "writeJson"]), _ANY),
    form("replace({}, {}, {}, -1)", _STRINGS, _STRINGS, _STRINGS),
    form("repeat({}, {})", _STRINGS, _NUMBERS),
    form("hasPrefix({}, {})", _STRINGS, _STRINGS),
    form("{} | {}", _STRINGS, st.sampled_from(["upper", "safeHtml", "raw", "repeat: 2", 'replace: "a", _, "b", 1'])),
    form("{}[{}]", _LISTS, _NUMBERS),
)


def _blocks(body, otherwise):
    return st.one_of(
        form("[[ if {} ]]{}{}[[ end ]]", _VALUES, body, otherwise),
        form("[[ if x := {}; {} ]]{}[[ x ]][[ end ]]", _VALUES, _TRUTHS, body),
        form("[[ range i, v := {} ]][[ i ]]=[[ v ]]{}[[ end ]]", _LISTS | _MAPS, body),
        form("[[ range {} ]][[ . ]]{}{}[[ end ]]", _LISTS | _ODD, _TEXT, otherwise),
        form("[[ x := {} ]]{}[[ x = 5 ]][[ x ]]", _VALUES, body),
        form("[[ try ]]{}[[ catch e ]][[ e ]]{}[[ end ]]", body, body),
        form(
            "[[ block b(x={}) ]]<[[ x ]][[ yield content ]]{}>[[ end ]][[ yield b(x=2) content ]]c[[ end ]]",
            _ANY,
            _TEXT,
        ),
        form("[[ data.new = {} ]]{}[[ data.new ]]", _ANY, body),
        form("[[ {} ]]{}", st.sampled_from(["return 1", 'includeIfExists("x")', 'dump("data")', "yield b()"]), body),
    )


MADE = templates("[[", "]]", _TEXT, _VALUES, _blocks, [":=", "{*", "&", "\udcff"])


def attempt(text):
    """Whether the template has a text; rendering it once more over the same data gives the same."""
    try:
        rendered = _rendered(text)
    except TemplateError as error:
        assert str(error) and "Traceback" not in str(error)
        return False
    assert isinstance(rendered, str)
    assert _rendered(text) == rendered
    if "[" not in text and "{" not in text:
        assert rendered == ("" if not text.strip() else text)
    return True


def _rendered(text):
    facts, data = copy.deepcopy((FACTS, DATA))  # templates may assign into them
    environment = Environment(facts, data, ENVIRON, "/nonexistent")
    return render_jet(text, environment, Functions(environment))
