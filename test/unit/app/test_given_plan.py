# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plan of the caller: given once, and never replaced by another one."""

from __future__ import annotations

from typing import Any

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.own_planner import given_plan
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)), 'red')
SCENE = Scene('s', 0.0, (CUBE,), 'fake', hand=PANDA.hand)
PICK = Step(1, 'pick', {'object': 'red_cube'})


def replies(task: str, *known: dict[str, Any]) -> list[PlanReply]:
    """The answers of one planner to requests with these facts, one after the other."""
    planner = given_plan([PICK], build_reader())
    return [planner.plan(PlanRequest(task, SCENE, standard_skills().specs(), **facts), Context())
            for facts in known]


def test_the_steps_are_given_once_with_the_goal_in_the_words_of_the_task() -> None:
    (first,) = replies('pick up the red cube', {})
    assert first.steps == (PICK,) and first.goals == (Goal(Predicate.HOLDING, 'red_cube'),)


def test_after_a_failure_it_gives_up_and_says_why() -> None:
    failure = Attempt(0, 'pick', {}, 'unreachable', '0.2 m too far')
    _, second = replies('go', {}, {'prior_attempts': (failure,)})
    assert second.kind is ReplyKind.GIVE_UP and '0.2 m too far' in second.detail


def test_without_a_failure_it_is_done_when_something_was_done() -> None:
    _, second = replies('go', {}, {'completed': (CompletedStep(PICK),)})
    assert second.kind is ReplyKind.DONE


def test_a_plan_that_a_person_wants_changed_is_given_up() -> None:
    _, second = replies('go', {}, {})
    assert second.kind is ReplyKind.GIVE_UP


@pytest.mark.parametrize('wrong', [[], ['pick'], [PICK, {'skill': 'home'}]])
def test_what_is_no_list_of_steps_is_refused(wrong: list[Any]) -> None:
    with pytest.raises(ConfigError, match='must be a list of Steps'):
        given_plan(wrong, build_reader())
