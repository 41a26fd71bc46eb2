# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures with NATS servers: one that the tests of a process share, and servers with settings of their own.

nats-server comes with tests/requirements.txt: without it these tests fail, none is left out.
"""

from __future__ import annotations

import json

import pytest

from tests.conformance.nats_cases.server import Server

from ..tools.no_processes import starts_processes


def write_context(home, name="CCM", **fields):
    """Write a context of the `nats` command below a home directory, and return its path."""
    path = home / f".config/nats/context/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields))
    return path


@pytest.fixture(scope="session")
@starts_processes
def shared_nats_server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("nats")).start()
    yield server
    server.stop()


@pytest.fixture
@starts_processes
def nats(shared_nats_server, tmp_path):
    """A server without streams, to which the context CCM leads in the home directory of the fixture `ccm`."""
    shared_nats_server.connect_again()
    connection = shared_nats_server.connection
    for name in connection.api("STREAM.NAMES")["streams"] or []:
        connection.api(f"STREAM.DELETE.{name}")
    write_context(tmp_path / "home", url=shared_nats_server.url)
    return shared_nats_server


@pytest.fixture
@starts_processes
def own_nats_server(tmp_path_factory):
    """Call it with the arguments of Server for one that this test may stop, kill and restart."""
    servers = []

    def start(**given):
        servers.append(Server(tmp_path_factory.mktemp("own-nats"), **given))
        return servers[-1].start()

    yield start
    for server in servers:
        server.stop()
