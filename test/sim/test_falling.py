"""Nothing is dropped off the table and reported as done."""

from __future__ import annotations

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

CUBE = ObjectSpec('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'),
                  (0.40, 0.55, None))


def test_a_place_beside_the_table_ends_the_task_before_anything_moves():
    sim = Simulation('tabletop')
    result = sim.run('pick up the red cube, then place it at -0.4, 0.3')
    assert not result.success and not result.steps
    assert 'it would fall' in result.final_detail
    cube = sim.scene.get('red_cube')
    assert cube is not None and cube.position[2] > 0


def test_a_push_over_the_edge_is_refused():
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left', 'distance': 0.2})
    sim = Simulation(SceneSpec('edge', objects=(CUBE,)), planner=lambda request, ctx: [push],
                     max_replans=0)
    result = sim.run('push the red cube left by 20 cm')
    assert not result.success and not result.steps
    cube = sim.scene.get('red_cube')
    assert cube is not None and cube.position[2] > 0
