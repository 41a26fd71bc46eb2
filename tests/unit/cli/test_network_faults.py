# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that are cut and servers that are killed in the middle: all or an error, and every command ends."""

from __future__ import annotations

import json
import re
import subprocess
import threading

import pytest

from tests.patience import pause
from tests.seed import chance
from tests.tools.environment import whole_number
from tests.unit.layout import CCM
from tests.unit.nats.cutting_proxy import TO_CLIENT, TO_SERVER, CuttingProxy
from tests.unit.nats_servers import write_context

pytestmark = pytest.mark.starts_processes

#: Cuts of each command in each direction, and how often the server is killed; `make soak` does more.
CUTS, KILLS = whole_number("CCM_CUTS", 5), whole_number("CCM_SERVER_KILLS", 3)
OLD, NEW = "old\n", "greeting from kvGet\n" * 2000
DATA = "data: {greeting: greeting}\n"
#: A service that is registered in the tests, and the addresses of another one, which are there.
IDENTITY = ["--cluster", "c", "--service", "s", "--protocol", "p", "--address", "192.0.2.200", "--port", "80"]
ADDRESSES = [f"192.0.2.{number}" for number in range(1, 9)]


@pytest.fixture
def site(ccm, nats, tmp_path, me):
    """A manifest with data and a value in a server, which writes the file `out`."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/manifest.yaml").write_text(
        f"""\
ccm:
  resources:
    - file:
        - {tmp_path}/out:
            ensure: present
            content: "{{{{ lookup('data.greeting') }}}} {{{{ kvGet('B', 'text') }}}}"
            owner: {me[0]}
            group: {me[1]}
            mode: "0600"
"""
    )
    (tmp_path / "text").write_text(NEW.partition(" ")[2])
    (tmp_path / "data.yaml").write_text(DATA)
    for words in (("site", "obj://M/site"), ("text", "kv://B/text"), ("data.yaml", "kv://B/data")):
        made = ccm("publish", "--create", *words)
        assert made.status == 0, made.err
    register_listed(ccm)
    return tmp_path


def register_listed(ccm):
    """Make the stream of registrations with a service that has several addresses."""
    assert ccm("registration", "init", "--max-age", "1d").status == 0
    for address in ADDRESSES:
        words = f"--cluster listed --service s --protocol p --port 80 --ttl 1d --address {address}".split()
        made = ccm("registration", "create", *words)
        assert made.status == 0, made.err


def applied(ccm, site):
    """Apply the manifest of a server where the file has the old content; return whether it was applied."""
    (site / "out").write_text(OLD)
    ran = ccm("apply", "obj://M/site", "--hiera", "kv://B/data", "--no-state", "--detailed-exitcodes")
    content = (site / "out").read_text()
    assert (ran.status, content) == (2, NEW) or (ran.status in (1, 4) and content == OLD), ran.out + ran.err
    _assert_explained(ran, 2)
    return ran.status == 2


def parsed(ccm, site):
    """Read data of a server; return whether that was possible."""
    ran = ccm("hiera", "parse", "kv://B/data")
    assert ran.status == 1 or '"greeting": "greeting"' in ran.out
    _assert_explained(ran)
    return ran.status == 0


def published(ccm, site):
    """Publish another manifest; return whether it was published."""
    number = int((site / "number").read_text()) if (site / "number").exists() else 0
    (site / "number").write_text(str(number + 1))
    (site / "site/content").write_text(f"{chance('published', number).getrandbits(160_000):x}")
    ran = ccm("publish", "site", "obj://M/other")
    _assert_explained(ran)
    return ran.status == 0


def registered(ccm, site):
    """Register a service; return whether that was possible."""
    ran = ccm("registration", "create", *IDENTITY)
    _assert_explained(ran)
    return ran.status == 0


def queried(ccm, site):
    """List what is registered; return whether that was possible."""
    ran = ccm("registration", "query", "--json", "listed")
    assert ran.status == 1 or [each["address"] for each in json.loads(ran.out)] == ADDRESSES
    _assert_explained(ran)
    return ran.status == 0


def _assert_explained(ran, succeeded=0):
    said = ran.out + ran.err
    assert ran.status in (succeeded, 1, 4), said
    assert "Traceback" not in said
    assert ran.status == succeeded or "nats" in said, said


COMMANDS = {
    "apply": applied,
    "hiera parse": parsed,
    "publish": published,
    "registration create": registered,
    "registration query": queried,
}


@pytest.mark.soak
@pytest.mark.parametrize("lasts", [False, True], ids=["the server stays away", "the server comes back"])
@pytest.mark.parametrize("direction", [TO_CLIENT, TO_SERVER])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_connection_that_is_cut(ccm, nats, site, command, direction, lasts):
    run = COMMANDS[command]
    with CuttingProxy(nats.port) as proxy:
        write_context(site / "home", url=proxy.url)
        assert run(ccm, site)
        whole = proxy.passed[direction]
    random, done = chance(command, direction, lasts), 0
    for _ in range(CUTS):
        limit = random.randrange(whole)
        with CuttingProxy(nats.port, {direction: limit}, lasts) as proxy:
            write_context(site / "home", url=proxy.url)
            done += run(ccm, site)
            assert proxy.is_cut
        write_context(site / "home", url=nats.url)
        # All that was published before is whole.
        for name in ("site", "other")[: 2 if run is published else 1]:
            assert ccm("lint", f"obj://M/{name}").status == 0
    assert run(ccm, site)
    print(f"{command}: {CUTS} connections cut after up to {whole} bytes {direction}, {done} commands succeeded")


def test_a_connection_that_is_cut_while_it_begins_is_one_line(nats, tmp_path):
    """In a process of its own: without settings, logging writes to standard error what a library logs."""
    environment = {"HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}
    for direction, limit in ((TO_CLIENT, 0), (TO_CLIENT, 20), (TO_CLIENT, 500), (TO_SERVER, 0), (TO_SERVER, 20)):
        with CuttingProxy(nats.port, {direction: limit}) as proxy:
            write_context(tmp_path / "home", url=proxy.url)
            words = [*CCM, "apply", "obj://M/site"]
            ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr.count("\n")) == (1, 1), ran.stderr
        # After 500 bytes the connection may have begun.
        why = "(it closed the connection|nats: .+)"
        pattern = f"(connection with )?127.0.0.1:{proxy.port}( lost)?: {why}\n"
        assert re.fullmatch(f"ccm: error: nats connection error: {pattern}", ran.stderr), ran.stderr


@pytest.mark.soak
def test_a_server_that_is_killed_and_started_again(ccm, own_nats_server, site, nats):
    """Commands run one after the other meanwhile; each does all or says why not."""
    server = own_nats_server()
    write_context(site / "home", url=server.url)
    for words in (
        ("site", "obj://M/site"),
        ("text", "kv://B/text"),
        ("data.yaml", "kv://B/data"),
        ("site", "obj://M/other"),
    ):
        made = ccm("publish", "--create", *words)
        assert made.status == 0, made.err
    register_listed(ccm)
    ended, counts = threading.Event(), []

    def kill():
        for _ in range(KILLS):
            seen = len(counts)
            # So that each kill is in the middle of a command: once another one has ended.
            while len(counts) == seen:
                pause()
            server.kill()
            server.start()
        ended.set()

    killer = threading.Thread(target=kill)
    killer.start()
    while not ended.is_set():
        for command in COMMANDS.values():
            counts.append(command(ccm, site))
    killer.join()
    assert all(command(ccm, site) for command in COMMANDS.values())
    print(f"{KILLS} times killed, {sum(counts)} of {len(counts)} commands succeeded")
