# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.data import factfiles, reading
from ccm.data.factfiles import gather, given_facts, read_fact_files, read_facts_file
from ccm.model.errors import DataError
from ccm.testing import RecordedLog


@pytest.fixture
def directory(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(tmp_path)

    return write


def test_later_files_override_and_all_are_merged_deeply(directory):
    where = directory(
        {
            "facts.json": '{"one": "json", "deep": {"a": 1, "b": 1}, "list": [1]}',
            "facts.yaml": "one: yaml\ndeep: {b: 2}\nlist: [2]\n",
            "facts.d/20.yaml": "two: twenty\n",
            "facts.d/10.JSON": '{"two": "ten", "deep": {"c": 3}}',
            "facts.d/30.yml": "two: thirty\n",
            "facts.d/40.yaml/x.yaml": "two: forty\n",
        }
    )
    log = RecordedLog()
    facts = read_fact_files([where], log)
    assert facts == {"one": "yaml", "deep": {"a": 1.0, "b": 2, "c": 3.0}, "list": [1.0, 2], "two": "twenty"}
    assert (type(facts["deep"]["a"]), type(facts["deep"]["b"])) == (float, int)
    assert ("DEBUG", "Skipping non-facts file", {"file": where + "/facts.d/30.yml"}) in log.lines


def test_the_second_directory_overrides_and_missing_ones_are_ignored(directory, tmp_path):
    where = directory({"a/facts.yaml": "x: 1\ny: 1\n", "b/facts.yaml": "x: 2\n"})
    log = RecordedLog()
    assert read_fact_files([where + "/a", where + "/b", where + "/c", ""], log) == {"x": 2, "y": 1}
    assert [line for line in log.lines if line[0] != "DEBUG"] == []


@pytest.mark.parametrize(
    ("text", "expected_fields"),
    [
        ("{a: [", "Failed to unmarshal facts file"),
        ("- a\n", "Failed to unmarshal facts file"),
        ("", None),
        ("~\n", None),
    ],
)
def test_files_that_are_not_a_mapping_are_ignored(directory, text, expected_fields):
    where = directory({"facts.d/1.yaml": text, "facts.d/2.yaml": "a: 1\n"})
    log = RecordedLog()
    assert read_fact_files([where], log) == {"a": 1}
    errors = [line for line in log.lines if line[0] == "ERROR"]
    assert [(message, fields["file"]) for _level, message, fields in errors] == (
        [(expected_fields, where + "/facts.d/1.yaml")] if expected_fields else []
    )


def test_the_extension_selects_the_format(directory):
    log = RecordedLog()
    assert read_fact_files([directory({"facts.json": "a: 1\n", "facts.yaml": '{"a": 1}'})], log) == {"a": 1}
    assert [line[1] for line in log.lines if line[0] == "ERROR"] == ["Failed to unmarshal facts file"]


def test_a_file_that_is_too_large_is_ignored(directory, monkeypatch):
    monkeypatch.setattr(reading, "MAX_SIZE", 4)
    where = directory({"facts.json": '{"a": 1}', "facts.yaml": "b: 1"})
    log = RecordedLog()
    assert read_fact_files([where], log) == {"b": 1}
    expected_fields = {"file": where + "/facts.json", "error": f"read {where}/facts.json: larger than 4 bytes"}
    assert [line for line in log.lines if line[0] == "ERROR"] == [
        ("ERROR", "Failed to read facts file", expected_fields)
    ]


def test_links_are_ignored(directory, tmp_path):
    where = directory({"real.yaml": "a: 1\n", "d/x.yaml": "b: 1\n", "one/facts.d/z.yaml": "c: 1\n"})
    (tmp_path / "one" / "facts.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "one" / "facts.d" / "y.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "facts.d").symlink_to(tmp_path / "d")
    log = RecordedLog()
    assert read_fact_files([where + "/one", where + "/two"], log) == {"c": 1}
    assert [line for line in log.lines if line[0] == "ERROR"] == [
        ("ERROR", "Skipping facts file that is a symlink", {"file": where + "/one/facts.yaml"}),
        ("ERROR", "Skipping facts file that is a symlink", {"file": where + "/one/facts.d/y.yaml"}),
        ("ERROR", "Skipping facts directory that is a symlink", {"dir": where + "/two/facts.d"}),
    ]


def test_relative_directories_are_ignored():
    log = RecordedLog()
    assert read_fact_files(["here"], log) == {}
    assert log.lines == [("ERROR", "Skipping facts directory with relative path", {"dir": "here"})]


def test_directories_of_the_system_and_of_the_user(monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/xdg")
    assert factfiles.user_directory() == "/etc/xdg/choria/ccm"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ann")
    assert factfiles.user_directory() == "/home/ann/.config/choria/ccm"
    assert factfiles.SYSTEM_DIRECTORY == "/etc/choria/ccm"


def test_a_given_facts_file_is_recognised_as_json_by_its_text(directory):
    where = directory({"f": ' {"n": 4}', "g": "n: 4\n", "h": "", "i": "[1]"})
    assert isinstance(read_facts_file(where + "/f")["n"], float)
    assert isinstance(read_facts_file(where + "/g")["n"], int)
    assert read_facts_file(where + "/h") == {}
    with pytest.raises(DataError, match="must hold a map of facts"):
        read_facts_file(where + "/i")


@pytest.mark.parametrize("name", ["none.yaml", "a\0b", "."])
def test_a_given_facts_file_that_cannot_be_read(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as caught:
        read_facts_file(name)
    assert name in str(caught.value)


def test_a_given_fact_overrides_the_file(directory):
    where = directory({"f.yaml": "role: file\nn: 4\n"})
    assert given_facts({"role": "flag"}, where + "/f.yaml") == {"role": "flag", "n": 4}
    assert given_facts({"role": "flag"}) == {"role": "flag"}
    assert given_facts(None) == {}


def test_given_facts_override_files_and_files_override_the_host(directory):
    where = directory({"facts.yaml": "one: file\ntwo: file\nhost: {info: {platform: mine, site: x}}\n"})
    given = {"one": "given", "host": {"info": {"hostname": "elsewhere"}}}
    facts = gather(given, directories=[where])
    assert (facts["one"], facts["two"]) == ("given", "file")
    info = facts["host"]["info"]
    assert (info["hostname"], info["platform"], info["site"], info["os"]) == ("elsewhere", "mine", "x", "linux")
    assert info["KernelArch"] == info["kernelArch"]
    assert list(facts)[-2:] == ["one", "two"]
    assert list(info)[:3] == ["hostname", "uptime", "bootTime"]
