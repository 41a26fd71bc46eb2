# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The service type: its names, words and undo; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.decode import decode_properties
from ccm.model.errors import InvalidResource
from ccm.model.resource import complete
from ccm.resources.service.facets import REVERSAL
from ccm.resources.service.type import TYPE as SERVICE
from ccm.resources.service.type import ServiceState


def properties(**given):
    made = SERVICE.made(complete(SERVICE, decode_properties(SERVICE, {"name": "s", **given})))
    SERVICE.validate(made)
    return made


def test_the_provider_is_systemd():
    assert SERVICE.provider_names == ("systemd",)
    assert SERVICE.provider("systemd").name == "systemd"


@pytest.mark.parametrize("name", [r"a\x2db", r"dev-\x2d\xc3.device", r"app@\x2f.service"])
def test_names_may_have_escapes_of_systemd(name):
    assert properties(name=name).name == name


@pytest.mark.parametrize("name", ["a\\b", r"a\x2", r"a\x2D", r"\x2gb", "a\\", r"\\x2d", r"a\x2d;"])
def test_other_backslashes_are_refused(name):
    with pytest.raises(InvalidResource, match="service name contains dangerous characters: ") as caught:
        properties(name=name)
    assert caught.value.value == name


def test_what_is_masked_cannot_run():
    for ensure in ({}, {"ensure": "running"}):
        with pytest.raises(InvalidResource) as caught:
            properties(**ensure, enable="mask")
        assert str(caught.value) == (
            "enable cannot be mask with ensure running: nothing can start a service that is masked"
        )
        assert caught.value.advice == "give ensure: stopped, or ensure: unmanaged to leave one that runs running"
    assert properties(ensure="stopped", enable="mask").enable == "mask"


def test_other_words_are_refused():
    with pytest.raises(InvalidResource, match=r"^enable must be true, false or mask, not text \('masked'\)$"):
        properties(enable="masked")
    with pytest.raises(InvalidResource) as caught:
        properties(ensure="up")
    assert caught.value.advice == '"unmanaged" leaves it as it is, and only enable is looked at'


def test_lint_names_what_the_original_does_not_have(ccm, tmp_path):
    lines = (
        "ccm:",
        "  resources:",
        "    - service:",
        r"        - 'a\x2db@c':",
        "            ensure: unmanaged",
        "            enable: mask",
        "        - plain:",
        "            ensure: stopped",
    )
    (tmp_path / "m.yaml").write_text("\n".join(lines))
    shown = ccm("lint", "m.yaml", "--upstream")
    assert shown.status != 0
    for message in (
        "the original refuses names of services with @ and \\",
        "the original has no ensure: unmanaged",
        "the original takes only true or false for enable, not mask",
    ):
        assert message in shown.out + shown.err
    assert "plain" not in shown.out


def state(ensure, word):
    enabled = word not in ("disabled", "masked")
    metadata = {"name": "s", "provider": "systemd", "enabled": enabled, "running": ensure == "running"}
    found = ServiceState("s", ensure, {"metadata": metadata})
    found.unit_file = word
    return found


@pytest.mark.parametrize("word", ["enabled", "disabled"])
@pytest.mark.parametrize("was", ["running", "stopped"])
def test_a_mask_is_undone_before_anything_else(word, was):
    wanted = properties(ensure="stopped", enable="mask")
    undone = REVERSAL.undone(wanted, REVERSAL.parts(wanted, state(was, word)))
    back = SERVICE.made(complete(SERVICE, {"name": "s", **undone}))
    boot = "enable" if word == "enabled" else "disable"
    run = ["start"] if was == "running" else []
    assert list(SERVICE.decide(state("stopped", "masked"), back, False).verbs) == ["unmask", boot, *run]
    assert SERVICE.decide(state(was, word), back, False).verbs == ()
    masked, other = state(was, "masked"), state(was, "disabled" if word == "enabled" else "enabled")
    assert SERVICE.shortfall(masked, back) == f"{was}: service is masked, expected unmasked"
    masked.messages = ["Access denied"]
    assert SERVICE.shortfall(masked, back) == f"{was}: service is masked, expected unmasked: Access denied"
    expected = "service is disabled, expected enabled" if word == "enabled" else "service is enabled, expected disabled"
    assert SERVICE.shortfall(other, back) == f"{was}: {expected}"


def test_what_is_unmanaged_is_not_undone():
    wanted = properties(ensure="unmanaged", enable=True)
    undone = REVERSAL.undone(wanted, REVERSAL.parts(wanted, state("running", "disabled")))
    assert (undone["ensure"], undone["enable"]) == ("unmanaged", False)
