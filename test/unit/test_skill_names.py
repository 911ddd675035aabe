"""A skill is described by its spec: nobody outside execute/ knows one by its name."""

from __future__ import annotations

import ast
from pathlib import Path

from replan_agent.execute.skills.standard import standard_skills

PACKAGE = Path(__file__).resolve().parents[2] / 'replan_agent'
NAMES = frozenset(standard_skills().names())

# Words that are something else there: verbs of a sentence, commands, predicates, rows of a table.
OTHER_MEANINGS = {
    'app/cli/main.py': {'look', 'pick'},  # a command; a suite of the benchmark
    'bench/all_suites.py': {'pick'},  # a suite
    'bench/suites/motion_rows.py': {'stack'},  # a row
    'bench/suites/motion_suite.py': {'pick'},  # a suite
    'domain/goal.py': {'home'},  # a predicate
    'plan/grammar.py': {'pick', 'place_at', 'home', 'look'},  # what a sentence asks for
    'vlm/scripted/scripted_rules.py': {'home', 'look', 'stack'},  # words of a task
}


def names_in(source: str) -> set[str]:
    """The skill names that stand in a source as strings of their own."""
    found = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)
             and isinstance(node.value, str)}
    return NAMES & found


def test_no_module_outside_execute_names_a_skill():
    found = {}
    for path in PACKAGE.rglob('*.py'):
        file = path.relative_to(PACKAGE).as_posix()
        named = names_in(path.read_text(encoding='utf-8')) - OTHER_MEANINGS.get(file, set())
        if named and not file.startswith('execute/'):
            found[file] = sorted(named)
    assert not found, f'ask for the effect of the skill (domain/skill_effect.py): {found}'


def test_a_name_is_found_however_it_is_written():
    assert names_in('if step.skill in ("pick", \'home\'): x = f"{look}"') == {'pick', 'home'}


def test_every_exception_is_still_one():
    for file, words in OTHER_MEANINGS.items():
        assert words == names_in((PACKAGE / file).read_text(encoding='utf-8')), file
