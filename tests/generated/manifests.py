# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole manifests: right ones, ones with a mistake, and YAML noise. None of them is run."""

from ccm.lang.yamlwriting import dump
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.manifest.render import rendered
from ccm.model.errors import CCMError
from ccm.resources.types import TYPE_NAMES, resource_type
from hypothesis import strategies as st

from .world import ENVIRON, FACTS

_TEXT = st.one_of(
    st.sampled_from(
        ["x", "a b", "${ Data.n }", "{{ Facts.hostname }}", "line\nline\n", "0644", "yes", "é", "{{ nope }}", ""]
    ),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
_NAME = st.sampled_from(["/a", "/etc/b.conf", "/srv/c d", "/d-${ Data.n }"])
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 70000),
    st.floats(),
    _TEXT,
    st.just([]),
    st.just({}),
    st.just(["a"]),
    st.just({"a": 1}),
)


def _optional(**strategies):
    return st.fixed_dictionaries({}, optional=strategies)


_COMMON = {
    "alias": _TEXT,
    "control": _optional(**{"if": st.sampled_from(["true", "Facts.cores > 2", "nope("]), "unless": st.just("false")}),
}
_FILE = st.tuples(
    st.fixed_dictionaries(
        {
            "ensure": st.sampled_from(["present", "directory", "absent"]),
            "owner": st.just("root"),
            "group": st.just("root"),
            "mode": st.sampled_from(["0644", 644, "0o600", "755"]),
        }
    ),
    _optional(content=_TEXT, **_COMMON),
).map(lambda pair: {**pair[0], **pair[1]})
_EXEC = _optional(
    command=_TEXT,
    cwd=_NAME,
    timeout=st.sampled_from(["1s", "2m", "1d"]),
    returns=st.lists(st.integers(0, 255), max_size=3),
    creates=_NAME,
    refreshonly=st.booleans(),
    logoutput=st.booleans(),
    **_COMMON,
)
_PACKAGE = st.fixed_dictionaries({"ensure": st.sampled_from(["present", "absent", "latest", "1.2-3", 5.1])})
_SERVICE = _optional(ensure=st.sampled_from(["running", "stopped"]), enable=st.booleans())


def _list(type_name, names, properties):
    return st.lists(st.tuples(names, properties), min_size=1, max_size=3).map(
        lambda items: {type_name: [{name: given} for name, given in items]}
    )


_WORDS = st.sampled_from(["true", "echo hi", "/bin/ls -l"])
_NAMES = st.sampled_from(["nginx", "vim", "g++"])
_ENTRY = st.one_of(
    _list("file", _NAME, _FILE),
    _list("exec", _WORDS, _EXEC),
    _list("package", _NAMES, _PACKAGE),
    _list("service", _NAMES, _SERVICE),
    st.tuples(_NAME, _FILE).map(lambda pair: {"file": {"name": pair[0], **pair[1]}}),
)
_DATA = st.dictionaries(
    st.sampled_from(["n", "m", "k"]),
    st.one_of(st.integers(0, 9), _TEXT.filter(lambda text: "nope" not in text)),
    max_size=3,
)
SOUND = st.fixed_dictionaries(
    {
        "ccm": st.fixed_dictionaries(
            {"resources": st.lists(_ENTRY, min_size=1, max_size=3)}, optional={"fail_on_error": st.booleans()}
        )
    },
    optional={"data": _DATA},
)


@st.composite
def _mistaken(draw):
    type_name = draw(st.sampled_from([*TYPE_NAMES, "lamp"]))
    type = resource_type(type_name)
    names = [prop.name for prop in type.properties] if type else ["name"]
    properties = draw(st.dictionaries(st.sampled_from([*names, "bogus"]), _ODD, max_size=4))
    entry = draw(st.sampled_from([properties, [{"x": properties}], [properties], properties or None]))
    return {
        "data": draw(_ODD),
        "ccm": {
            "resources": [{type_name: entry}],
            draw(st.sampled_from(["fail_on_error", "extra", "engine"])): draw(_ODD),
        },
    }


_NOISE = st.text(st.sampled_from(list("abc:-[]{}#&*!|>'\"%@` \n\t0.~?,")), max_size=60)
MADE = st.one_of(SOUND.map(dump), SOUND.map(dump), SOUND.map(dump), _mistaken().map(dump), _NOISE)


def attempt(text):
    """Whether the manifest is one; what it renders to is a manifest that renders to the same."""
    try:
        once = _render(text)
    except CCMError as error:
        assert str(error)
        assert "Traceback" not in str(error)
        return False
    if "${" not in text and "{{" not in text:
        assert _render(dump(once)) == once
    return True


def _render(text):
    inputs = Inputs(facts=FACTS, environ=ENVIRON)
    return rendered(read_manifest(text.encode("utf-8", "surrogatepass"), "m.yaml", "/nonexistent", inputs))
