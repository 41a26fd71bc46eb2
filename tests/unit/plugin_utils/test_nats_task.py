# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registrations that a node returned: it may have returned anything."""

from __future__ import annotations

import pytest

from plugins.plugin_utils import nats_task

ENTRY = {"cluster": "prod", "service": "web", "protocol": "http", "address": "192.0.2.1", "port": 80, "priority": 1}
SUBJECT = "choria.ccm.registration.v1.prod.http.web.192_0_2_1."


class Server:
    """Takes all entries."""

    def __init__(self):
        self.subjects = []
        self.headers = {}

    def client(self):
        return self

    def publish(self, subject, _payload, headers):
        self.subjects.append(subject)
        self.headers = headers

    def close(self):
        pass


@pytest.fixture
def server(monkeypatch):
    server = Server()
    monkeypatch.setattr(nats_task, "NatsAccess", lambda _context, _stream: server)
    return server


def published(*entries):
    return nats_task.published([{"registrations": list(entries)}], None, "REGISTRATION")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"cluster": "a.>"}, 'registration is invalid: cluster "a.>" is not a valid name'),
        ({"service": "*"}, 'registration is invalid: service "*" is not a valid name'),
        ({"protocol": None}, "registration is invalid: protocol is required"),
        ({"address": "a b"}, "is not a valid Address address"),
        ({"address": "a\r\nb"}, "address has a character that cannot be printed"),
        ({"port": 0}, "registration is invalid: port '0' must be between 1 and 65535"),
        ({"priority": True}, "priority must be an integer"),
        ({"ttl": "soon"}, "invalid TTL duration"),
        ({"annotations": {"a": []}}, "annotations must be a map of texts"),
    ],
)
def test_nothing_is_published_where_an_entry_breaks_the_rules(server, fields, reason):
    problem = published(ENTRY, {**ENTRY, **fields})
    assert problem.startswith("no registration was published: an entry of the node: ")
    assert reason in problem
    assert server.subjects == []


@pytest.mark.parametrize("resources", [[{}], [{"registrations": "text"}], [{"registrations": [1, None]}]])
def test_what_has_no_form_of_an_entry_is_none(server, resources):
    assert nats_task.published(resources, None, "REGISTRATION") == ""
    assert server.subjects == []


def test_each_subject_is_published_once(server):
    assert published(ENTRY, {**ENTRY, "priority": 2}, {**ENTRY, "port": 81}) == ""
    assert len(server.subjects) == 2
    assert all(subject.startswith(SUBJECT) for subject in server.subjects)


def test_a_ttl_adds_no_header(server):
    assert published({**ENTRY, "ttl": "1m\r\nNats-Rollup: all"}) == ""
    assert server.headers == {"Nats-TTL": "1m0s", "Nats-Rollup": "sub", "Nats-Expected-Stream": "REGISTRATION"}
