# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What users read of services with stand-ins for systemctl: masks, aliases, links, units on their way, reasons."""

import json

import pytest
from ccm.resources.service import unitfiles, units

pytestmark = pytest.mark.starts_processes

#: `$0.did` has the verbs that were done, one a line.
SYSTEMCTL = """
for name; do :; done
did() {{ [ -e "$0.did" ] && grep -q "$1" "$0.did"; }}
case $1 in
show) {show} ;;
is-enabled) {enabled} ;;
*) echo "$1" >> "$0.did"; {acts} ;;
esac
"""
LOADED = "printf 'Id=%s\\nNames=%s\\nLoadState=loaded\\nActiveState=%s\\n\\n' x.service x.service"
MASKED = "printf 'Id=x.service\\nLoadState=masked\\nFragmentPath=/dev/null\\nActiveState=%s\\n\\n'"


@pytest.fixture
def systemctl(fake_program):
    def made(show, enabled, acts=":"):
        fake_program("systemctl", SYSTEMCTL.format(show=show, enabled=enabled, acts=acts))

    return made


def shown(result):
    return result.out + result.err


def test_the_warning_that_enable_changes_nothing_comes_once(ccm, systemctl):
    systemctl(f"{LOADED} $(did start && echo active || echo inactive)", "echo static")
    output = shown(ccm("ensure", "service", "x", "--enable"))
    assert output.count("The unit is static: it has no [Install], so enable: true changes nothing") == 1
    assert "[Install]" not in shown(ccm("ensure", "service", "x", "--disable"))


LEAD = "failed to reach desired state: "


@pytest.mark.parametrize("noop", [["--noop"], []])
def test_a_masked_unit_cannot_be_started_or_enabled(ccm, systemctl, noop):
    systemctl(f"{MASKED} inactive", "echo masked; exit 1", "exit 7")
    reason = "unit x.service is masked; systemctl unmask x.service would remove the mask"
    assert f"{LEAD}running: service is stopped, expected running: {reason}" in shown(
        ccm("ensure", *noop, "service", "x")
    )
    assert f"{LEAD}stopped: service is disabled, expected enabled: {reason}" in shown(
        ccm("ensure", *noop, "service", "x", "stopped", "--enable")
    )


def test_in_noop_an_earlier_resource_may_remove_a_mask(ccm, systemctl, tmp_path):
    systemctl(f"{MASKED} inactive", "echo masked; exit 1")
    resources = [{"exec": {"name": "true"}}, {"service": {"name": "x"}}]
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))
    assert "Would have started" in shown(ccm("apply", "m.yaml", "--noop"))
    assert "is masked" in shown(ccm("apply", "m.yaml"))


def test_a_masked_service_that_runs_cannot_be_refreshed(ccm, systemctl, tmp_path):
    systemctl(f"{MASKED} active", "echo masked; exit 1")
    resources = [{"exec": {"name": "true"}}, {"service": {"name": "x", "subscribe": ["exec#true"]}}]
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))
    assert f"{LEAD}running: cannot restart: unit x.service is masked" in shown(ccm("apply", "m.yaml"))


def test_a_unit_file_of_the_administrator_cannot_be_masked(ccm, systemctl):
    systemctl(
        "printf 'Id=x.service\\nLoadState=loaded\\nActiveState=inactive\\n"
        "FragmentPath=/etc/systemd/system/x.service\\n\\n'",
        "echo disabled",
        "exit 7",
    )
    reason = "its unit file /etc/systemd/system/x.service is in the place of the mask"
    assert f"{LEAD}stopped: service is disabled, expected masked: {reason}" in shown(
        ccm("ensure", "service", "x", "stopped", "--mask")
    )
    assert "cannot specify the mask flag with enable or disable flags" in shown(
        ccm("ensure", "service", "x", "stopped", "--mask", "--enable")
    )


def test_links_that_went_are_logged_and_those_that_are_missing_fail(ccm, systemctl, tmp_path):
    unit = tmp_path / "x.service"
    unit.write_text(
        "[Service]\n# [Install]\n[Install]\n; no\nWantedBy=ccm-a.target \\\n ccm-b.target\nAlias=%p.service\n"
    )
    systemctl(
        f"printf 'Id=x.service\\nLoadState=loaded\\nActiveState=active\\nFragmentPath={unit}\\n\\n'",
        "echo enabled",
        'printf \'Removed "/etc/a.wants/x.service".\\nRemoved /etc/b.wants/x.service.\\n'
        "Created symlink /etc/b.wants/x.service \\342\\206\\222 /x.service.\\n' >&2",
    )
    output = shown(ccm("ensure", "service", "x", "--enable"))
    assert "Links that [Install] does not name were removed" in output
    assert "links=/etc/a.wants/x.service" in output
    wants = [f"/etc/systemd/system/ccm-{each}.target.wants/x.service" for each in "ab"]
    assert f"service is enabled, but lacks links that its [Install] names: {', '.join(wants)}" in output


def test_a_unit_whose_alias_went_is_read_by_its_own_name(ccm, systemctl):
    own = "printf 'Id=own.service\\nNames=own.service x.service\\nLoadState=loaded\\nActiveState=active\\n\\n'"
    gone = "printf 'Id=x.service\\nLoadState=not-found\\nActiveState=inactive\\n\\n'"
    systemctl(
        f"if did disable && [ $name = x ]; then {gone}; else {own}; fi",
        "if ! did disable; then echo alias; elif [ $name = x ]; then exit 1; else echo disabled; fi",
    )
    output = shown(ccm("ensure", "service", "x", "--disable"))
    assert "The name was an alias of own.service, and no longer exists" in output
    assert "service is stopped" not in output


def test_a_service_that_does_not_stop_in_its_time_fails(ccm, systemctl):
    systemctl(f"echo TimeoutStopUSec=1ms; {LOADED} deactivating", "echo disabled")
    output = shown(ccm("ensure", "service", "x", "stopped"))
    assert output.count("Waiting for the service, which is stopping resource=service#x") == 1
    reason = "its TimeoutStopSec of 1ms has passed"
    assert f"{LEAD}stopped: service is deactivating, expected stopped: {reason}" in output
    assert "failed" not in shown(ccm("ensure", "--noop", "service", "x", "stopped")).replace("failed=0", "")


def test_conditions_that_are_not_met_are_the_reason(ccm, systemctl, fake_program, tmp_path):
    unit = tmp_path / "x.service"
    unit.write_text(
        "[Unit]\nConditionPathExists=/first\nConditionPathExists=\nConditionPathExists=/a\nAssertPathExists=/b\n"
        "ConditionHost=%H\nConditionEnvironment=X\nConditionPathExists=|/c\nConditionPathExists=|/d\n[Service]\n"
    )
    systemctl(
        f"printf 'Id=x.service\\nLoadState=loaded\\nActiveState=inactive\\nFragmentPath={unit}\\n\\n'", "echo disabled"
    )
    fake_program("systemd-analyze", '[ "$*" = "condition ConditionPathExists=/a" ]')
    reason = "AssertPathExists=/b, ConditionPathExists=|/c or ConditionPathExists=|/d is not met"
    output = shown(ccm("ensure", "service", "x"))
    assert f"{LEAD}running: service is stopped, expected running: {reason}" in output


def test_a_oneshot_unit_does_not_stay_running(ccm, systemctl):
    systemctl(f"printf 'Type=oneshot\\nRemainAfterExit=no\\nResult=success\\n'; {LOADED} inactive", "echo disabled")
    reason = "a unit of Type=oneshot without RemainAfterExit=yes does not stay running"
    assert f"service is stopped, expected running: {reason}" in shown(ccm("ensure", "service", "x"))


def test_lists_of_names_may_be_quoted():
    unit = units.Unit("x", {"Names": r'"a\\x2db.service" plain.service', "DropInPaths": r'"/etc/a\\x2db.d/x.conf"'})
    assert (unit.names, unit.drop_ins) == ([r"a\x2db.service", "plain.service"], [r"/etc/a\x2db.d/x.conf"])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "etc/a.target.wants").mkdir(parents=True)
    (tmp_path / "etc/b.target.requires").mkdir()
    (tmp_path / "usr/a.target.wants").mkdir(parents=True)
    return tmp_path


def missing(folder, name, text, file="", drop_ins=()):
    """Return the links of a unit that are missing, and whether it is surely enabled."""
    path = folder / "usr" / (file or name)
    path.write_text(text)
    values = {"Id": name, "LoadState": "loaded", "FragmentPath": str(path), "DropInPaths": " ".join(map(str, drop_ins))}
    unit = units.Unit(name, values)
    files = unitfiles.UnitFiles([str(folder / "etc"), str(folder / "usr")], str(folder / "etc"))
    links = unitfiles.install_links(unit, files.install_of(unit))
    found, has_link = files.missing_links(unit, links)
    return [path[len(str(folder)) :] for path in found], files.surely_enabled(unit, has_link)


INSTALL = "[Install]\nWantedBy=a.target\nRequiredBy=b.target\n"


def test_links_of_install_that_are_missing(folder):
    wants, requires = folder / "etc/a.target.wants/x.service", folder / "etc/b.target.requires/x.service"
    assert missing(folder, "x.service", INSTALL) == (
        [str(each)[len(str(folder)) :] for each in (wants, requires)],
        False,
    )
    wants.symlink_to("/usr/lib/systemd/system/x.service")
    assert missing(folder, "x.service", INSTALL) == (["/etc/b.target.requires/x.service"], True)
    requires.symlink_to("/usr/lib/systemd/system/other.service")
    assert missing(folder, "x.service", INSTALL) == (["/etc/b.target.requires/x.service"], True)
    requires.unlink()
    requires.symlink_to("/usr/lib/systemd/system/x.service")
    assert missing(folder, "x.service", INSTALL) == ([], True)
    wants.rename(folder / "usr/a.target.wants/x.service")
    assert missing(folder, "x.service", INSTALL) == ([], True), "a link of the vendor is there"
    requires.unlink()
    (folder / "usr/b.target.requires").mkdir()
    (folder / "usr/b.target.requires/x.service").symlink_to("/usr/lib/systemd/system/x.service")
    assert missing(folder, "x.service", INSTALL) == ([], False), "links of the vendor alone make nothing enabled"


def test_links_of_aliases_instances_and_drop_ins(folder):
    more = folder / "more.conf"
    more.write_text(
        "[Install]\nWantedBy=\nWantedBy=b.target\nAlias=x.socket y.service taken.service @.service x.service\n"
    )
    (folder / "etc/taken.service").write_text("")
    lacking = missing(folder, "x.service", INSTALL, drop_ins=[more])[0]
    assert lacking == ["/etc/b.target.wants/x.service", "/etc/b.target.requires/x.service", "/etc/y.service"]
    link = folder / "etc/a.target.wants/t@one.service"
    link.symlink_to("/usr/lib/systemd/system/t@.service")
    text = "[Install]\nWantedBy=a.target %i.target\nAlias=z@.service\n"
    assert missing(folder, "t@one.service", text, "t@.service") == ([], True)


def test_a_unit_that_something_else_wants_is_enabled(folder):
    assert missing(folder, "x.service", "[Service]\n") == ([], False)
    (folder / "etc/b.target.requires/x.service").symlink_to("/usr/lib/systemd/system/x.service")
    assert missing(folder, "x.service", "[Service]\n") == ([], True)
