"""VAMP's paths are used if our own check finds them free; otherwise the built-in search plans.

`StandIn` speaks the part of VAMP's interface (0.6.4) that the plug-in uses. The last test needs
the real one.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from replan_agent_vamp.vamp_planner import SPARES_M, VampPlanner, vamp_planner
from replan_agent_vamp.vamp_search import VampSearch

from replan_agent.app.build.build_planner import MotionParts
from replan_agent.domain.config import Config, ConfigError, MotionConfig, RobotConfig
from replan_agent.domain.context import Context
from replan_agent.domain.franka import HOME
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import franka_parts
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

START, GOAL = (np.array([turn, *HOME[1:]]) for turn in (-0.6, 0.6))
ABOVE = np.array([0.0, -0.9, 0.0, -1.6, 0.0, 1.4, HOME[6]])  # over the post
POST = SceneObject('post', Shape.BOX, (0.06, 0.06, 0.55), Pose((0.307, 0, 0.275)), movable=False)
BALL = SceneObject('ball', Shape.SPHERE, (0.05, 0.05, 0.05), Pose((0.0, -0.6, 0.1)))
SCENE = Scene('scene-1', 0.0, (POST, BALL), 'test')
CONFIG = Config(motion=MotionConfig(0.5, 0.5, collision_clearance=0.005))


class StandIn:
    """VAMP's interface, with one path in mind. To it, all postures are free but `wrong`."""

    def __init__(self, between: list[np.ndarray] | None,
                 wrong: tuple[np.ndarray, ...] = ()) -> None:
        self.between, self.wrong = between, wrong
        self.worlds: list[Any] = []
        self.asked: list[tuple[list[float], list[list[float]]]] = []

    def configure_robot_and_planner_with_kwargs(self, arm: str, search: str) -> tuple[Any, ...]:
        assert (arm, search) == ('panda', 'rrtc')
        robot = SimpleNamespace(halton=lambda: 'samples', validate=self._validate,
                                simplify=lambda path, *rest: SimpleNamespace(path=path))
        return robot, self._plan, SimpleNamespace(max_iterations=0), 'smoothing'

    def Environment(self) -> Any:  # noqa: N802 as VAMP calls it
        things: list[Any] = []
        self.worlds.append(things)
        return SimpleNamespace(add_cuboid=things.append, add_sphere=things.append)

    def Cuboid(self, centre: list[float], turn: list[float], half: list[float]) -> Any:  # noqa: N802
        return 'box', centre, half

    def Sphere(self, centre: list[float], radius: float) -> Any:  # noqa: N802
        return 'ball', centre, radius

    def _validate(self, joints: list[float], world: Any) -> bool:
        return not any(np.allclose(joints, end, atol=1e-6) for end in self.wrong)

    def _plan(self, start: list[float], goals: list[list[float]], world: Any, settings: Any,
              samples: Any) -> Any:
        self.asked.append((start, goals))
        if self.between is None:
            return SimpleNamespace(solved=False)
        path = np.array([start, *self.between, goals[-1]], dtype=np.float32)
        return SimpleNamespace(solved=True, path=SimpleNamespace(numpy=lambda: path))


def planner_with(vamp: Any) -> VampPlanner:
    return VampPlanner(VampSearch(vamp), **franka_parts(CONFIG, MujocoCollisionChecker()))


def planned(planner: VampPlanner, scene: Scene = SCENE) -> JointTrajectory:
    outcome = planner.to_joints(START, GOAL, MotionRequest(scene), Context())
    assert outcome.trajectory is not None, outcome.detail
    assert np.array_equal(outcome.trajectory.start, START)
    assert np.array_equal(outcome.trajectory.end, GOAL)
    checker = MujocoCollisionChecker()
    checker.use(MotionRequest(scene, clearance_m=0.004))
    assert checker.first_among(outcome.trajectory.positions) is None
    return outcome.trajectory


def distance(trajectory: JointTrajectory, joints: np.ndarray) -> float:
    return float(np.abs(trajectory.positions - joints).max(axis=1).min())


def test_a_free_path_of_vamp_is_used() -> None:
    vamp = StandIn([ABOVE])
    planner = planner_with(vamp)
    assert distance(planned(planner), ABOVE) < 0.3
    assert planner.refused == 0 and len(vamp.asked) == 1


def test_a_path_that_our_check_refuses_is_not_used() -> None:
    vamp = StandIn([])  # straight through the post
    planner = planner_with(vamp)
    planned(planner)
    assert planner.refused == len(SPARES_M) == len(vamp.asked)


def test_a_path_outside_the_joint_limits_is_not_used() -> None:
    outside = ABOVE.copy()
    outside[3] = 0.1
    assert distance(planned(planner_with(StandIn([ABOVE, outside]))), outside) > 0.1


def test_without_a_path_of_vamp_the_built_in_search_plans() -> None:
    vamp = StandIn(None)
    planner = planner_with(vamp)
    planned(planner)
    assert planner.refused == 0 and len(vamp.asked) == len(SPARES_M)


def test_a_free_straight_motion_needs_no_vamp() -> None:
    vamp = StandIn([ABOVE])
    planned(planner_with(vamp), replace(SCENE, objects=()))
    assert not vamp.asked


def test_vamp_is_not_asked_while_something_is_held() -> None:
    vamp = StandIn([ABOVE])
    planner = planner_with(vamp)
    tcp = planner.forward(START)
    held = SceneObject('it', Shape.BOX, (0.03, 0.03, 0.03), tcp)
    arm = ArmSnapshot(tuple(START), tcp, 0.03, at_home=False)
    planned(planner, replace(SCENE, objects=(POST, held), arm=arm, held='it'))
    assert not vamp.asked


def test_objects_are_larger_for_vamp() -> None:
    vamp = StandIn([ABOVE])
    planned(planner_with(vamp))
    (kind, _, half), (ball, _, radius) = vamp.worlds[0]
    assert (kind, ball) == ('box', 'ball')
    more = SPARES_M[0] + CONFIG.motion.collision_clearance
    assert half == pytest.approx([0.03 + more, 0.03 + more, 0.275 + more])
    assert radius == pytest.approx(0.025 + more)


def test_a_goal_that_vamp_finds_too_close_is_reached_along_a_straight_line_of_the_hand() -> None:
    vamp = StandIn([ABOVE], wrong=(GOAL,))
    planner = planner_with(vamp)
    planned(planner)
    (start, tips), *_ = vamp.asked
    assert np.allclose(start, START)
    assert tips and not any(np.allclose(tip, GOAL) for tip in tips)
    assert planner.refused == 0


def test_the_same_question_has_the_same_answer() -> None:
    one, other = (planned(planner_with(StandIn([ABOVE]))) for _ in range(2))
    assert np.array_equal(one.positions, other.positions)


def test_vamp_knows_one_arm() -> None:
    fr3 = replace(CONFIG, robot=RobotConfig('fr3', 'fr3_link0'))
    with pytest.raises(ConfigError, match='vamp knows the panda, not the fr3'):
        vamp_planner(MotionParts(fr3, MujocoCollisionChecker('fr3')))


def test_the_real_vamp_finds_a_way_around_the_post() -> None:
    pytest.importorskip('vamp', reason='vamp-planner is not installed; it is built from source')
    planner = vamp_planner(MotionParts(CONFIG, MujocoCollisionChecker()))
    planned(planner)
    assert planner.refused < len(SPARES_M)
