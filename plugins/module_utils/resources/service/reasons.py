# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a service cannot be started, enabled or masked, and why a started service does not run (Q93)."""

from __future__ import annotations

from ...host.errors import HostError
from ...host.results import decode
from ...model.errors import NotThereYet
from .type import MASK, TYPE, UNMASK_AND_DISABLE, UNMASK_AND_ENABLE
from .unitfiles import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from .type import ServiceProperties, ServiceState
    from .units import Unit

#: The verbs that systemd refuses for a unit that is masked.
_REFUSED_BY_MASK = ("start", "restart", "reload", "enable", "reenable")
_UNIT_FILES_OF_ADMIN = "/etc/systemd/system/"
_CONDITIONS = ("Condition", "Assert")


def require_possible(verb: str, unit: Unit | None, properties: ServiceProperties, state: ServiceState) -> None:
    """Raise NotThereYet when a unit is masked and a verb cannot be done, or when its file cannot be masked."""
    shortfall = TYPE.shortfall(state, properties)
    if verb in _REFUSED_BY_MASK and state.is_masked:
        if properties.enable not in (UNMASK_AND_ENABLE, UNMASK_AND_DISABLE):
            name = unit.id if unit else properties.name
            advice = f"systemctl unmask {name} would remove the mask"
            raise _impossible(
                f"{shortfall or f'{properties.ensure}: cannot {verb}'}: unit {name} is masked; {advice}", state
            )
    elif verb == MASK and unit and unit.fragment.startswith(_UNIT_FILES_OF_ADMIN) and not state.is_masked:
        raise _impossible(f"{shortfall}: its unit file {unit.fragment} is in the place of the mask", state)


def _impossible(reason: str, state: ServiceState) -> NotThereYet:
    error = NotThereYet(f"failed to reach desired state: {reason}")
    error.expected = state
    return error


def why_not_running(machine: Machine, unit: Unit) -> list[str]:
    """Return the reasons that the settings of a unit give, none when they say that it could run."""
    unmet = _unmet(machine, _conditions(unit))
    if unmet:
        return [f"{', '.join(unmet)} is not met"]
    if unit.type == "oneshot" and _ended_well(machine, unit):
        return ["a unit of Type=oneshot without RemainAfterExit=yes does not stay running"]
    return []


def _conditions(unit: Unit) -> list[str]:
    """Return the conditions and assertions of a unit as they are written; an empty one removes those before it."""
    found: list[str] = []
    for path in (unit.fragment, *unit.drop_ins):
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError:
            continue
        for key, value in entries(text, b"[Unit]"):
            if key.startswith(_CONDITIONS):
                kind = key[: len("Condition")] if key.startswith("Condition") else "Assert"
                found = [*found, f"{key}={value}"] if value else [each for each in found if not each.startswith(kind)]
    return found


def _unmet(machine: Machine, conditions: Sequence[str]) -> list[str]:
    """Return the conditions that are false now; of conditions with `|` one has to be true.

    Left out are conditions with specifiers, and about the environment of systemd, which this process does not have.
    """
    known = [each for each in conditions if "%" not in each and "Environment=" not in each]
    plain = [each for each in known if "=|" not in each]
    alternatives = [each for each in conditions if "=|" in each]
    unmet = [each for each in plain if not _is_met(machine, [each])]
    if alternatives and set(alternatives) <= set(known) and not _is_met(machine, alternatives):
        unmet.append(" or ".join(alternatives))
    return unmet


def _is_met(machine: Machine, conditions: Sequence[str]) -> bool:
    try:
        return machine.query(["systemd-analyze", "condition", *conditions]).exit_code == 0
    except HostError:
        return True  # without systemd-analyze it is not known


def _ended_well(machine: Machine, unit: Unit) -> bool:
    result = machine.query(["systemctl", "show", "--property=RemainAfterExit,Result", "--", unit.id])
    return {"RemainAfterExit=no", "Result=success"} <= set(decode(result.stdout).split("\n"))
