# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go templates: sound ones over the data, sound ones with something broken in them, and noise."""

from ccm.data.gotemplates import GoTemplates
from ccm.lang.go.quoting import quote
from ccm.model.errors import TemplateError
from hypothesis import strategies as st

from .frame import form, templates
from .world import environment

EXAMPLES = 1200

_TEXT = st.text(st.sampled_from(list("ab =\n\té{}<-")), max_size=6).filter(lambda text: "{{" not in text + "{")
_STRINGS = st.one_of(
    st.sampled_from(
        [".facts.hostname", ".data.package", '"a b"', "`x\\y`", ".data.blank", '(lookup "facts.hostname")']
    ),
    st.text("ab é\n\"'", max_size=5).map(quote),
    st.sampled_from(["(index .data.words 0)", '(printf "%d" 5)', "(trim ` x `)", "(first .data.words)"]),
)
_INTEGERS = st.one_of(
    st.integers(-3, 300).map(str),
    st.sampled_from([".facts.cores", ".data.port", "(len .data.list)", ".data.map.a", "'a'", "0x1F", '(atoi "7")']),
)
_LISTS = st.sampled_from(
    [
        ".data.list",
        ".data.words",
        ".facts.users",
        '(list 1 "a" nil)',
        "(until 3)",
        '(splitList "," "a,b")',
        "(keys .data.map)",
    ]
)
_MAPS = st.sampled_from([".data.map", ".facts.host", '(dict "a" 1 "b" .data.port)', ".environ", ".facts.host.info"])
_ANY = st.one_of(_STRINGS, _INTEGERS, _LISTS, _MAPS, st.sampled_from([".facts.load", "true", ".facts.nothing", ".no"]))
_LAYOUTS = st.lists(
    st.tuples(
        st.sampled_from(["", "-", "0", "+", "#", " "]), st.sampled_from(["", "5", ".2"]), st.sampled_from("vdsqxT")
    ),
    min_size=1,
    max_size=2,
).map(lambda parts: "`" + "|".join("%" + "".join(part) for part in parts) + "`")


def _calls(names, *operands):
    """Calls of functions that take the same kinds of arguments, the last of them now and then by pipe."""
    parts = st.tuples(st.sampled_from(names.split()), *operands)
    return parts.map(" ".join) | parts.map(lambda words: f"{words[-1]} | {' '.join(words[:-1])}")


_VALUES = st.one_of(
    _ANY,
    _calls(
        "upper lower title trim quote squote b64enc sha256sum html js urlquery len print initials snakecase",
        _STRINGS,
    ),
    _calls("add1 int64 toString float64 kindOf typeOf not", _INTEGERS),
    _calls("add sub mul max min eq ne lt le gt ge", _INTEGERS, _INTEGERS),
    _calls("trunc repeat indent nindent", st.integers(-2, 8).map(str), _STRINGS),
    _calls("contains hasPrefix trimSuffix cat eq lt splitList", _STRINGS, _STRINGS),
    _calls("toJson first last rest initial reverse uniq compact sortAlpha len kindOf", _LISTS),
    _calls("join", st.just('","'), _LISTS),
    _calls("index has", _LISTS, st.sampled_from(["0", "1", "7", '"a"'])),
    _calls("get hasKey index pick omit", _MAPS, st.sampled_from(['"a"', '"os"', '"none"'])),
    _calls("default and or coalesce ternary list", _ANY, _ANY),
    _calls("printf", _LAYOUTS, _ANY),
    st.sampled_from(['lookup "data.port"', 'lookup "data.none" 5', 'lookup "none"', "fail `no`", "$.data.port", "$"]),
)


def _blocks(body, otherwise):
    return st.one_of(
        form("{{{{ if {} }}}}{}{}{{{{ end }}}}", _VALUES, body, otherwise),
        form("{{{{ with {} }}}}{{{{ . }}}}{}{}{{{{ end }}}}", _ANY, _TEXT, otherwise),
        form("{{{{ range $i, $e := {} }}}}{{{{ $i }}}}={{{{ $e }}}}{}{{{{ end }}}}", _LISTS | _MAPS, _TEXT),
        form("{{{{ range {} }}}}{{{{ if eq . 1 }}}}{{{{ break }}}}{{{{ end }}}}{{{{ end }}}}", _INTEGERS),
        form("{{{{ range {} }}}}{{{{ $.data.port }}}}{}{{{{ end }}}}", _LISTS, otherwise),
        form("{{{{ $x := {} }}}}{}{{{{ $x = 5 }}}}{{{{ $x }}}}", _VALUES, body),
        form('{{{{ define "d" }}}}{}{{{{ end }}}}{{{{ template "d" $ }}}}', body),
        form('{{{{ block "b" $ }}}}{}{{{{ end }}}}', body),
    )


MADE = templates("{{", "}}", _TEXT, _VALUES, _blocks, ["$y", "{{ nope }}", "{{/*"])


def attempt(text):
    """Whether the template has a text; rendering it once more gives the same."""
    engine = GoTemplates(environment())
    try:
        rendered = engine.render(text, "made")
    except TemplateError as error:
        assert "template: made:" in str(error)
        return False
    assert isinstance(rendered, str)
    assert engine.render(text, "made") == rendered
    if "{{" not in text:
        assert rendered == text
    return True
