# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skill is described by its spec: nobody outside execute/ knows one by its name."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from our_sources import files

from replan_agent.execute.skills.standard import standard_skills

NAMES = frozenset(standard_skills().names())
SEARCHING = frozenset({'startswith', 'endswith', 'removeprefix', 'removesuffix', 'partition'})
SHORTEST_PART = 3  # letters

# Words that are something else there: verbs of a sentence, commands, predicates, rows of a table.
OTHER_MEANINGS = {
    'replan_agent_calibrate/calibrate_command.py': {'look'},
    'replan_agent_bench/bench_commands.py': {'pick'},  # a suite
    'replan_agent_bench/all_suites.py': {'pick'},  # a suite
    'replan_agent_bench/command.py': {'pick'},  # a suite
    'replan_agent_bench/suites/motion_rows.py': {'stack'},  # a row
    'replan_agent_bench/suites/motion_suite.py': {'pick'},  # a suite
    'replan_agent_bench/worlds/expectation.py': {'look', 'pull', 'push'},  # words of a table
    'replan_agent_bench/worlds/sentence_worlds.py': {'pull', 'push'},
    'replan_agent_bench/worlds/sentences.py': {'home'},
    'replan_agent_chance/chance_rows.py': {'pick', 'stack'},  # rows
    'replan_agent_chance/measure_command.py': {'stack'},
    'replan_agent_page/web/page_app.py': {'push'},  # what a person does
    'domain/goal.py': {'home'},  # a predicate
    'arms/franka.py': {'look'},  # postures of an arm
    'replan_agent_arms/arm_chain.py': {'home'},
    'replan_agent_arms/arm_check.py': {'look'},  # a mark beside a finding
    'replan_agent_arms/self_contact.py': {'home'},
    'replan_agent_arms/sidecar.py': {'home'},
    # words of a sentence
    'english/command_rules.py': {'home', 'look', 'pick', 'pull', 'stack'},
    'english/phrases.py': {'home', 'look', 'pick', 'stack'},
}


def names_in(source: str) -> set[str]:
    """The skill names in a source: strings of their own, and beginnings that are searched for."""
    nodes = [*ast.walk(ast.parse(source))]
    calls = [node for node in nodes if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHING]
    parts = {text for call in calls for argument in call.args for text in _texts(
        ast.walk(argument)) if len(text) >= SHORTEST_PART and any(text in name for name in NAMES)}
    return (NAMES & set(_texts(nodes))) | parts


def _texts(nodes: Iterable[ast.AST]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant)
            and isinstance(node.value, str)]


def test_no_module_outside_execute_names_a_skill():
    found = {}
    for file, path in files().items():
        named = names_in(path.read_text(encoding='utf-8')) - OTHER_MEANINGS.get(file, set())
        if named and not file.startswith('execute/'):
            found[file] = sorted(named)
    assert not found, f'ask for the effect of the skill (domain/skill_effect.py): {found}'


def test_a_name_is_found_however_it_is_written():
    assert names_in('if step.skill in ("pick", \'home\'): x = f"{look}"') == {'pick', 'home'}


def test_a_part_of_a_name_that_is_searched_for_is_found():
    assert names_in('step.skill.startswith(("place", "put"))') == {'place'}
    assert names_in('name.endswith("_on")') == {'_on'}
    assert names_in('path.startswith("re")') == set()


def test_every_exception_is_still_one():
    for file, words in OTHER_MEANINGS.items():
        assert words == names_in(files()[file].read_text(encoding='utf-8')), file
