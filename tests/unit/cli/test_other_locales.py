# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command in locales that are not UTF-8: names are UTF-8, and arguments the bytes that they are (Q92)."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from ccm.model.protocols import ENSURE_REQUEST

from tests.locales import OTHER_LOCALES, variables_of
from tests.unit.layout import CCM

pytestmark = [pytest.mark.starts_processes, pytest.mark.parametrize("locale", OTHER_LOCALES)]


@pytest.fixture
def run(tmp_path, locale):
    """Run the command in a locale, in a directory of its own."""
    environment = {**os.environ, **variables_of(locale, tmp_path), "UMLAUT": "ü€"}
    (tmp_path / "here").mkdir()

    def run(*words, stdin=b""):
        place = tmp_path / "here"
        done = subprocess.run([*CCM, *words], cwd=place, env=environment, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


# Names in UTF-8, and one that is in no encoding of a locale.
NAMES = ["ü€日本".encode(), b"a\xff\x82\\"]


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_the_bytes_that_they_are(run, tmp_path, name):
    path = os.fsencode(tmp_path) + b"/here/" + name
    run("ensure", "file", path, "present", "--content", "x" + os.fsdecode(name))
    assert os.listdir(os.fsencode(tmp_path / "here")) == [name]
    with open(path, "rb") as file:
        assert file.read() == b"x" + name
    assert json.loads(run("status", "file", path, "--json"))["size"] == len(name) + 1


def test_names_in_manifests_data_templates_and_requests_are_utf8(run, tmp_path, me):
    here = tmp_path / "here"
    (tmp_path / "vorlagen€").mkdir()
    (tmp_path / "vorlagen€/größe").write_text('{{ .data.wort }} {{ readFile "€.txt" }}', encoding="utf-8")
    (tmp_path / "€.txt").write_text("€", encoding="utf-8")
    own = {"owner": me[0], "group": me[1]}
    file = {"name": f"{here}/{{{{ Data.wort }}}}", "content": "{{ Environ.UMLAUT }}", "mode": "0644", **own}
    resources = [
        {"file": file},
        {"file": {"name": f"{here}/kopie→", "source": "€.txt", "mode": "0644", **own}},
        {"scaffold": {"name": f"{here}/gerüst", "source": "vorlagen€", "engine": "go"}},
        {"exec": {"name": "touch 'née'", "cwd": str(here), "creates": f"{here}/née"}},
    ]
    manifest = tmp_path / "manifest€.yaml"
    text = json.dumps({"data": {"wort": "daten€ü"}, "ccm": {"resources": resources}}, ensure_ascii=False)
    manifest.write_text(text, encoding="utf-8")
    run("apply", manifest)
    request = {"protocol": ENSURE_REQUEST, "type": "file", "properties": {**file, "name": f"{here}/anfrage€"}}
    shown = run("ensure", "api", "pipe", stdin=json.dumps(request, ensure_ascii=False).encode())
    assert f"{here}/anfrage€" in shown.decode()
    made = {path.decode() for path in os.listdir(os.fsencode(here))}
    assert made == {"daten€ü", "kopie→", "née", "anfrage€", "gerüst"}
    assert (here / "daten€ü").read_text(encoding="utf-8") == "ü€"
    assert (here / "gerüst/größe").read_text(encoding="utf-8") == "daten€ü €"
    assert b"changed" not in run("apply", manifest)
