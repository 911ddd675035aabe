# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a sentence is about: every thing that it means, and no other. See the table of that name.

config/sentences/read_otherwise.txt holds the sentences whose goals say all of it.
"""

from __future__ import annotations

from dataclasses import replace

from replan_agent_bench.worlds.sentence_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, Step
from replan_agent.domain.pose import Pose
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()


def planned(task: str, scene: str) -> PlanReply:
    return SearchPlanner(build_reader()).plan(PlanRequest(task, SCENES[scene], SKILLS), Context())


def picks(reply: PlanReply) -> list[str]:
    return [step.args['object'] for step in reply.steps if step.skill == 'pick']


def test_no_cube_on_another_is_about_every_cube() -> None:
    assert sorted(picks(planned('no cube should be on another cube', 'blocks'))) == [
        'blue_cube', 'white_cube', 'yellow_cube']


def test_what_is_in_a_container_is_not_stacked() -> None:
    assert 'blue_ball' not in picks(planned('unstack everything', 'blocks'))


def test_a_tower_that_should_stay_stays_as_a_whole() -> None:
    reply = planned("don't touch the tower, put the yellow cube in the bowl", 'tower')
    assert reply.left_alone == ('blue_cube', 'green_cube', 'red_cube')


def test_a_few_can_be_moved_though_the_rest_should_stay() -> None:
    reply = planned('put two fruits in the bowl and leave the rest', 'fruit')
    assert len(picks(reply)) == 2
    assert reply.left_alone == ('bowl',)


def test_what_goes_back_into_a_bowl_still_does_so_in_a_new_plan() -> None:
    task = 'pick up the red ball, put it in the bin and then put it back'
    first = planned(task, 'loaded')
    scene = SCENES['loaded']  # the ball slipped on its way back, and lies on the table
    fell = replace(scene, objects=tuple(
        replace(o, pose=Pose((0.45, -0.1, 0.02))) if o.name == 'red_ball' else o
        for o in scene.objects))
    done = (CompletedStep(Step(1, 'pick', {'object': 'red_ball'})),
            CompletedStep(Step(2, 'place_on', {'target': 'bin'}), 'red_ball'))
    again = SearchPlanner(build_reader()).plan(PlanRequest(task, fell, SKILLS, (), done, replan=1,
                                             goals=first.goals), Context())
    assert [str(goal) for goal in again.goals] == ['in(red_ball, bowl)']
    assert again.steps[-1].args == {'target': 'bowl'}
