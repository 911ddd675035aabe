# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sentences of docs/language.md give the goals that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from replan_agent_bench.worlds.sentence_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

PAGE = Path(__file__).parents[5] / 'docs' / 'language.md'
ROWS = re.findall(r'^\| `([^`]+)` \| `([^`]+)` \|$', PAGE.read_text(encoding='utf-8'), re.M)


def test_there_are_examples() -> None:
    assert len(ROWS) > 15


@pytest.mark.parametrize(('task', 'goals'), ROWS)
def test_an_example_of_the_page_has_its_goals(task: str, goals: str) -> None:
    request = PlanRequest(task, SCENES['tabletop'], standard_skills().specs())
    reply = SearchPlanner(build_reader()).plan(request, Context())
    assert ', '.join(map(str, reply.goals)) == goals
