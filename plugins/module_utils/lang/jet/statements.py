# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements as functions of the runtime. They write to it, and give what ``return`` in them gave, or None."""

from __future__ import annotations

from . import nodes
from .compiler import ExpressionCompiler
from .errors import JetError, Unplaced
from .indexing import assign, field, walked
from .runtime import TooDeep
from .values import MISSING, Boxed, CaughtError, is_true, printed, type_of, unboxed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

    from .compiler import Code
    from .runtime import Runtime

    #: Gives a target its value.
    Setter = Callable[[Runtime, Any], None]

_RETURNING = (nodes.Return, nodes.If, nodes.Range, nodes.Try, nodes.Include)


class Block:
    """A block, compiled: what it is called with and what it prints."""

    __slots__ = ("body", "compiler", "content", "context", "line", "parameters", "source")

    def __init__(self, compiler: Compiler, node: nodes.Block) -> None:
        self.compiler = compiler
        self.source = node
        self.line = node.line
        self.parameters = compiler.parameters(node.parameters)
        self.context = None if node.context is None else compiler.code(node.context)
        self.body = compiler.body(node.body)
        self.content = None if node.content is None else compiler.body(node.content)


class Compiler(ExpressionCompiler):
    """Makes code of the nodes of one template."""

    def body(self, found: list[nodes.Node]) -> Code:
        """Return the code of nodes one after the other; it gives the last value returned, or MISSING."""
        steps = []
        lets = careful = returning = False
        for node in found:
            builder = _BUILDERS.get(node.__class__)
            if builder is not None:
                steps.append(builder(self, node))
            if isinstance(node, nodes.Action):
                lets = lets or (node.assignment is not None and node.assignment.let)
            elif isinstance(node, _RETURNING):
                careful = careful or (returning and isinstance(node, nodes.Range))
                returning = True
        run = _careful(steps) if careful else _one_by_one(steps)
        return _scoped(run) if lets else run

    def parameters(self, given: list[nodes.Parameter]) -> list[Any]:
        """Return pairs of name and code of the value, None for no value."""
        return [(name, None if value is None else self.code(value)) for name, value in given]

    def _text(self, node: nodes.Text) -> Code:
        text = node.text
        return lambda runtime: runtime.out.append(text)

    def _placed(self, code: Any, line: int) -> Any:
        """Return shared code, or a shared setter, as one of this template and line."""
        name = self.name

        def placed(runtime: Runtime, *values: Any) -> Any:
            try:
                return code(runtime, *values)
            except Unplaced as fault:
                raise fault.placed(name, line) from None

        return placed

    def _action(self, node: nodes.Action) -> Code:
        shared = node.shared
        if shared is None:
            return self._of_action(node)
        if shared.code is None:
            shared.code = _SHARED._of_action(node)
        return self._placed(shared.code, node.line)

    def _of_action(self, node: nodes.Action) -> Code:
        prepare = None if node.assignment is None else self._assignment(node.assignment)
        if prepare is not None and not node.pipeline:
            return prepare
        pipeline = self.pipeline(node.pipeline)

        def action(runtime: Runtime) -> None:
            if prepare is not None:
                prepare(runtime)
            value = pipeline(runtime)
            if value.__class__ is str:
                runtime.out.append(value)
            elif value is not MISSING:
                runtime.out.append(printed(value))

        return action

    def _assignment(self, node: nodes.Assignment) -> Code:
        setters = [self._setter(target, node.let) for target in node.targets]
        if node.looks_up:
            return _looking_up(self.code(node.values[0]), setters)
        pairs = list(zip(setters, map(self.code, node.values)))

        def assigned(runtime: Runtime) -> None:
            for setter, value in pairs:
                setter(runtime, value(runtime))

        return assigned

    def _setter(self, target: nodes.Target, let: bool) -> Setter:
        if isinstance(target, nodes.Underscore):
            return lambda runtime, value: None
        if isinstance(target, nodes.Identifier):
            return _letter(target.name) if let else self._variable(target)
        if isinstance(target, nodes.Chain):
            return self._entry(target, self.code(target.base), target.names)
        return self._entry(target, lambda runtime: runtime.context, target.names)

    def _variable(self, target: nodes.Identifier) -> Setter:
        def set_variable(runtime: Runtime, value: Any) -> None:
            try:
                runtime.set(target.name, unboxed(value))
            except KeyError:
                raise self.fault(
                    target, f'could not assign "{target.name}" because variable "{target.name}" is uninitialised'
                ) from None

        return set_variable

    def _entry(self, target: nodes.Chain | nodes.Field, base: Code, names: list[str]) -> Setter:
        def set_entry(runtime: Runtime, value: Any) -> None:
            owner = base(runtime)
            try:
                for name in names[:-1]:
                    owner = field(owner, name)
                assign(owner, names[-1], value)
            except JetError as error:
                raise self.fault(target, error) from None

        return set_entry

    def _if(self, node: nodes.If) -> Code:
        branches = [self._branch(branch) for branch in node.branches]
        otherwise = None if node.otherwise is None else self.body(node.otherwise)

        def conditional(runtime: Runtime) -> Any:
            opened = 0
            result = None
            for prepare, let, condition, body in branches:
                if prepare is not None:
                    if let:
                        runtime.push()
                        opened += 1
                    prepare(runtime)
                if is_true(condition(runtime)):
                    result = body(runtime)
                    break
            else:
                if otherwise is not None:
                    result = otherwise(runtime)
            for _scope in range(opened):
                runtime.pop()
            return result

        return conditional

    def _branch(self, node: nodes.Branch) -> tuple[Code | None, bool, Code, Code]:
        assignment = node.head.assignment
        condition, *assigning = self._codes(node.head, Compiler._of_if)
        let = assignment is not None and assignment.let
        return assigning[0] if assigning else None, let, condition, self.body(node.body)

    def _codes(self, head: nodes.Head, make: Callable[[Compiler, nodes.Head], list[Any]]) -> list[Any]:
        """Return what ``make`` makes of a head: code of its expression, and what assigns."""
        shared = head.shared
        if shared is None:
            return make(self, head)
        if shared.code is None:
            shared.code = make(_SHARED, head)
        return [self._placed(code, head.line) for code in shared.code]

    def _of_if(self, head: nodes.Head) -> list[Any]:
        assigning = [] if head.assignment is None else [self._assignment(head.assignment)]
        return [self.code(head.value), *assigning]

    def _of_range(self, head: nodes.Head) -> list[Any]:
        over, assignment = self.code(head.value), head.assignment
        if assignment is None:
            return [over]
        return [over, *(self._loop_setter(target, assignment.let) for target in assignment.targets)]

    def _range(self, node: nodes.Range) -> Code:
        assignment = node.head.assignment
        let = assignment is not None and assignment.let
        over, *setters = self._codes(node.head, Compiler._of_range)
        body = self.body(node.body)
        otherwise = None if node.otherwise is None else self.body(node.otherwise)

        def loop(runtime: Runtime) -> Any:
            returned, runtime.returned = runtime.returned, MISSING
            context = runtime.context
            value = over(runtime)
            if let:
                runtime.push()
            result = None
            pairs = self._pairs(node, value)
            for key, entry in pairs:
                if returned is not MISSING:
                    break
                if setters:
                    setters[0](runtime, key)
                if len(setters) > 1:
                    setters[1](runtime, entry)
                else:
                    runtime.context = entry
                result = returned = body(runtime)
            else:
                if result is None and otherwise is not None:
                    result = otherwise(runtime)
            runtime.context = context
            if let:
                runtime.pop()
            return result

        return loop

    def _pairs(self, node: nodes.Range, value: Any) -> Iterator[Any]:
        try:
            return walked(value)
        except JetError as error:
            raise self.fault(node, error) from None

    def _loop_setter(self, target: nodes.Target, let: bool) -> Setter:
        if isinstance(target, nodes.Underscore) and let:
            return _letter("_")
        return self._setter(target, let)

    def _try(self, node: nodes.Try) -> Code:
        body = self.body(node.body)
        catch = None if node.catch is None else self._catch(node.catch)

        def attempt(runtime: Runtime) -> Any:
            out, depth = runtime.out, runtime.depth
            runtime.out = []
            try:
                result = body(runtime)
            except TooDeep:
                raise
            except JetError as error:
                runtime.out, runtime.depth = out, depth
                return MISSING if catch is None else catch(runtime, error)
            out.extend(runtime.out)
            runtime.out = out
            return result

        return attempt

    def _catch(self, node: nodes.Catch) -> Callable[[Runtime, JetError], Any]:
        name, body = node.name, self.body(node.body)

        def catch(runtime: Runtime, error: JetError) -> Any:
            if not name:
                return body(runtime)
            runtime.push()
            runtime.scope.variables[name] = CaughtError(str(error))
            result = body(runtime)
            runtime.pop()
            return result

        return catch

    def _block(self, node: nodes.Block) -> Code:
        name, own = node.name, Block(self, node)

        def block(runtime: Runtime) -> None:
            found = runtime.block(name) or own
            yield_block(runtime, found, found.parameters, found.context, found.content)

        return block

    def _yield(self, node: nodes.Yield) -> Code:
        context = None if node.context is None else self.code(node.context)
        name = node.name
        if not name:
            return lambda runtime: None if runtime.content is None else runtime.content(runtime, context)
        parameters = self.parameters(node.parameters)
        content = None if node.content is None else self.body(node.content)

        def yielding(runtime: Runtime) -> None:
            found = runtime.block(name)
            if found is None:
                raise self.fault(node, f'unresolved block "{name}"!')
            yield_block(runtime, found, parameters, context, content)

        return yielding

    def _include(self, node: nodes.Include) -> Code:
        name, context = self.code(node.name), None if node.context is None else self.code(node.context)

        def include(runtime: Runtime) -> Any:
            path = name(runtime)
            if not isinstance(path, str):
                reason = "evaluating name of template to include: "
                if path is MISSING:
                    raise self.fault(node, reason + "name is not a valid value")
                raise self.fault(node, f'{reason}unexpected expression type "{type_of(path)}"')
            try:
                template = runtime.templates.beside(path, self.name)
            except JetError as error:
                raise self.fault(node, error) from None
            return runtime.run(template, context)

        return include

    def _return(self, node: nodes.Return) -> Code:
        value = self.code(node.value)

        def returning(runtime: Runtime) -> Any:
            found = value(runtime)
            return Boxed(None) if found is None else found

        return returning


class _SharedCompiler(Compiler):
    """Makes code of actions that templates share."""

    def _at(self, line: int, reason: str) -> JetError:
        return Unplaced(reason, line > 0)


_SHARED = _SharedCompiler("")


def _one_by_one(steps: list[Code]) -> Code:
    if len(steps) == 1:
        only = steps[0]

        def run_one(runtime: Runtime) -> Any:
            result = only(runtime)
            return MISSING if result is None else result

        return run_one

    def run(runtime: Runtime) -> Any:
        returned: Any = MISSING
        for step in steps:
            result = step(runtime)
            if result is not None:
                returned = result
        return returned

    return run


def _careful(steps: list[Code]) -> Code:
    """Return code that lets each loop know that something was returned before it: it does not begin then."""

    def run(runtime: Runtime) -> Any:
        returned: Any = MISSING
        for step in steps:
            runtime.returned = returned
            result = step(runtime)
            if result is not None:
                returned = result
        runtime.returned = MISSING
        return returned

    return run


def _scoped(run: Code) -> Code:
    def scoped(runtime: Runtime) -> Any:
        runtime.push()
        try:
            return run(runtime)
        finally:
            runtime.pop()

    return scoped


def _letter(name: str) -> Setter:
    """Return what sets a variable of the innermost scope."""

    def let(runtime: Runtime, value: Any) -> None:
        runtime.scope.variables[name] = unboxed(value)

    return let


def _looking_up(value: Code, setters: list[Setter]) -> Code:
    def looked_up(runtime: Runtime) -> None:
        found = value(runtime)
        setters[0](runtime, found)
        setters[1](runtime, found is not MISSING)

    return looked_up


def yield_block(runtime: Runtime, block: Block, given: list[Any], context: Code | None, content: Code | None) -> None:
    """Print a block with parameters, a context, and what ``yield content`` in it prints. Raises JetError."""
    runtime.enter()
    scoped = bool(given or block.parameters)
    if scoped:
        runtime.push()
        _bind(runtime, block, given)
    outer = runtime.content
    if content is not None:
        runtime.content = _content(content, runtime.scope, outer)
    if context is None:
        block.body(runtime)
    else:
        previous = runtime.context
        runtime.context = context(runtime)
        block.body(runtime)
        runtime.context = previous
    runtime.content = outer
    if scoped:
        runtime.pop()
    runtime.depth -= 1


def _bind(runtime: Runtime, block: Block, given: list[Any]) -> None:
    variables = runtime.scope.variables
    for at, (name, value) in enumerate(given):
        if value is None:
            declared = block.parameters[at][0] if at < len(block.parameters) else name
            raise block.compiler.fault(block.source, f"missing name for block parameter '{declared}'")
        variables[name] = unboxed(value(runtime))
    for name, default in block.parameters:
        if name not in variables:
            variables[name] = False if default is None else unboxed(default(runtime))


def _content(body: Code, scope: Any, outer: Any) -> Any:
    """Return what ``yield content`` runs: the body, in the scope and with the content of where it was written."""

    def run(runtime: Runtime, context: Code | None) -> None:
        runtime.enter()
        around, content = runtime.scope, runtime.content
        runtime.scope, runtime.content = scope, outer
        if context is None:
            body(runtime)
        else:
            previous = runtime.context
            runtime.context = context(runtime)
            body(runtime)
            runtime.context = previous
        runtime.scope, runtime.content = around, content
        runtime.depth -= 1

    return run


_BUILDERS: dict[type, Any] = {
    nodes.Text: Compiler._text,
    nodes.Action: Compiler._action,
    nodes.If: Compiler._if,
    nodes.Range: Compiler._range,
    nodes.Try: Compiler._try,
    nodes.Block: Compiler._block,
    nodes.Yield: Compiler._yield,
    nodes.Include: Compiler._include,
    nodes.Return: Compiler._return,
}
