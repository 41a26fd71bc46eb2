# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make release` refuses, archives with the same bytes, and the bill of materials.

tests/publishing builds a whole release.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import re
import subprocess
import tarfile
import tomllib
import zipfile

import pytest
import yaml

from tests.tools.release import building, checks, sbom
from tests.tools.release.__main__ import differing

from .layout import ROOT

pytestmark = pytest.mark.starts_processes
EPOCH = 1795905502


def git(root, *words):
    config = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *config, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    """A repository whose last commit can be released as 0.2.0."""
    for path, text in {
        "plugins/module_utils/version.py": 'VERSION = "0.2.0"\n',
        "galaxy.yml": "version: 0.2.0\n",
        "changelogs/changelog.yaml": "releases:\n  0.2.0: {changes: {}}\n",
        "changelogs/fragments/.keep": "",
        "bin/ccm": "#!/bin/sh\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "bin/ccm").chmod(0o775)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def commit(root):
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "a change")


def refused(root):
    with pytest.raises(checks.Refused) as refusal:
        checks.check(root)
    return str(refusal.value).splitlines()


def test_the_version_is_returned(checkout):
    assert checks.check(checkout) == "0.2.0"
    git(checkout, "tag", "v0.2.0")
    assert checks.check(checkout) == "0.2.0"


def test_changed_files_are_refused(checkout):
    for name in ("a b", "c", "d", "e"):
        (checkout / name).write_text("new\n", encoding="utf-8")
    (line,) = refused(checkout)
    assert line == (
        "the last commit is released, and these files differ from it: a b, c, d and 1 more: commit or remove them"
    )


def test_versions_that_differ_are_refused(checkout):
    (checkout / "galaxy.yml").write_text("version: 0.1.0\n", encoding="utf-8")
    commit(checkout)
    (line,) = refused(checkout)
    assert line == (
        "the versions differ: plugins/module_utils/version.py has 0.2.0, galaxy.yml has 0.1.0: "
        "run make version VERSION=0.2.0 and commit it"
    )


def test_fragments_that_were_not_gathered_are_refused(checkout):
    (checkout / "changelogs/fragments/new.yml").write_text("minor_changes: [a]\n", encoding="utf-8")
    commit(checkout)
    (line,) = refused(checkout)
    assert line == ("1 fragments of the changelog are not gathered: new.yml: run make changelog and commit it")


@pytest.mark.parametrize("text", [None, "releases:\n  0.1.0: {changes: {}}\n"])
def test_a_version_that_the_changelog_does_not_have_is_refused(checkout, text):
    path = checkout / "changelogs/changelog.yaml"
    path.unlink()
    if text:
        path.write_text(text, encoding="utf-8")
    commit(checkout)
    (line,) = refused(checkout)
    assert line == (
        "the changelog has no version 0.2.0: describe it in changelogs/fragments/0.2.0.yml (release_summary), "
        "run make changelog and commit it"
    )


def test_another_tag_is_refused(checkout):
    git(checkout, "tag", "v0.3.0")
    (line,) = refused(checkout)
    assert line == (
        "the commit has the tag v0.3.0, and the version is 0.2.0: remove the tag, "
        "or run make version VERSION=0.3.0 and tag the commit with it"
    )


def test_a_version_that_is_released_is_refused(checkout):
    git(checkout, "tag", "v0.2.0")
    commit(checkout)
    (line,) = refused(checkout)
    assert line == (
        "version 0.2.0 is released: the tag v0.2.0 is at another commit: "
        "run make version with the next version, or check out v0.2.0"
    )


def test_everything_is_said_at_once(checkout):
    (checkout / "changelogs/fragments/new.yml").write_text("minor_changes: [a]\n", encoding="utf-8")
    (checkout / "galaxy.yml").write_text("version: 0.1.0\n", encoding="utf-8")
    assert [line.split(":")[0] for line in refused(checkout)] == [
        "the last commit is released, and these files differ from it",
        "the versions differ",
        "1 fragments of the changelog are not gathered",
    ]


def test_a_directory_without_git_is_refused(checkout, monkeypatch, tmp_path_factory):
    with pytest.raises(checks.Refused, match=r"^git status: fatal: not a git repository"):
        checks.changed_files(tmp_path_factory.mktemp("empty"))
    monkeypatch.setenv("PATH", str(checkout / "nothing"))
    with pytest.raises(checks.Refused, match=r"^git is missing: apt-get install -y git$"):
        checks.changed_files(checkout)


def test_a_tool_that_fails_is_refused_with_its_output(tmp_path):
    with pytest.raises(checks.Refused, match=r"^sh failed with status 3:\nout\nsaid$"):
        building.run(["/bin/sh", "-c", "echo out; echo said >&2; exit 3"], tmp_path, building.HERE, EPOCH)


def test_surroundings_reach_the_tools(tmp_path):
    """Two builds that had the same surroundings would show nothing."""
    script = "umask; date -d @0 +%H; echo $PYTHONHASHSEED $SOURCE_DATE_EPOCH"
    said = []
    for surroundings in (building.HERE, building.ELSEWHERE):
        building.run(["/bin/sh", "-c", f"({script}) > said"], tmp_path, surroundings, EPOCH)
        said.append((tmp_path / "said").read_text(encoding="utf-8").split())
    assert said == [["0022", "00", "0", str(EPOCH)], ["0077", "14", "4711", str(EPOCH)]]


def test_the_export_has_plain_modes_and_the_time_of_the_commit(checkout, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    building.export(checkout, folder)
    modes = {name: (folder / name).stat().st_mode & 0o7777 for name in ("bin", "bin/ccm", "galaxy.yml")}
    assert modes == {"bin": 0o755, "bin/ccm": 0o755, "galaxy.yml": 0o644}
    assert (folder / "bin/ccm").stat().st_mtime == building.epoch_of(checkout)
    assert sorted(path.name for path in folder.iterdir()) == ["bin", "changelogs", "galaxy.yml", "plugins"]


def tarball(files, *, mtime, mode, owner):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode, info.uname = len(data), mtime, mode, owner
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def test_the_same_files_make_the_same_archive():
    files = [("b/x", b"x"), ("a", b"a")]
    first = tarball(files, mtime=1, mode=0o664, owner="ann")
    second = tarball(files[::-1], mtime=2, mode=0o600, owner="bob")
    assert first != second
    made = [building.repacked(archive, EPOCH, building.by_name) for archive in (first, second)]
    assert made[0] == made[1]
    with tarfile.open(fileobj=io.BytesIO(made[0])) as tar:
        assert [(info.name, info.mode, info.mtime, info.uname) for info in tar] == [
            ("a", 0o644, EPOCH, ""),
            ("b/x", 0o644, EPOCH, ""),
        ]


def test_the_list_of_files_of_a_collection_is_sorted_and_its_digest_is_right():
    made = []
    for names in (["b", "a"], ["a", "b"]):
        listing = json.dumps({"files": [{"name": name} for name in names], "format": 1}, indent=True).encode()
        manifest = json.dumps({"file_manifest_file": {"chksum_sha256": "old"}}, indent=True).encode()
        files = [("MANIFEST.json", manifest), ("FILES.json", listing), *((name, b"") for name in names)]
        archive = tarball(files, mtime=1, mode=0o644, owner="")
        made.append(building.repacked(archive, EPOCH, building.collection))
    assert made[0] == made[1]
    with tarfile.open(fileobj=io.BytesIO(made[0])) as tar:
        assert tar.getnames() == ["MANIFEST.json", "FILES.json", "a", "b"]
        listing = tar.extractfile("FILES.json").read()
        manifest = json.load(tar.extractfile("MANIFEST.json"))
    assert [entry["name"] for entry in json.loads(listing)["files"]] == ["a", "b"]
    assert manifest["file_manifest_file"]["chksum_sha256"] in building.sums({"FILES.json": listing}).decode()


def test_the_same_files_make_the_same_wheel():
    made = []
    for mode, year in ((0o600, 2020), (0o644, 2021)):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as wheel:
            info = zipfile.ZipInfo("ccm/x.py", (year, 1, 1, 0, 0, 0))
            info.external_attr = mode << 16
            wheel.writestr(info, "text")
        made.append(building.repacked_wheel(packed.getvalue(), EPOCH))
    assert made[0] == made[1]
    with zipfile.ZipFile(io.BytesIO(made[0])) as wheel:
        assert wheel.read("ccm/x.py") == b"text"


def test_builds_that_differ_are_named():
    assert differing({"a": b"1", "b": b"1", "c": b"1"}, {"a": b"1", "b": b"2", "d": b"1"}) == ["b", "c", "d"]


def test_the_bill_of_materials_has_what_is_required_and_each_extra():
    text = sbom.bill(ROOT, "0.2.0", EPOCH, {"x.whl": b"x"}).decode()
    document = json.loads(text)
    assert text == sbom.bill(ROOT, "0.2.0", EPOCH, {"x.whl": b"x"}).decode()
    assert document["metadata"]["component"]["purl"] == "pkg:pypi/ccm-core@0.2.0"
    assert document["metadata"]["component"]["externalReferences"][0]["url"] == "x.whl"
    found = {component["name"].lower(): component for component in document["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    texts = [*project["dependencies"], *(text for texts in project["optional-dependencies"].values() for text in texts)]
    assert {re.match(r"[A-Za-z0-9-]+", text)[0].lower() for text in texts} | {"ansible-core"} == set(found)
    assert found["pyyaml"]["scope"] == "required"
    assert {component["scope"] for name, component in found.items() if name != "pyyaml"} == {"optional"}
    said = {entry["name"]: entry["value"] for entry in found["cryptography"]["properties"]}
    assert said == {"ccm.core:required-by:extra:crypto": ">=3.1", "ccm.core:required-by:extra:nats": ">=3.1"}
    for name, component in found.items():
        assert component["purl"].startswith(f"pkg:pypi/{name}")
        assert component["licenses"] == [{"expression": sbom.LICENCES[name]}]
        assert name == "bcrypt" or component["version"] == importlib.metadata.version(name)
    (ours,) = [entry for entry in document["dependencies"] if entry["ref"] == "pkg:pypi/ccm-core@0.2.0"]
    assert len(ours["dependsOn"]) == len(found)


def test_another_document_is_not_a_bill_of_materials():
    with pytest.raises(ValueError, match=r"^the bill of materials is not CycloneDX 1\.6: "):
        sbom.require_valid('{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"name": "a"}]}')


def test_a_requirement_without_a_known_licence_is_refused(monkeypatch):
    monkeypatch.setattr(sbom, "LICENCES", {})
    with pytest.raises(ValueError, match=r"^the licence of pyyaml is not known: add it to LICENCES in "):
        sbom.components(ROOT)


# What the metadata of packages says instead of an SPDX expression.
SPELLINGS = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
}


@pytest.mark.parametrize("name", sorted({*sbom.LICENCES} - {"bcrypt"}))
def test_the_licences_are_those_of_the_installed_packages(name):
    metadata = importlib.metadata.metadata(name)
    said = {metadata.get("License-Expression", ""), metadata.get("License", "")}
    said |= {text.rpartition(" :: ")[2] for text in metadata.get_all("Classifier", ()) if text.startswith("License ::")}
    said |= {SPELLINGS.get(text, "") for text in said}
    assert {sbom.LICENCES[name]} & said, said


def workflows():
    return sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in workflows()])
def test_workflows_pin_actions_and_have_few_rights(path):
    """tests/tools/workflows looks for mistakes in them."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert document["permissions"] in ({}, {"contents": "read"})
    assert document["concurrency"]["group"]
    for job in document["jobs"].values():
        assert job["timeout-minutes"]
        for step in job["steps"]:
            used = step.get("uses", "./")
            assert used == "./" or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", used), used
            assert "${{" not in step.get("run", ""), "a text of others must not become a part of a script"
            if used.startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
