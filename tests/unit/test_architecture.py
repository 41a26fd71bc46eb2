# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the code: layers, imports, and what runs on managed nodes."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from ccm.resources.types import TYPE_NAMES, required_type

from .layout import PACKAGE, PLUGINS, PYTHON38_ENV, ROOT, imports, nodes, parts_of, shipped, sources, tree
from .sizes import SHIPPED, excess, shipped_sizes

# From top to bottom; layers in one tuple do not import each other.
LAYERS = (
    ("cli", "ansible_tasks", "test_kit"),
    ("lint", "schema"),
    ("manifest",),
    ("engine", "health"),
    ("resources",),
    ("data",),
    ("nats",),
    ("model",),
    ("redaction",),
    ("host", "lang"),
)
# The layers that each layer may import, beside itself; each may import version.py, and the command lists api.py.
BELOW = {
    layer: {lower for level in LAYERS[at + 1 :] for lower in level}
    for at, level in enumerate(LAYERS)
    for layer in level
}
BELOW["redaction"] = {"lang"}
# The files that may import packages outside of the standard library, inside functions.
OPTIONAL = {
    ("lang", "yaml"): {"yaml"},
    ("test_kit", "fixtures"): {"pytest"},
    ("host", "units_watched"): {"jeepney"},
    ("nats", "connection"): {"nats"},
    ("nats", "credentials"): {"cryptography"},
    **{("resources", "scaffold", part): {"jinja2"} for part in ("jinja", "sandbox")},
    ("lang", "gotemplate", "sprig", "passwords"): {"bcrypt"},
    **{("lang", "gotemplate", "sprig", part): {"cryptography"} for part in ("certificates", "ciphers", "keys")},
}
FILES = sources()
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def name(path):
    return str(path.relative_to(ROOT))


def absolute_parts(path, level, module):
    """Return the parts, below the package, of the module of a relative import; None when it leaves the package."""
    package = parts_of(path) if path.name == "__init__.py" else parts_of(path)[:-1]
    up = level - 1
    if up > len(package):
        return None
    return package[: len(package) - up] + module


def layers_imported(path):
    """Return the layers that a file imports: the first part of each name, also of `from .. import model`."""
    found = set()
    for _node, level, module, names in imports(path):
        if level:
            target = absolute_parts(path, level, module)
            found.update([target[0]] if target else names)
    return found


def test_the_package_is_found():
    assert len(FILES) > 20
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(BELOW), "each layer has a row in LAYERS"


@pytest.mark.parametrize("layer", BELOW)
def test_a_layer_imports_only_lower_layers(layer):
    allowed = BELOW[layer] | {layer, "version"} | ({"api"} if layer == "cli" else set())
    wrong = {name(path): layers_imported(path) - allowed for path in sources(PACKAGE / layer)}
    assert {path: found for path, found in wrong.items() if found} == {}, f"{layer} may import only {sorted(allowed)}"


def test_the_package_imports_itself_relatively_and_nothing_but_the_standard_library():
    wrong = []
    for path in FILES:
        for node, level, module, _names in imports(path):
            if level:
                if absolute_parts(path, level, module) is None:
                    wrong.append(f"{name(path)}:{node.lineno} leaves the package")
            elif module[0] not in sys.stdlib_module_names | OPTIONAL.get(parts_of(path), set()):
                wrong.append(f"{name(path)}:{node.lineno} imports {'.'.join(module)}")
    assert wrong == []


def test_third_party_packages_are_imported_inside_functions():
    at_top = []
    for parts, packages in OPTIONAL.items():
        if packages == {"pytest"}:
            continue  # only pytest imports it
        path = PACKAGE.joinpath(*parts).with_suffix(".py")
        if path.exists():
            inside = lines_of_functions(path) | lines_for_the_type_checker(path)
            found = [node for node, _level, module, _names in imports(path) if module[:1] and module[0] in packages]
            at_top += [f"{name(path)}:{node.lineno}" for node in found if node.lineno not in inside]
    assert at_top == [], "these imports belong into functions: the package may be missing"


def lines_of_functions(path):
    """Return the lines of a file that run only when a function is called."""
    functions = [node for node in nodes(path) if isinstance(node, FUNCTIONS)]
    return {line for node in functions for line in range(node.lineno + 1, node.end_lineno + 1)}


def lines_for_the_type_checker(path):
    """Return the lines of a file that never run."""
    blocks = [node for node in nodes(path) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {line for node in blocks for line in range(node.body[0].lineno, node.body[-1].end_lineno + 1)}


def test_a_type_imports_no_other_type():
    wrong = []
    for kind in TYPE_NAMES:
        for path in sources(PACKAGE / "resources" / kind):
            for node, level, module, _names in imports(path):
                target = absolute_parts(path, level, module) if level else ()
                if target[:1] == ("resources",) and set(target[1:2]) & set(TYPE_NAMES) - {kind}:
                    wrong.append(f"{name(path)}:{node.lineno} imports {'.'.join(target)}")
    assert wrong == []


# Files where names of types have another meaning.
OTHER_MEANINGS = (
    "cli/arguments.py",  # kinds of flags
    "cli/help.py",
    "cli/registration.py",  # fields of registrations
    "data/registrations.py",
    "nats/registrations.py",
    "cli/root.py",  # commands
    "data/functions.py",  # functions of expressions and templates
    "data/gotemplates.py",
    "data/jet.py",
    "health/goss/",  # rules of goss
    "lint/calls.py",
    "cli/lint_formats.py",  # fields of positions
    "lint/finding.py",
    "manifest/origin.py",
    "model/flags.py",
    "model/errors.py",
    "model/builtin_words.py",  # words of other tools
    "model/foreign_words.py",
    "model/registration",
    "nats/contexts.py",  # fields of contexts
    "nats/options.py",  # options of nats-py
    "schema/properties.py",  # properties of these names
    "redaction/names.py",  # endings of names that are not secrets
)


@pytest.mark.parametrize("layer", sorted(set(BELOW) - {"host", "lang", "resources"}))
def test_no_type_is_named_outside_its_directory(layer):
    """A new type needs a directory, a module and a line in the list; no other code depends on its name."""
    wrong = []
    for path in sources(PACKAGE / layer):
        if str(path.relative_to(PACKAGE)).startswith(OTHER_MEANINGS):
            continue
        for node in nodes(path):
            words = []
            if isinstance(node, ast.Compare):
                words = [word for side in (node.left, *node.comparators) for word in ast.walk(side)]
            elif isinstance(node, ast.Dict):
                words = [word for key in node.keys if key for word in ast.walk(key)]
            elif isinstance(node, (ast.Tuple, ast.List, ast.Set)) and len(node.elts) > 1:
                words = node.elts
            named = [word.value for word in words if isinstance(word, ast.Constant) and word.value in TYPE_NAMES]
            wrong += [f"{name(path)}:{node.lineno} names {word}" for word in named]
        # Messages of tasks for one type are in the file of that type in ansible_tasks.
        annotations = lines_for_the_type_checker(path)
        for node, level, module, _names in imports(path) if layer != "ansible_tasks" else ():
            target = absolute_parts(path, level, module) if level else ()
            is_type = target[:1] == ("resources",) and set(target[1:2]) & set(TYPE_NAMES)
            if is_type and node.lineno not in annotations:
                wrong.append(f"{name(path)}:{node.lineno} imports {'.'.join(target)}")
    assert wrong == []


def test_files_are_short():
    """One subject for each file; languages may be longer than the 400 lines of other files."""
    lengths = {
        name(path): len(path.read_text("utf-8").splitlines()) for path in FILES if parts_of(path)[:1] != ("lang",)
    }
    long = {path: length for path, length in lengths.items() if length > 400}
    assert long == {}, "more than 400 lines: divide these files by subject"


def test_packages_have_an_empty_init_each():
    folders = {path.parent for path in FILES} | {path for path in PACKAGE.rglob("*") if any(path.glob("*.py"))}
    missing = [name(folder) for folder in folders if not (folder / "__init__.py").is_file()]
    full = [name(path) for path in FILES if path.name == "__init__.py" and path.stat().st_size]
    assert missing == [], "these folders need an empty __init__.py"
    assert full == [], "these files have to be empty"


# The functions that turn any error of one resource into a failed event and do not end the run.
BOUNDARIES = {
    "engine/transaction.py": {"transaction", "_manage"},
    "resources/installed.py": {"_loaded"},
    "resources/contract_checks.py": {"_checked"},
    "resources/declaration_checks.py": {"fault_of_declaration"},
    "engine/grouping.py": {"_members", "_batchable", "_act_on_batch", "_is_converged"},
    "engine/health_checks.py": {"run_health_checks"},
    "engine/state/cause.py": {"readable_state"},
}
# A thread stores an error for the thread that waits for it, which raises it again.
HANDED_OVER = (
    ("plugins/module_utils/host/call_threads.py", "errors.append(error)"),
    ("plugins/module_utils/host/commands.py", "self._error = error"),
    ("plugins/module_utils/engine/workers.py", "outcome = error"),
    ("plugins/module_utils/engine/watching/worker.py", "self._results.put(error)"),
)


def test_plugins_contain_no_assert_and_no_blind_except():
    """`assert` is removed by -O; a bare `except` hides defects. Both need explicit errors."""
    wrong = []
    for path in sources(PLUGINS):
        allowed = handlers_at_boundaries(path)
        for node in nodes(path):
            if isinstance(node, ast.Assert):
                wrong.append(f"{name(path)}:{node.lineno} assert")
            if isinstance(node, ast.Assign) and holds_everything(node.value):
                wrong.append(f"{name(path)}:{node.lineno} {ast.unparse(node.targets[0])} is everything")
            if isinstance(node, ast.ExceptHandler) and node.lineno not in allowed:
                caught = {word.id for word in ast.walk(node.type) if isinstance(word, ast.Name)} if node.type else {""}
                if caught & {"", "Exception", "BaseException"} and not (
                    raises_again(node) or (name(path), "\n".join(map(ast.unparse, node.body))) in HANDED_OVER
                ):
                    wrong.append(f"{name(path)}:{node.lineno} except {', '.join(sorted(caught)) or 'anything'}")
    assert wrong == []


def handlers_at_boundaries(path):
    """Return the lines of the `except` clauses in the functions of a file that may catch all exceptions."""
    functions = BOUNDARIES.get(str(path.relative_to(PACKAGE)), set()) if PACKAGE in path.parents else set()
    found = [node for node in nodes(path) if isinstance(node, ast.FunctionDef) and node.name in functions]
    missing = functions - {node.name for node in found}
    assert missing == set(), f"{name(path)} does not have these functions: correct BOUNDARIES in this file"
    return {node.lineno for function in found for node in ast.walk(function) if isinstance(node, ast.ExceptHandler)}


# State of the process: a run that changes it would change it for runs in other threads.
OF_THE_PROCESS = {"chdir", "fchdir", "umask", "putenv", "unsetenv", "setlocale", "tzset", "setrlimit", "nice"}
# Classes and tables of languages that are equal in each run, created on first use.
MADE_ONCE = {("lang", "yaml"), ("lang", "yamlwriting")}


def test_a_run_changes_nothing_of_its_process():
    """No working directory, no umask, no environment, and no variable of a module that a run sets."""
    wrong = []
    for path in FILES:
        # The process of the command is set up before a run begins.
        if parts_of(path) == ("cli", "main"):
            continue
        once = parts_of(path) in MADE_ONCE
        imports = [node for node in nodes(path) if isinstance(node, (ast.Import, ast.ImportFrom))]
        imported = {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}
        for node in nodes(path):
            # A property of a resource may have such a name.
            is_imported = isinstance(node, ast.Attribute) and ast.unparse(node.value).partition(".")[0] in imported
            if is_imported and node.attr in OF_THE_PROCESS:
                wrong.append(f"{name(path)}:{node.lineno} {ast.unparse(node)}")
            if isinstance(node, ast.Global) and not once:
                wrong.append(f"{name(path)}:{node.lineno} global {', '.join(node.names)}")
            targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else ()
            wrong += [
                f"{name(path)}:{node.lineno} {ast.unparse(target)}"
                for target in targets
                if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "os.environ"
            ]
    assert wrong == []


def holds_everything(value):
    """Return whether a value is a tuple that includes all exceptions."""
    entries = value.elts if isinstance(value, ast.Tuple) else ()
    return any(isinstance(entry, ast.Name) and entry.id in ("Exception", "BaseException") for entry in entries)


def raises_again(handler):
    """Return whether a handler only cleans up: its last statement is a bare `raise`."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_annotations_are_never_evaluated():
    late = "from __future__ import annotations"
    annotated = (ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign)
    files = [path for path in sources(PLUGINS) if late not in path.read_text("utf-8")]
    wrong = [name(path) for path in files if any(isinstance(node, annotated) for node in nodes(path))]
    assert wrong == [], f"these files need the line: {late}"


@pytest.mark.starts_processes
@pytest.mark.needs("python3.8")
def test_every_file_is_read_by_python_3_8(tmp_path):
    (tmp_path / "ccm").symlink_to(PACKAGE)
    modules = [".".join(("ccm", *parts_of(path))) for path in FILES]
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    command = ["python3.8", "-B", "-c", program, *modules]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=dict(PYTHON38_ENV, PYTHONPATH=str(tmp_path)),
    )
    assert done.returncode == 0, done.stderr[-2000:]


def modules_to_ship():
    return [path for path in sources(PLUGINS / "modules") if path.stat().st_size]


def test_a_module_sends_little_code():
    """Ansible sends all modules that a module can import with each task."""
    assert excess(shipped_sizes(), SHIPPED, "SHIPPED") == []


def test_a_module_of_one_type_cannot_reach_manifests():
    reached = {path.stem: {parts_of(part)[0] for part in shipped(path) if parts_of(part)} for path in modules_to_ship()}
    # Files that the controller parsed are sent in one form, the form of manifests.
    of_files = ("apply", "hiera_info")
    wrong = {stem: found & {"manifest", "cli"} for stem, found in reached.items() if stem not in of_files}
    assert {stem: found for stem, found in wrong.items() if found} == {}, "layers that these modules may not import"


# The lists of functions of languages and of families of facts: each imports the files of its folder that have such a
# name.
CATALOGUES = {
    "plugins/module_utils/host/facts/system.py": "{stem}_facts",
    "plugins/module_utils/lang/expr/catalogue.py": "FUNCTIONS",
    "plugins/module_utils/lang/gotemplate/sprig/catalogue.py": "FUNCTIONS",
}


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_catalogue_contains_its_imports(catalogue):
    """It imports files by computed names; import statements name them as well, so that Ansible sends them."""
    path = ROOT / catalogue
    wanted = CATALOGUES[catalogue]
    others = set(path.parent.glob("*.py")) - {path}
    listed = {file.stem for file in others if wanted.format(stem=file.stem) in defined(file)}
    named = {word for _node, level, module, names in imports(path) if (level, module) == (1, ()) for word in names}
    assert len(listed) >= 5
    assert named == listed, f"{catalogue} needs an import of each file that has {wanted}"


def defined(path):
    """Return the names of the functions and variables of a file."""
    found = set()
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(ast.unparse(target) for target in node.targets)
    return found


def test_the_list_of_types_has_each_folder():
    folders = {path.parent.name for path in (PACKAGE / "resources").glob("*/type.py")}
    assert folders == set(TYPE_NAMES), "resources/types.py lists each folder that has a type.py"


def test_a_module_of_another_collection_sends_no_type_of_ours():
    sent = {parts_of(path)[:2] for path in shipped(PACKAGE / "ansible_tasks/type_module.py")}
    assert sent & {("resources", kind) for kind in TYPE_NAMES} == set()


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_a_type_contains_imports_of_its_providers(name):
    """It imports providers by their names; import statements name them as well, so that Ansible sends them."""
    path = PACKAGE / "resources" / name / "type.py"
    named = [each for _node, level, module, names in imports(path) if (level, module) == (1, ()) for each in names]
    assert tuple(named) == required_type(name).provider_names, f"{path} needs an import of each of its providers"


def test_no_module_of_the_package_is_imported_by_a_computed_name():
    """Ansible sends modules that import statements name; others would be missing on the node."""
    found = [
        f"{name(path)}:{node.lineno}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Name) and node.id in ("import_module", "__import__")
    ]
    # Types and catalogues also name their modules in import statements. Of what the module apply sends in one piece,
    # which has the list of types and the kinds of rules, nothing can be missing. The commands are not sent. The
    # contract is imported under another name by a type, which Ansible finds. The other files import no module of this
    # package.
    lists = (
        "plugins/module_utils/model/resource.py",
        *CATALOGUES,
        "plugins/module_utils/resources/types.py",
        "plugins/module_utils/cli/root.py",
        "plugins/module_utils/health/goss/catalogue.py",
        "plugins/module_utils/resources/installed.py",
        "plugins/module_utils/resources/contract_names.py",
        "plugins/module_utils/ansible_tasks/sent_package.py",
    )
    files = ("host/archives/compressions.py", "host/digests.py", "lang/libyaml.py")
    allowed = (*(f"plugins/module_utils/{file}" for file in files), *lists)
    wrong = [place for place in found if not place.startswith(allowed)]
    assert wrong == [], "import by a statement, so that Ansible sends the module"


def test_no_module_needs_its_package_while_it_is_imported():
    """Python 3.9 sets `__package__` of a module in a zip file, as Ansible sends it, only after its import."""
    found = []
    for path in FILES:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.If)):
                names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
                found += [f"{path}:{statement.lineno}"] if "__package__" in names else []
    assert found == []
