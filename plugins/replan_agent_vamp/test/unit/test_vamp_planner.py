# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
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
from replan_agent_vamp.vamp_planner import LESS, MORE_M, SPARE_M, TRIES, VampPlanner, vamp_planner
from replan_agent_vamp.vamp_search import (
    BASE,
    BASE_M,
    CHANCES,
    HAND_CORNERS_M,
    VampSearch,
    around_base,
    hand_balls,
)

from replan_agent.app.build.build_planner import MotionParts
from replan_agent.arms import franka_numbers
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3, PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.config import (
    Config,
    ConfigError,
    MotionConfig,
    RobotConfig,
    WorkspaceConfig,
)
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import planner_parts
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

START, GOAL = (np.array([turn, *HOME[1:]]) for turn in (-0.6, 0.6))
ABOVE = np.array([0.0, -0.9, 0.0, -1.6, 0.0, 1.4, HOME[6]])  # over the post
POST = SceneObject('post', Shape.BOX, (0.06, 0.06, 0.55), Pose((0.307, 0, 0.275)), movable=False)
BALL = SceneObject('ball', Shape.SPHERE, (0.05, 0.05, 0.05), Pose((0.0, -0.6, 0.1)))
SCENE = Scene('scene-1', 0.0, (POST, BALL), 'test')
CONFIG = Config(motion=MotionConfig(0.5, 0.5, collision_clearance=0.005))


class StandIn:
    """VAMP's interface, with some paths in mind: one for each question, the last again and again.

    To it, all postures are free but `wrong`, which something is too close to if it is larger than
    by `wrong_above` (m).
    """

    def __init__(self, *between: list[np.ndarray] | None, wrong: tuple[np.ndarray, ...] = (),
                 wrong_above: float = 0.0) -> None:
        self.between, self.wrong, self.wrong_above = list(between), wrong, wrong_above
        self.asked: list[dict[str, Any]] = []  # the world of each question

    def configure_robot_and_planner_with_kwargs(self, arm: str, search: str) -> tuple[Any, ...]:
        assert (arm, search) == ('panda', 'rrtc')
        robot = SimpleNamespace(halton=lambda: 'samples', validate=self._validate,
                                simplify=lambda path, *rest: SimpleNamespace(path=path))
        return robot, self._plan, SimpleNamespace(max_iterations=0, max_samples=0), 'smoothing'

    def Environment(self) -> Any:  # noqa: N802 as VAMP calls it
        world = SimpleNamespace(boxes=[], balls=[], hand=None)
        world.add_cuboid, world.add_sphere = world.boxes.append, world.balls.append
        world.attach = lambda hand: setattr(world, 'hand', hand)
        return world

    def Attachment(self, frame: np.ndarray) -> Any:  # noqa: N802
        assert np.array_equal(frame, np.eye(4))
        hand = SimpleNamespace(balls=[])
        hand.add_spheres = hand.balls.extend
        return hand

    def Cuboid(self, centre: list[float], turn: list[float], half: list[float]) -> Any:  # noqa: N802
        return half

    def Sphere(self, centre: list[float], radius: float) -> Any:  # noqa: N802
        return radius

    def _validate(self, joints: list[float], world: Any) -> bool:
        larger = any(half[0] > POST.size[0] / 2 + self.wrong_above for half in world.boxes)
        return not larger or not any(np.allclose(joints, end) for end in self.wrong)

    def _plan(self, start: list[float], goals: list[list[float]], world: Any, settings: Any,
              samples: Any) -> Any:
        assert samples == 'samples' and settings.max_iterations
        self.asked.append({'post': (*world.boxes, None)[0], 'ball': (*world.balls, None)[0],
                           'hand': world.hand})
        between = self.between.pop(0) if len(self.between) > 1 else self.between[0]
        if between is None:
            return SimpleNamespace(solved=False)
        path = np.array([start, *between, goals[0]], dtype=np.float32)
        return SimpleNamespace(solved=True, path=SimpleNamespace(numpy=lambda: path))

    def spares_m(self) -> list[float]:
        """How much larger the post was at each question, without the clearance."""
        kept = CONFIG.motion.collision_clearance
        return [asked['post'][0] - POST.size[0] / 2 - kept for asked in self.asked]


def planner_with(vamp: Any, config: Config = CONFIG) -> VampPlanner:
    checker = MujocoCollisionChecker(PANDA)
    return VampPlanner(VampSearch(vamp), **planner_parts(config, PANDA, checker))


def planned(planner: VampPlanner, scene: Scene = SCENE) -> JointTrajectory:
    outcome = planner.to_joints(START, GOAL, MotionRequest(scene), Context())
    assert outcome.trajectory is not None, outcome.detail
    assert np.array_equal(outcome.trajectory.start, START)
    assert np.allclose(outcome.trajectory.end, GOAL, rtol=0.0, atol=1e-12)
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene, clearance_m=0.004))
    assert checker.first_among(outcome.trajectory.positions) is None
    return outcome.trajectory


def distance(trajectory: JointTrajectory, joints: np.ndarray) -> float:
    return float(np.abs(trajectory.positions - joints).max(axis=1).min())


def test_a_free_path_of_vamp_is_used() -> None:
    vamp = StandIn([ABOVE])
    planner = planner_with(vamp)
    assert distance(planned(planner), ABOVE) < 0.3
    assert not planner.refused


def test_a_path_that_our_check_refuses_is_not_used() -> None:
    planner = planner_with(StandIn([]))  # straight through the post
    planned(planner)
    assert len(planner.refused) == TRIES


def test_a_thing_in_the_way_of_a_path_is_larger_in_the_next_try() -> None:
    vamp = StandIn([], [ABOVE])
    planner = planner_with(vamp)
    assert distance(planned(planner), ABOVE) < 0.3
    assert len(planner.refused) == 1
    assert vamp.spares_m()[:2] == pytest.approx([SPARE_M, SPARE_M + MORE_M])
    assert len({asked['ball'] for asked in vamp.asked}) == 1  # that is not in the way


def test_all_things_are_smaller_in_the_next_try_if_there_is_no_path() -> None:
    vamp = StandIn(None, [ABOVE])
    assert distance(planned(planner_with(vamp)), ABOVE) < 0.3
    kept = CONFIG.motion.collision_clearance
    assert vamp.spares_m()[:2] == pytest.approx([SPARE_M, LESS * (SPARE_M + kept) - kept])


def test_of_long_paths_the_shortest_is_used() -> None:
    long = [ABOVE, ABOVE + (0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0), ABOVE]
    vamp = StandIn(long, [ABOVE], long)
    assert np.abs(planned(planner_with(vamp)).positions[:, 2]).max() < 0.1
    assert 1 < len(vamp.asked) <= CHANCES


def test_a_path_outside_the_joint_limits_is_moved_to_them() -> None:
    outside = ABOVE.copy()
    outside[5] = 3.8
    planner = planner_with(StandIn([ABOVE, outside, ABOVE]))
    positions = planned(planner).positions
    assert planner.kinematics.limits.contain(positions)
    assert positions[:, 5].max() > 3.4 and not planner.refused


def test_without_a_path_of_vamp_the_built_in_search_plans() -> None:
    vamp = StandIn(None)
    planner = planner_with(vamp)
    planned(planner)
    assert not planner.refused and len(vamp.asked) == TRIES


def slow_context(vamp: StandIn, share: float) -> Context:
    """A clock by which each question takes this share of the planning time."""
    return Context(now=lambda: share * CONFIG.motion.allowed_planning_time * len(vamp.asked))


def test_the_time_of_vamp_counts() -> None:
    vamp = StandIn(None)
    outcome = planner_with(vamp).to_joints(START, GOAL, MotionRequest(SCENE),
                                           slow_context(vamp, 1.1))
    assert outcome.trajectory is None and outcome.reason is Reason.PATH_BLOCKED
    assert len(vamp.asked) == 1


def test_half_of_the_time_is_left_for_the_built_in_search() -> None:
    vamp = StandIn(None)
    outcome = planner_with(vamp).to_joints(START, GOAL, MotionRequest(SCENE),
                                           slow_context(vamp, 0.3))
    assert outcome.trajectory is not None and len(vamp.asked) == 2


def test_a_free_straight_motion_needs_no_vamp() -> None:
    vamp = StandIn([ABOVE])
    planned(planner_with(vamp), replace(SCENE, objects=()))
    assert not vamp.asked


@pytest.mark.parametrize('between', [None, []], ids=['no path', 'the straight one'])
def test_the_edge_of_the_workspace_alone_may_be_in_the_way(between: list[Any] | None) -> None:
    vamp = StandIn(between)
    planner = planner_with(vamp, replace(CONFIG, workspace=WorkspaceConfig(x_max=0.29)))
    motion = planned(planner, replace(SCENE, objects=()))
    assert planner.kinematics.forward(motion.positions)[:, 0, 3].max() <= 0.29 + 1e-6
    assert vamp.asked


def test_vamp_is_not_asked_while_something_is_held() -> None:
    vamp = StandIn([ABOVE])
    planner = planner_with(vamp)
    tcp = planner.forward(START)
    held = SceneObject('it', Shape.BOX, (0.03, 0.03, 0.03), tcp)
    arm = ArmSnapshot(tuple(START), tcp, 0.03, at_home=False)
    planned(planner, replace(SCENE, objects=(POST, held), arm=arm, held='it'))
    assert not vamp.asked


def test_things_are_larger_for_vamp_on_all_sides() -> None:
    vamp = StandIn([ABOVE])
    planned(planner_with(vamp))
    more = SPARE_M + CONFIG.motion.collision_clearance
    assert vamp.asked[0]['post'] == pytest.approx([0.03 + more, 0.03 + more, 0.275 + more])
    assert vamp.asked[0]['ball'] == pytest.approx(0.025 + more)


def test_a_thing_is_only_as_much_larger_as_the_ends_of_the_path_allow() -> None:
    vamp = StandIn([ABOVE], wrong=(GOAL,), wrong_above=0.006)
    planned(planner_with(vamp))
    spare_m = vamp.spares_m()[0] + CONFIG.motion.collision_clearance
    assert 0.002 <= spare_m <= 0.006
    more = SPARE_M + CONFIG.motion.collision_clearance
    assert vamp.asked[0]['ball'] == pytest.approx(0.025 + more)


def test_vamp_carries_balls_that_fill_our_hand() -> None:
    vamp = StandIn([ABOVE])
    planned(planner_with(vamp))
    balls = hand_balls()
    assert vamp.asked[0]['hand'].balls == [radius for _, radius in balls]
    (box,) = franka_numbers.SHAPES['hand']
    shares = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 21)] * 3), axis=-1).reshape(-1, 3)
    points = np.array(box.centre) + shares * box.size - (0.0, 0.0, franka.TCP_M)
    gaps = np.min([np.linalg.norm(points - centre, axis=1) - radius for centre, radius in balls],
                  axis=0)
    assert gaps.max() < HAND_CORNERS_M + 1e-9


@pytest.mark.parametrize('turn', [0.0, 0.7])
def test_the_table_under_the_arm_has_a_hole_for_the_base_of_vamp(turn: float) -> None:
    turned = (np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2))
    table = SceneObject('table', Shape.TABLE, (1.2, 1.4, 0.04), Pose((0.35, 0.0, -0.02), turned))
    boxes = around_base(table, [0.6, 0.7, 0.02])
    rng = np.random.default_rng(0)
    local = rng.uniform(-0.5, 0.5, (2000, 3)) * table.size
    points = local @ table.pose.rotation.T + table.position

    def inside(centre: list[float], half: list[float]) -> np.ndarray:
        return np.all(np.abs((points - centre) @ table.pose.rotation) <= half, axis=1)

    filled = np.any([inside(*box) for box in boxes], axis=0)
    from_base = np.abs((points - BASE) @ table.pose.rotation)[:, :2].max(axis=1)
    assert np.array_equal(filled, from_base >= BASE_M)


def test_a_thing_beside_the_base_is_one_box() -> None:
    assert around_base(POST, [0.03, 0.03, 0.275]) == [(list(POST.position), [0.03, 0.03, 0.275])]


def test_vamp_is_not_asked_if_an_end_of_the_path_touches_something_for_it() -> None:
    vamp = StandIn([ABOVE], wrong=(GOAL,), wrong_above=-1.0)
    planned(planner_with(vamp))
    assert not vamp.asked


def test_the_same_question_has_the_same_answer() -> None:
    one, other = (planned(planner_with(StandIn([ABOVE]))) for _ in range(2))
    assert np.array_equal(one.positions, other.positions)


def test_vamp_knows_one_arm() -> None:
    fr3 = replace(CONFIG, robot=RobotConfig('fr3', 'fr3_link0'))
    with pytest.raises(ConfigError, match='vamp knows the panda, not the fr3'):
        vamp_planner(MotionParts(fr3, MujocoCollisionChecker(FR3)))


def test_the_real_vamp_finds_a_way_around_the_post_on_a_table(monkeypatch) -> None:
    pytest.importorskip('vamp', reason='vamp-planner is not installed; it is built from source')
    monkeypatch.setattr(VampPlanner, '_search', lambda *args: pytest.fail('not by VAMP'))
    table = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.35, 0.0, -0.02)))
    planner = vamp_planner(MotionParts(CONFIG, MujocoCollisionChecker(PANDA)))
    planned(planner, replace(SCENE, objects=(POST, BALL, table)))
