# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The grasp of a pick is the same whether the candidates are solved in one batch or one by one."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.execute.contract import Call, Toolkit
from replan_agent.execute.grasping import Reach, choose_grasp
from replan_agent.motion.grasping.grasps import ShapeGrasps
from replan_agent.motion.planner import JointPlanner, planner_parts
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

CONFIG, START = Config(), np.array(HOME)
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
THINGS = ((Shape.BOX, (0.04, 0.04, 0.04)), (Shape.CYLINDER, (0.05, 0.05, 0.08)),
          (Shape.SPHERE, (0.05, 0.05, 0.05)), (Shape.BOX, (0.11, 0.024, 0.03)),
          (Shape.BOWL, (0.16, 0.16, 0.055)))


class OneByOne(JointPlanner):
    """Solves the targets one after the other."""

    def postures_of_each(self, targets, near):
        for target in targets:
            yield from super().postures_of_each([target], near)


def planner(kind: type[JointPlanner]) -> JointPlanner:
    return kind(**planner_parts(CONFIG, PANDA, MujocoCollisionChecker(PANDA)))


def cluttered(seed: int) -> Scene:
    """A thing within or beyond reach, and two walls close to it."""
    rng = np.random.default_rng(seed)
    shape, size = THINGS[seed % len(THINGS)]
    radius, bearing, yaw = rng.uniform((0.3, -0.8, -math.pi), (0.85, 0.8, math.pi))
    x, y = radius * math.cos(bearing), radius * math.sin(bearing)
    walls = []
    for k, (angle, gap) in enumerate(rng.uniform((-math.pi, 0.03), (math.pi, 0.09), (2, 2))):
        away = size[0] / 2 + gap
        walls.append(SceneObject(f'wall{k}', Shape.BOX, (0.02, 0.1, 0.12), Pose.from_rpy(
            x + away * math.cos(angle), y + away * math.sin(angle), 0.06, yaw=angle)))
    thing = SceneObject('thing', shape, size, Pose.from_rpy(x, y, size[2] / 2, yaw=yaw))
    arm = ArmSnapshot(HOME, planner(JointPlanner).forward(START), 0.04, at_home=True)
    return Scene('s', 0.0, (TABLE, thing, *walls), 'test', arm, None)


def choice(scene: Scene, motion: JointPlanner):
    grasps = ShapeGrasps(PANDA.hand)
    kit = Toolkit(SimpleNamespace(home=START), motion, grasps, None, CONFIG.motion,
                  CONFIG.workspace, PANDA)
    return choose_grasp(Call({'object': 'thing'}, scene, kit, Context(), lambda _: None), START)


@pytest.mark.parametrize('seed', range(15))
def test_a_batch_of_candidates_gives_the_grasp_that_one_by_one_gives(seed):
    scene = cluttered(seed)
    batch, single = choice(scene, planner(JointPlanner)), choice(scene, planner(OneByOne))
    assert type(batch) is type(single)
    if isinstance(batch, Reach):
        assert batch.grasp == single.grasp
        np.testing.assert_allclose(batch.descent.end, single.descent.end, atol=1e-9)
    else:
        assert (batch.reason, batch.evidence) == (single.reason, single.evidence)
