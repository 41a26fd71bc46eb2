# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registrations: names, addresses, numbers and times, with the path of what is wrong (Q12, Q13)."""

from __future__ import annotations

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.registration import check_port_kind, check_registration, validate_registration, validate_registrations

RIGHT = {
    "cluster": "prod",
    "protocol": "tcp",
    "service": "web-1_a",
    "address": "192.0.2.1",
    "port": 80,
    "priority": 1,
    "ttl": None,
    "annotations": {},
}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"address": "2001:db8::1"},
        {"address": "a.b-c.example"},
        {"address": "a" * 63},
        {"port": None},
        {"port": 65535},
        {"priority": 255},
    ],
)
def test_a_right_entry_passes(given):
    validate_registrations([{**RIGHT, **given}])


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("cluster", "", "cluster is required"),
        ("protocol", "8tcp", 'protocol "8tcp" is not a valid name'),
        ("service", "web\n", 'service "web\n" is not a valid name'),
        ("service", "wéb", 'service "wéb" is not a valid name'),
        ("address", "", "address is required"),
        ("address", "fe80::1%eth0", 'address "fe80::1%eth0" is not a valid Address address'),
        ("address", "a..b", 'address "a..b" is not a valid Address address'),
        ("address", "-a", 'address "-a" is not a valid Address address'),
        ("address", "300.1.1.1", 'address "300.1.1.1" is not a valid Address address'),
        ("address", "a" * 64, f'address "{"a" * 64}" is not a valid Address address'),
        ("address", ".".join(["a" * 60] * 5), f'address "{".".join(["a" * 60] * 5)}" is not a valid Address address'),
        ("port", 0, "port '0' must be between 1 and 65535"),
        ("port", 65536, "port '65536' must be between 1 and 65535"),
        ("port", "80", "port must be an integer number not string"),
        ("priority", 0, "priority '0' must be between 1 and 255"),
        ("priority", 256, "priority '256' must be between 1 and 255"),
    ],
)
def test_the_first_fault_of_an_entry(field, value, problem):
    with pytest.raises(InvalidResource) as refused:
        validate_registrations([RIGHT, {**RIGHT, field: value}])
    error = refused.value
    assert error.message == f"invalid resource: registration is invalid: {problem}"
    assert (error.property, error.path) == (f"register_when_stable.{field}", ("register_when_stable", 1, field))


def test_another_prefix_for_what_is_no_resource():
    with pytest.raises(InvalidResource, match=r"^registration is invalid: cluster is required$"):
        validate_registration({**RIGHT, "cluster": ""}, "")


@pytest.mark.parametrize(
    ("value", "kind"),
    [(True, "bool"), (1.5, "float64"), ("x", "string"), ([], "[]interface {}"), ({}, "map[string]interface {}")],
)
def test_the_kind_of_a_port_in_words_of_the_original(value, kind):
    with pytest.raises(InvalidResource) as refused:
        check_port_kind(value, "{{ Data.port }}")
    assert refused.value.message.endswith(f"port must be an integer number not {kind}")
    assert refused.value.value == "{{ Data.port }}"


@pytest.mark.parametrize(("ttl", "found"), [(None, None), ("never", "never"), ("90s", "1m30s"), ("0", "0s")])
def test_a_time_to_live_in_the_form_of_the_original(ttl, found):
    values = {"ttl": ttl}
    check_registration(values)
    assert values == {"ttl": found}


def test_a_wrong_time_to_live():
    with pytest.raises(InvalidResource, match=r'^invalid TTL duration "soon": ') as refused:
        check_registration({"ttl": "soon"})
    assert (refused.value.property, refused.value.value) == ("ttl", "soon")
