# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides whose commands change a host: they run on one, as a reader types them (tests/blocks.py)."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys

import pytest

from extensions.molecule.hosts.host import booted_host
from tests.blocks import PAGES, blocks, pages_with
from tests.clones import clone
from tests.patience import LIMIT
from tests.scripts import SEPARATOR, commands_of, matches, script_of
from tests.tools.pip_conf import pip_conf

from . import offered
from .aptrepo import register
from .downloads import CERTIFICATE, serve_archive
from .os_packages import WithApt, WithDnf

RELEASES = ["bookworm", "trixie"]
HOST = ("console", "host")
BY_NAME = {page.stem: page for page in PAGES}


def each(*kinds):
    """The pages with blocks of a kind, for one test each."""
    return pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in pages_with(*kinds)])


def each_that_takes_long(*kinds):
    """The same, of commands that take long."""
    marked = [pytest.param(page, id=page.stem, marks=pytest.mark.takes_long(page)) for page in pages_with(*kinds)]
    return pytest.mark.parametrize("page", marked)


@pytest.mark.parametrize("base", RELEASES)
@each("console host")
def test_a_guide(booted, page, base, ran):
    host = booted(base)
    register(host, offered.ALL)
    script, wanted = script_of(page, "/root/tmp", HOST)
    host.write("/root/guide/script", f"exec 2>&1\n{script}")
    printed = host.run("cd /root/guide && bash script").stdout.split(f"{SEPARATOR}\n")[1:]
    assert len(printed) == len(wanted), printed
    for (command, output), text in zip(wanted, printed, strict=True):
        assert matches(output, text), f"$ {command}\n{text}"
    ran(*(block for block in blocks(page) if block.name or block.words == HOST))


def test_the_role_that_wraps_a_manifest(bookworm, ansible, ran):
    role = BY_NAME["role"]
    plays = ansible.on(bookworm)
    for block in blocks(role):
        plays.write(block.name, block.text)
    foreseen = plays.book("play.yml", "--check", "--diff")
    assert foreseen.returncode == 0, foreseen.output
    assert "+shop@example.org" in foreseen.output
    first, second = plays.book("play.yml"), plays.book("play.yml")
    did = {"motd : Apply the manifest of the role": "changed", "motd : Tell who is logged in": "changed"}
    assert first.outcomes == did, first.output
    assert second.outcomes == {"motd : Apply the manifest of the role": "ok"}, second.output
    assert bookworm.read("/etc/contact") == "shop@example.org\n"
    assert bookworm.read("/etc/motd").endswith(": Managed by Ansible and CCM\n")
    ran(*blocks(role))


def run_commands(host, page, folder, kind, **variables):
    """Run the blocks of a kind, and return them; a command that fails is named with what was printed before."""
    script, found = commands_of(page, {kind: folder})
    host.write("/root/script", script)
    host.run("exec 2>&1; bash /root/script", env=variables, timeout=LIMIT)
    return found


@pytest.mark.parametrize("base", RELEASES)
@each("sh host")
def test_commands_that_must_succeed(booted, page, base, ran):
    """With the packages, services and the web server that docs/runner.md names."""
    host = booted(base)
    register(host, [*offered.ALL, *offered.NAMED])
    host.run(["apt-get", "install", "-y", "-q", *(deb.name for deb in offered.NAMED)])
    serve_archive(host, "downloads.example.com", {"app/run": "the application\n"})
    host.run("mkdir /root/guide")
    found = run_commands(host, page, "/root/guide", "sh host", SSL_CERT_FILE=CERTIFICATE)
    assert host.read("/opt/app/run") == "the application\n"
    ran(*found)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory, debs):
    """The files of a clone, with the package of this version, and a manifest."""
    folder = clone(tmp_path_factory.mktemp("checkout") / "ccm.core")
    shutil.rmtree(folder / ".git")
    (folder / "dist").mkdir()
    shutil.copy(debs[0].path, folder / "dist")
    (folder / "manifest.yaml").write_text("ccm: {resources: [{exec: {name: /bin/true}}]}\n", encoding="utf-8")
    return folder


#: The page whose commands have been run before those of a page.
BEFORE = {"nats": BY_NAME["README"]}
#: What must hold after the commands of a page, as a command of the shell.
AFTER = {
    "README": "ccm --version && test -s /usr/local/share/man/man1/ccm.1 && test -s ~/.config/fish/completions/ccm.fish",
    "coming-from-ccm": "/opt/ccm/bin/ccm --version",
    "nats": "/opt/ccm/bin/python -c 'import nats'",
    "packages": "test $(ccm) = original && grep -q CCM_WATCH_FLAGS=--no-read-env /etc/choria/ccm/watch.env",
}
PROXIES = ("http_proxy", "https_proxy", "no_proxy")


def use_settings_of_pip(host):
    """Give a host the settings of this machine's pip, with the files that they name."""
    listing = subprocess.check_output([sys.executable, "-m", "pip", "config", "list"], text=True)
    text = pip_conf(listing)
    host.write("/etc/pip.conf", text)
    settings = configparser.ConfigParser(interpolation=None)
    settings.read_string(text)
    for section in settings.values():
        for name in ("cert", "client-cert", "find-links"):
            for path in filter(os.path.exists, section.get(name, "").split()):
                host.copy_in(path, path)


@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("base", RELEASES)
@each_that_takes_long("sh install")
def test_installing(checkout, debs, page, base, ran):
    """As root in a clone, with the network and the settings of pip of this machine; apt's questions are answered."""
    with booted_host(base, network=True) as host:
        network = {name: os.environ[name] for name in PROXIES if name in os.environ}
        use_settings_of_pip(host)
        host.write("/etc/apt/apt.conf.d/90answers", 'APT::Get::Assume-Yes "true";\n')
        host.copy_in(checkout, "/srv/clone")
        host.copy_in(checkout / "manifest.yaml", "/srv/site/manifest.yaml")
        WithApt(host, debs).offer()
        host.run("apt-get update -q && apt-get install -q python3-venv", env=network)
        for each_page in [BEFORE[page.stem], page] if page.stem in BEFORE else [page]:
            found = run_commands(host, each_page, "/srv/clone", "sh install", **network)
        host.run(AFTER[page.stem])
    ran(*found)


@each_that_takes_long("sh install dnf")
def test_installing_with_dnf(rpms, page, ran):
    with booted_host("dnf") as host:
        WithDnf(host, rpms).offer()
        host.run("echo assumeyes=True >> /etc/dnf/dnf.conf")
        host.copy_in(rpms[0], f"/srv/clone/dist/{rpms[0].name}")
        found = run_commands(host, page, "/srv/clone", "sh install dnf")
        host.run(AFTER[page.stem].partition(" && ")[0])
    ran(*found)


def test_the_example_of_a_test(host, ansible, ran):
    """The page shows a module of this folder."""
    [block] = [block for block in blocks(BY_NAME["test-hosts"]) if block.words == ("python",)]
    module = {"__name__": f"{__package__}.example", "__package__": __package__}
    exec(compile(block.text, str(block), "exec"), module)
    module["test_something"](host=host, ansible=ansible)
    ran(block)
