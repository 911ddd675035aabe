# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences are for people: no code compares or searches a detail or a description to decide.

Read from the source. What is built from a sentence (a list, an f-string, what a function of the
same file returns) is one, too; what hangs on it as another attribute is not.

One function reads a sentence, because there is nothing else to read: `stop_in_text` of
ros/arm/self_stops.py. A driver says only in the text of an aborted motion that the arm
stopped itself. The words of a model's server (`ModelError.said`) are not a sentence of ours.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from our_sources import files

PRESENTED = ('app/terminal/', 'app/cli/', 'approve/console_approver.py', 'approve/terminal.py',
             'replan_agent_bench/worlds/expectation.py')  # judges whether a reply asks something

NAMES = frozenset({'detail', 'reason_detail', 'final_detail'})
ATTRIBUTES = NAMES | {'description', 'error_string'}
SEARCHING = frozenset({
    'startswith', 'endswith', 'find', 'rfind', 'index', 'rindex', 'count', 'split', 'rsplit',
    'partition', 'rpartition', 'removeprefix', 'removesuffix', 'splitlines'})  # fmt: skip
LOOKING_UP = frozenset({
    'search', 'match', 'fullmatch', 'findall', 'finditer', 'index', 'count', 'get', 'remove',
    'intersection', 'isdisjoint', 'issubset', 'issuperset'})  # fmt: skip
MAKERS = frozenset({'failed', 'succeeded', 'replace', 'precondition', 'unverified'})
SETS = (ast.BitAnd, ast.BitXor, ast.Sub)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Sentences:
    """Which expressions of a file hold a sentence."""

    def __init__(self, tree: ast.AST) -> None:
        self.tellers: set[str] = set()  # functions of the file that return one
        functions = [n for n in ast.walk(tree) if isinstance(n, Function)]
        known = -1
        while known != len(self.tellers):
            known = len(self.tellers)
            self.tellers |= {f.name for f in functions if self._tells(f)}

    def _tells(self, function: Function) -> bool:
        names = self.names_in(function)
        return any(isinstance(n, ast.Return) and n.value and self.holds(n.value, names)
                   for n in _own(function))

    def names_in(self, scope: ast.AST) -> set[str]:
        """The variables of a scope that hold a sentence."""
        names, known, own = set(NAMES), -1, [*_own(scope)]
        while known != len(names):
            known = len(names)
            for node in own:
                match node:
                    case ast.Assign(targets=targets, value=value):
                        self._bind(targets, value, names)
                    case ast.AugAssign(target=target, value=value) | ast.NamedExpr(
                            target=target, value=value) | ast.AnnAssign(
                            target=target, value=ast.expr() as value):
                        self._bind([target], value, names)
                    case ast.For(target=target, iter=source) | ast.comprehension(
                            target=target, iter=source):
                        self._bind([target], source, names)
        return names

    def _bind(self, targets: list[ast.expr], value: ast.expr, names: set[str]) -> None:
        """Name by name where a tuple is taken apart, so that only what is one counts."""
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(
                    target.elts) == len(value.elts):
                for one, its in zip(target.elts, value.elts):
                    self._bind([one], its, names)
            elif isinstance(target, ast.Name) and self.holds(value, names):
                names.add(target.id)

    def holds(self, node: ast.AST, names: set[str]) -> bool:
        match node:
            case ast.Attribute(attr=attr):
                return attr in ATTRIBUTES
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                return key in NAMES or self.holds(node.value, names)
            case ast.Name(id=name):
                return name in names
            case ast.Call(func=ast.Name(id=name)) if name in self.tellers:
                return True
            case ast.Call(func=ast.Name(id='len' | 'isinstance' | 'bool')):
                return False
            case ast.Call(func=ast.Name(id=name)) if name[:1].isupper() or name in MAKERS:
                return False  # a value that carries the sentence on
            case ast.Call(func=func, args=args, keywords=keywords):
                own = func.value if isinstance(func, ast.Attribute) else func
                parts = [own, *args, *(k.value for k in keywords)]
                return any(self.holds(part, names) for part in parts)
            case ast.IfExp(body=body, orelse=orelse):
                return self.holds(body, names) or self.holds(orelse, names)
            case ast.Compare() | ast.Lambda() | ast.Constant():
                return False
        return any(self.holds(child, names) for child in ast.iter_child_nodes(node))


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions inside it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            yield from _own(child)


def readings(source: str, file: str = 'x.py') -> list[str]:
    """Where `source` reads a sentence to decide something: `file:line what`."""
    if not any(name in source for name in ATTRIBUTES):
        return []
    tree = ast.parse(source)
    sentences = Sentences(tree)
    scopes = [tree, *(n for n in ast.walk(tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef)))]
    found = []
    for scope in scopes:
        names = sentences.names_in(scope)
        found += [f'{file}:{node.lineno} {ast.unparse(node)}' for node in _own(scope)
                  if isinstance(node, (ast.expr, ast.stmt)) and _reads(node, names, sentences)]
    return found


def _reads(node: ast.AST, names: set[str], sentences: Sentences) -> bool:
    def holds(part: ast.AST) -> bool:
        return sentences.holds(part, names)

    match node:
        case ast.Compare(left=left, ops=ops, comparators=right):
            identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in ops)
            return not identity and any(map(holds, (left, *right)))
        case ast.Call(func=ast.Attribute(attr=attr, value=value), args=args):
            return (attr in SEARCHING and holds(value)) or (
                attr in LOOKING_UP and any(map(holds, args)))
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, SETS):
            return holds(left) or holds(right)
        case ast.Subscript(slice=key) if not isinstance(key, (ast.Slice, ast.Constant)):
            return holds(key)
        case ast.Match(subject=subject):
            return holds(subject)
    return False


def test_no_code_reads_a_sentence_to_decide() -> None:
    found = [reading for file, path in files().items() if not file.startswith(PRESENTED)
             for reading in readings(path.read_text('utf-8'), file)]
    assert not found, '\n' + '\n'.join(found)


@pytest.mark.parametrize('source', [
    "'already' in attempt.reason_detail",
    "'unreachable' in result.final_detail and not result.success",
    "'its joints are' in done.detail",
    'end.detail != result.final_detail',
    "named = [o for o in objects if o['name'] in failed[-1]['reason_detail']]",
    'done = action.description in rest',
    'at = rest.index(action.description)',
    'def f(case):\n    detail = case.attempt.reason_detail\n'
    '    return next(c for words, c in known.items() if words in detail)',
    "def f(answer):\n    text = answer.result.error_string\n    return text.startswith('stopped')",
    'def f(case):\n    told = [case.attempt.reason_detail, *tried]\n'
    "    return [w for text in told for w in re.findall(r'\\w+', text)]",
    "def f(view):\n    said = [view.task]\n    said += [f'{a.reason_detail}' for a in view.all]\n"
    "    words = _words(' '.join(said))\n    return [o for o in things if words & _words(o)]",
    'def _outcome(record):\n    return f"{record.reason} {record.result.reason_detail}"\n'
    'def f(a, b):\n    return _outcome(a) == _outcome(b)',
    "def f(view):\n    told = [' '.join([a.reason_detail, *a.args]) for a in view.attempts]\n"
    '    return any(word in text for text in told for word in names)',
    "def f(end, problem):\n    end.detail += problem if problem not in end.detail else ''",
    'PATTERN.search(outcome.detail)',
    'match done.detail:\n    case "stopped":\n        pass',
    'CAUSES[result.reason_detail]',
    'CAUSES.get(result.reason_detail)',
])
def test_a_decision_by_a_sentence_is_found(source: str) -> None:
    assert readings(source)


@pytest.mark.parametrize('source', [
    "raise ValueError(f'{result.reason}: {result.reason_detail}')",
    "text = '; '.join(problem.detail for problem in problems)",
    "said = answer.detail or 'no detail'",
    'if not success and not reason_detail:\n    raise ValueError',
    'problem = denied.detail\nif problem:\n    warn(problem)',
    'result = failed(outcome.reason, outcome.detail)\nif result.reason == reason:\n    pass',
    'seen = [a for a in attempts if a.cause is Cause.HELD_UP]',
    'row = Failed(a.skill, a.reason, a.reason_detail)\nsame = row.reason == reason',
    "told['reason_detail'] = clipped(attempt.reason_detail)",
])
def test_what_only_tells_is_no_decision(source: str) -> None:
    assert readings(source) == []
