# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What types of other packages may use: `ccm.api`, in collections `…ccm.core.plugins.module_utils.api`.

`CONTRACT` is its version. Within one version names are added, none is removed, and calls that work keep working. All
other modules of this package may change in every release. docs/writing-a-type.md is the guide.
"""

from __future__ import annotations

from .host.accounts import group, group_name, groups_of, user, user_name
from .host.errors import HostError
from .host.files import copy_file, make_directory, remove_directory, remove_file, set_attributes, write_file
from .host.limited import read_limited
from .host.machine import Machine
from .host.queries import query
from .host.reading import FileInfo, digest, inspect
from .host.results import Result, decode, output_lines
from .model.batch_provider import BatchProvider
from .model.decision import NOTHING, Decision, Step
from .model.errors import CCMError, InvalidResource, NotThereYet, ResourceFailed
from .model.event_source import EventSource
from .model.facets import Identity, Relations, Reversal
from .model.log import Log
from .model.property import Property
from .model.provider import Provider, ProviderContext
from .model.resource import Properties, ResourceType
from .model.simple_type import CONTRACT, SimpleType
from .model.state import State

__all__ = [
    "CONTRACT",
    "NOTHING",
    "BatchProvider",
    "CCMError",
    "Decision",
    "EventSource",
    "FileInfo",
    "HostError",
    "Identity",
    "InvalidResource",
    "Log",
    "Machine",
    "NotThereYet",
    "Properties",
    "Property",
    "Provider",
    "ProviderContext",
    "Relations",
    "ResourceFailed",
    "ResourceType",
    "Result",
    "Reversal",
    "SimpleType",
    "State",
    "Step",
    "copy_file",
    "decode",
    "digest",
    "group",
    "group_name",
    "groups_of",
    "inspect",
    "make_directory",
    "output_lines",
    "query",
    "read_limited",
    "remove_directory",
    "remove_file",
    "set_attributes",
    "user",
    "user_name",
    "write_file",
]
