# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.data import factfiles, reading
from ccm.data.factfiles import gather, given_facts, read_fact_files, read_facts_file
from ccm.model.errors import DataError

from .test_dotenv import Told


@pytest.fixture
def directory(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(tmp_path)

    return write


def test_later_files_win_and_all_are_merged_deeply(directory):
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
    told = Told()
    facts = read_fact_files([where], told)
    assert facts == {"one": "yaml", "deep": {"a": 1.0, "b": 2, "c": 3.0}, "list": [1.0, 2], "two": "twenty"}
    assert (type(facts["deep"]["a"]), type(facts["deep"]["b"])) == (float, int)
    assert ("DEBUG", "Skipping non-facts file", {"file": where + "/facts.d/30.yml"}) in told.lines


def test_a_second_directory_wins_and_missing_ones_say_nothing(directory, tmp_path):
    where = directory({"a/facts.yaml": "x: 1\ny: 1\n", "b/facts.yaml": "x: 2\n"})
    told = Told()
    assert read_fact_files([where + "/a", where + "/b", where + "/c", ""], told) == {"x": 2, "y": 1}
    assert [line for line in told.lines if line[0] != "DEBUG"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{a: [", "Failed to unmarshal facts file"),
        ("- a\n", "Failed to unmarshal facts file"),
        ("", None),
        ("~\n", None),
    ],
)
def test_what_is_no_map_of_facts_is_passed_over(directory, text, said):
    where = directory({"facts.d/1.yaml": text, "facts.d/2.yaml": "a: 1\n"})
    told = Told()
    assert read_fact_files([where], told) == {"a": 1}
    errors = [line for line in told.lines if line[0] == "ERROR"]
    assert [(message, fields["file"]) for _level, message, fields in errors] == (
        [(said, where + "/facts.d/1.yaml")] if said else []
    )


def test_the_ending_says_what_a_facts_file_is(directory):
    told = Told()
    assert read_fact_files([directory({"facts.json": "a: 1\n", "facts.yaml": '{"a": 1}'})], told) == {"a": 1}
    assert [line[1] for line in told.lines if line[0] == "ERROR"] == ["Failed to unmarshal facts file"]


def test_a_file_that_is_too_large_is_passed_over(directory, monkeypatch):
    monkeypatch.setattr(reading, "MAX_SIZE", 4)
    where = directory({"facts.json": '{"a": 1}', "facts.yaml": "b: 1"})
    told = Told()
    assert read_fact_files([where], told) == {"b": 1}
    said = {"file": where + "/facts.json", "error": f"read {where}/facts.json: larger than 4 bytes"}
    assert [line for line in told.lines if line[0] == "ERROR"] == [("ERROR", "Failed to read facts file", said)]


def test_links_are_passed_over(directory, tmp_path):
    where = directory({"real.yaml": "a: 1\n", "d/x.yaml": "b: 1\n", "one/facts.d/z.yaml": "c: 1\n"})
    (tmp_path / "one" / "facts.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "one" / "facts.d" / "y.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "facts.d").symlink_to(tmp_path / "d")
    told = Told()
    assert read_fact_files([where + "/one", where + "/two"], told) == {"c": 1}
    assert [line for line in told.lines if line[0] == "ERROR"] == [
        ("ERROR", "Skipping facts file that is a symlink", {"file": where + "/one/facts.yaml"}),
        ("ERROR", "Skipping facts file that is a symlink", {"file": where + "/one/facts.d/y.yaml"}),
        ("ERROR", "Skipping facts directory that is a symlink", {"dir": where + "/two/facts.d"}),
    ]


def test_relative_directories_are_passed_over():
    told = Told()
    assert read_fact_files(["here"], told) == {}
    assert told.lines == [("ERROR", "Skipping facts directory with relative path", {"dir": "here"})]


def test_directories_of_the_system_and_of_the_user(monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/xdg")
    assert factfiles.user_directory() == "/etc/xdg/choria/ccm"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ann")
    assert factfiles.user_directory() == "/home/ann/.config/choria/ccm"
    assert factfiles.SYSTEM_DIRECTORY == "/etc/choria/ccm"


def test_a_file_of_given_facts_is_json_by_its_text(directory):
    where = directory({"f": ' {"n": 4}', "g": "n: 4\n", "h": "", "i": "[1]"})
    assert isinstance(read_facts_file(where + "/f")["n"], float)
    assert isinstance(read_facts_file(where + "/g")["n"], int)
    assert read_facts_file(where + "/h") == {}
    with pytest.raises(DataError, match="must hold a map of facts"):
        read_facts_file(where + "/i")


@pytest.mark.parametrize("name", ["none.yaml", "a\0b", "."])
def test_a_file_of_given_facts_that_cannot_be_read(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as caught:
        read_facts_file(name)
    assert name in str(caught.value)


def test_a_given_fact_wins_over_the_file(directory):
    where = directory({"f.yaml": "role: file\nn: 4\n"})
    assert given_facts({"role": "flag"}, where + "/f.yaml") == {"role": "flag", "n": 4}
    assert given_facts({"role": "flag"}) == {"role": "flag"}
    assert given_facts(None) == {}


def test_given_facts_lie_over_files_over_the_machine(directory):
    where = directory({"facts.yaml": "one: file\ntwo: file\nhost: {info: {platform: mine, site: x}}\n"})
    given = {"one": "given", "host": {"info": {"hostname": "elsewhere"}}}
    facts = gather(given, directories=[where])
    assert (facts["one"], facts["two"]) == ("given", "file")
    info = facts["host"]["info"]
    assert (info["hostname"], info["platform"], info["site"], info["os"]) == ("elsewhere", "mine", "x", "linux")
    assert info["KernelArch"] == info["kernelArch"]
    assert list(facts)[-2:] == ["one", "two"]
    assert list(info)[:3] == ["hostname", "uptime", "bootTime"]
