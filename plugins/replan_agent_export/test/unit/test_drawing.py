# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of scenes, plans and grasps."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from replan_agent_export.drawing import DrawnKind, grasp_shape, plan_shapes, scene_shapes

from replan_agent.arms.franka import PANDA
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import COLOURS, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.motion.grasping.grasps import ShapeGrasps

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.4, -0.3, 0.03)))
SCENE = Scene('s', 1.5, (CUBE, BOWL), 'test', frame='fr3_link0')
PLAN = Plan(1, 'put it in the bowl', (Step(1, 'pick', {'object': 'red_cube'}),
                                      Step(2, 'place_in', {'container': 'bowl'}),
                                      Step(3, 'look')), (), PlanCause.INITIAL, None, 's', 'test')


def test_a_thing_has_its_shape_its_colour_and_its_name_above_it() -> None:
    body, name, bowl, _ = scene_shapes(SCENE)
    assert body.kind is DrawnKind.BOX and body.size == CUBE.size and body.colour == COLOURS['red']
    assert name.text == 'red_cube' and name.pose.position[2] > CUBE.top_z
    assert bowl.kind is DrawnKind.CYLINDER and bowl.colour == COLOURS['grey']


def test_a_plan_is_a_numbered_way_above_the_things_that_it_names() -> None:
    first, second, way = plan_shapes(PLAN, SCENE)
    assert [first.text, second.text] == ['1 pick', '2 place_in']
    assert way.kind is DrawnKind.PATH and [point[:2] for point in way.points] == [
        (0.5, 0.1), (0.4, -0.3)]
    assert way.points[0][2] > CUBE.top_z


def test_a_point_is_drawn_whatever_its_arguments_are_called() -> None:
    drop = SkillSpec('drop', '', {}, effect=Effect(EffectKind.PUT_AT, x='ahead', y='aside'))
    plan = replace(PLAN, steps=(Step(1, 'drop', {'ahead': 0.3, 'aside': 0.2}),))
    assert [one.text for one in plan_shapes(plan, SCENE, (drop,))] == ['1 drop']


def test_grasps_are_forks_as_wide_as_the_fingers_open() -> None:
    grasps = list(ShapeGrasps(PANDA.hand).candidates(CUBE, SCENE))
    first = grasps[0]
    fork = grasp_shape(first.kind.value, first.tcp, first.opening, first.tier).points
    assert len(fork) == 8
    assert math.dist(fork[1], fork[3]) == pytest.approx(first.opening)
