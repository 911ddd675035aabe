# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""SearchPlanner against a toy world that drops things: whatever happens, the task gets done."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import judge_all
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()
MakeScene = Callable[..., Scene]

CUBES = ('the red cube', 'the blue cube', 'the leftmost cube', 'the rightmost block')
COMMANDS = st.one_of(
    st.sampled_from(['go home', 'look', 'replan', 'open the gripper']),
    st.sampled_from(CUBES).map('pick up {}'.format),
    st.tuples(st.sampled_from((*CUBES, 'it')), st.sampled_from(['in the bowl', 'on the table',
              'on the green cube', 'at (0.3, 0.3)'])).map('put {0[0]} {0[1]}'.format),
)


@dataclass
class ToyWorld:
    """Does what a step says, at once; drops what it picked if `slips` says so."""

    scene: Scene
    slips: list[bool]
    _spots: itertools.count[int] = field(default_factory=itertools.count)

    def execute(self, step: Step) -> None:
        held = self.scene.held
        if step.skill == 'pick':
            assert held is None, f'{step.call} while holding {held}'
            slipped = bool(self.slips) and self.slips.pop()
            self._set(held=None if slipped else step.args['object'], at_home=False)
        elif step.skill in ('place_on', 'place_at'):
            if held is None:
                return  # it slipped: the skill would fail, here it does nothing
            self._put(held, step)
            self._set(held=None, at_home=False)
        elif step.skill == 'open_gripper':
            self._set(held=None, at_home=self.scene.arm is not None and self.scene.arm.at_home)
        elif step.skill == 'home':
            self._set(held=held, at_home=True)

    def _put(self, name: str, step: Step) -> None:
        target = self.scene.get(step.args.get('target', 'table'))
        assert target is not None and target.name != name
        if 'x' in step.args:
            x, y, z = step.args['x'], step.args['y'], 0.02
        elif target.name == 'table':
            x, y, z = 0.1 + 0.07 * (next(self._spots) % 8), 0.45, 0.02
        else:
            x, y = target.position[:2]
            z = 0.026 if target.is_container else target.top_z + 0.02
        objects = tuple(replace(o, pose=Pose((x, y, z))) if o.name == name else o
                        for o in self.scene.objects)
        self.scene = replace(self.scene, objects=objects)

    def _set(self, held: str | None, at_home: bool) -> None:
        assert self.scene.arm is not None
        arm = replace(self.scene.arm, at_home=at_home)
        self.scene = replace(self.scene, held=held, arm=arm)


def carry_out(task: str, world: ToyWorld) -> PlanReply:
    """The planner's last answer, after at most 12 plans."""
    completed: list[CompletedStep] = []
    for _ in range(12):
        reply = SearchPlanner(READER).plan(
            PlanRequest(task, world.scene, SKILLS, (), tuple(completed)), Context())
        if reply.kind is not ReplyKind.STEPS:
            break
        for step in reply.steps:
            if step.is_replan:
                break
            before = world.scene
            world.execute(step)
            if step.skill.startswith('place') and world.scene == before:
                break  # failed
            completed.append(CompletedStep(step, before.held))
    return reply


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(COMMANDS, min_size=1, max_size=4), slips=st.lists(st.booleans(),
       max_size=3), held=st.sampled_from([None, 'red_cube', 'green_cube']))
def test_every_task_is_done_in_the_end(commands: list[str], slips: list[bool], held: str | None,
                                       make_scene: MakeScene) -> None:
    world = ToyWorld(make_scene(held=held), slips)
    reply = carry_out(', then '.join(commands), world)
    assume(reply.kind is not ReplyKind.FAILED)  # ambiguous, or "it" without an object
    assert reply.kind is ReplyKind.DONE
    assert judge_all(reply.goals, world.scene) is not False
