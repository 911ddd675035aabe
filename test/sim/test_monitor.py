# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plan monitor on real physics: it stops a plan that undoes work, and holds up no other."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from replan_agent_bench.scripted.scripted_answers import answer
from replan_agent_bench.scripted.scripted_server import MODEL, FakeModelServer
from rich.console import Console

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.domain.scene import Shape
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

BOTH = 'put the red cube in the bowl then put the blue cube in the bowl'


def thing(name, x, y, z=None, size=0.04, shape=Shape.BOX):
    colour = Colour.named(name.split('_')[0])
    return ObjectSpec(name, shape, (size, size, size), colour, (x, y, z))


RED, BLUE = thing('red_cube', 0.45, 0.15), thing('blue_cube', 0.5, -0.05, size=0.05)
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                  (0.55, -0.25, None), mass=0.25)
RED_IN_BOWL = thing('red_cube', 0.55, -0.25, 0.03)
GOALS = [{'predicate': 'in', 'object': name, 'target': 'bowl'}
         for name in ('red_cube', 'blue_cube')]
UNDOING = [('set_goal', {'goals': GOALS}),
           ('suggest_plan', {'goals': [{'text': 'red away', 'done_when': GOALS[0]},
                                       {'text': 'make room for blue'},
                                       {'text': 'blue away', 'done_when': GOALS[1]}]}),
           ('pick', {'object': 'red_cube'}), ('place_on', {'target': 'table'}),
           ('pick', {'object': 'blue_cube'}), ('place_on', {'target': 'bowl'})]


def test_a_model_that_undoes_work_is_stopped_before_the_arm_moves():
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    asked: list = []

    def careless_at_first(request):
        asked.append((sim.world.time, str(request['messages'])))
        return UNDOING if len(asked) == 1 else answer(request)

    with FakeModelServer(rules=careless_at_first) as model:
        config = load_config()
        config = replace(config, planner='vlm', vlm=replace(
            config.vlm, model=MODEL, base_url=model.base_url, images=False))
        sim = Simulation(SceneSpec('test', objects=(RED_IN_BOWL, BLUE, BOWL)), config=config)
        result = sim.agent(MemoryRecorder()).run(BOTH)
    assert result.success, result.final_detail
    (_, _), (moved_at, text) = asked
    assert moved_at == 0.0 and 'in(red_cube, bowl) is not true' in text
    assert [(r.step.skill, r.step.args.get('object')) for r in result.steps] == [
        ('pick', 'blue_cube'), ('place_on', None)]
    assert [(str(g.goal), g.done) for g in result.suggested_plan.goals] == [
        ('in(red_cube, bowl)', True), ('in(blue_cube, bowl)', True)]


@pytest.mark.parametrize(('objects', 'task'), [
    ((RED, BLUE, BOWL), BOTH),
    ((RED, BLUE), 'stack the red cube on the blue cube then put the red cube on the table'),
    ((RED, BLUE, BOWL), 'pick up the red cube, place it at (0.4, 0.3), then put the blue cube in '
     'the bowl'),
    ((thing('red_cube', 1.2, 0.0),), 'pick up the red cube'),
], ids=['two in a bowl', 'stack and unstack', 'put down and take another', 'out of reach'])
def test_tasks_that_are_planned_soundly_are_left_alone(objects, task):
    sim, recorder = Simulation(SceneSpec('test', objects=objects)), MemoryRecorder()
    result = sim.agent(recorder).run(task)
    assert 'guidance_given' not in [e.kind for e in recorder.events] and not result.guidance
    assert result.suggested_plan is not None


def test_the_console_shows_the_progress_of_the_suggested_plan():
    out = StringIO()
    sim = Simulation(SceneSpec('test', objects=(RED_IN_BOWL, BLUE, BOWL)))
    sim.agent(ConsoleRecorder(Console(file=out, width=200))).run(BOTH)
    lines = [x for x in out.getvalue().splitlines() if x.startswith('PROGRESS:')]
    assert lines == [
        'PROGRESS: step 2 of 2 of the suggested plan: the blue cube should be in '
        'the bowl',
        'PROGRESS: all 2 goals of the suggested plan are met']
