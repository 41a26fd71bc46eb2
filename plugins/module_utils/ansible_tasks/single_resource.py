# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A task of one resource that the module apply runs, because it has health checks with rules of goss.

Only the code of the module apply includes what rules need, so that other tasks send less. Their action plugins choose
it, and pass the options of the task; the result is the same as from the resource's own module.
"""

from __future__ import annotations

from ..health.checks import run_check
from ..manifest.transport import from_text
from ..resources.archive.type import TYPE as ARCHIVE
from ..resources.exec.type import TYPE as EXEC
from ..resources.file.type import TYPE as FILE
from ..resources.package.type import TYPE as PACKAGE
from ..resources.scaffold.type import TYPE as SCAFFOLD
from ..resources.types import required_type
from .apply_options import RESOURCE
from .archive_task import run_archive
from .exec_task import run_exec
from .file_task import run_file
from .package_task import run_packages
from .resource_task import run_resource
from .scaffold_task import run_scaffold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .ansible_module import AnsibleModule, Options

#: What runs a task, by the types that have more in a play than their properties.
_RUNS: dict[str, Callable[..., None]] = {
    ARCHIVE.name: run_archive,
    EXEC.name: run_exec,
    FILE.name: run_file,
    PACKAGE.name: run_packages,
    SCAFFOLD.name: run_scaffold,
}


def run_single_resource(module: AnsibleModule) -> None:
    """Manage the resource that was passed in place of a manifest; ends in exit_json or fail_json of `module`.

    Values of secret options are masked in the result as if they were options of `module`.
    """
    payload: Options = from_text(module.params["manifest"][RESOURCE])
    type = required_type(payload["type"])
    module.params = payload["options"]
    secret = {prop.name for prop in type.properties if prop.secret}
    module.no_log_values.update(str(value) for name, value in module.params.items() if name in secret and value)
    run: Callable[..., None] = _RUNS.get(type.name, run_resource)
    run(module, type, run_check)
