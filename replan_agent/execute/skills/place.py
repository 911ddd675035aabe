"""place_on and place_at: put down what the gripper holds, and look whether it stays there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.goal import Goal, Predicate, judge
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.motion.protocols import MotionRequest

from ..arm import Arm
from ..contract import Call, Skill, precondition, unverified
from ..spots import Spot, free_spots, occupant, spot_at, spot_on

RELEASE_ROOM_M = 0.02
TURNS = tuple(math.radians(d) for d in (0, 90, -90, 180, 45, -45, 135, -135))


@dataclass(frozen=True)
class Placement:
    """A spot, the TCP pose that puts the held object there, and the joints above it."""

    spot: Spot
    tcp: Pose
    above: FloatArray


class _Place(Skill):
    """What both skills share; they differ in where."""

    def spots(self, call: Call) -> Iterator[Spot]:
        raise NotImplementedError

    def goal(self, call: Call, held: SceneObject) -> Goal:
        raise NotImplementedError

    def check(self, call: Call) -> SkillResult | None:
        held = call.scene.held
        if held is None:
            return precondition('the gripper holds nothing that could be placed')
        if call.scene.get(held) is None:
            return precondition(f'{held} is in the gripper but not in the scene',
                                Reason.OBJECT_NOT_FOUND)
        return None

    def run(self, call: Call) -> SkillResult:
        placement = self._choose(call)
        if isinstance(placement, SkillResult):
            return placement
        arm = Arm(call, ((_held(call).name, placement.spot.support),))
        up = placement.tcp.moved(dz=call.kit.motion_config.approach_height)
        room = call.kit.robot.state().gripper_width + RELEASE_ROOM_M
        width = min(room, call.kit.robot.max_gripper_width)
        return call.in_phases([
            ('approach', lambda: arm.to_joints(placement.above)),
            ('lower', lambda: arm.straight(placement.tcp)),
            ('release', lambda: arm.open_to(width)),
            ('retreat', lambda: arm.straight(up)),
        ])

    def verify(self, call: Call) -> SkillResult:
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        held = _held(call)
        goal = self.goal(call, held)
        now = scene.get(held.name)
        if judge(goal, scene) is True:
            return succeeded(str(goal))
        where = (f'it is at ({now.position[0]:.3f}, {now.position[1]:.3f}, '
                 f'{now.position[2]:.3f}) m' if now else 'it is not seen')
        return unverified(f'{held.name} was released but {goal} does not hold: {where}')

    def _choose(self, call: Call) -> Placement | SkillResult:
        """The first free spot that the arm can lower the object onto."""
        report, reasons = None, []
        for spot in self.spots(call):
            blocker = occupant(spot, _held(call), call.scene)
            if blocker:
                reasons.append(f'{spot.support} at ({spot.x:.3f}, {spot.y:.3f}) is taken by '
                               f'{blocker}')
                continue
            placement = self._reach(call, spot)
            if placement is not None:
                return placement
            reasons.append('')
            tcp = _tcp_for(call.scene, spot, 0.0)
            report = call.kit.motion.solve_ik(tcp, call.kit.robot.home).report
            if report is not None:
                break
        if report is not None:
            return failed(Reason.UNREACHABLE, report.sentence, FailedStage.PLANNING, report)
        taken = [reason for reason in reasons if reason]
        if taken:
            return failed(Reason.TARGET_OCCUPIED, '; '.join(taken[:3]), FailedStage.PLANNING)
        return failed(Reason.UNREACHABLE, 'no orientation of the gripper can be lowered straight '
                      'onto the spot', FailedStage.PLANNING)

    def _reach(self, call: Call, spot: Spot) -> Placement | None:
        motion, home = call.kit.motion, call.kit.robot.home
        height = call.kit.motion_config.approach_height
        poses = [_tcp_for(call.scene, spot, turn) for turn in _turns(call.scene, spot)]
        above = motion.reachable([pose.moved(dz=height) for pose in poses], home)
        request = MotionRequest(call.scene)
        for pose, joints in zip(poses, above):
            if joints is None:
                continue
            if motion.straight(joints, pose, request, call.ctx).trajectory is not None:
                return Placement(spot, pose, joints)
        return None


class PlaceOn(_Place):
    spec = SkillSpec(
        name='place_on',
        description='Put the held object on top of another object or the table, or into a bowl '
                    'or bin, and let go.',
        arguments={
            'type': 'object',
            'properties': {'target': {'type': 'string',
                                      'description': 'name of the object to put it on or in'}},
            'required': ['target'],
            'additionalProperties': False,
        },
        object_arguments=('target',),
        needs_held=True,
        leaves_held=False,
        example='place_on(target="bowl")',
    )

    def check(self, call: Call) -> SkillResult | None:
        if call.args['target'] == call.scene.held:
            return precondition(f'{call.scene.held} cannot be placed on itself')
        return super().check(call)

    def spots(self, call: Call) -> Iterator[Spot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        if target == call.scene.table:
            return free_spots(_held(call), target, call.scene)
        return iter((spot_on(_held(call), target, call.scene),))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        target = call.scene.get(call.args['target'])
        inside = target is not None and target.is_container
        return Goal(Predicate.IN if inside else Predicate.ON, held.name, call.args['target'])


class PlaceAt(_Place):
    spec = SkillSpec(
        name='place_at',
        description='Put the held object down at x, y (m, base frame: x forward, y left).',
        arguments={
            'type': 'object',
            'properties': {'x': {'type': 'number', 'description': 'm forward of the base'},
                           'y': {'type': 'number', 'description': 'm left of the base'}},
            'required': ['x', 'y'],
            'additionalProperties': False,
        },
        needs_held=True,
        leaves_held=False,
        example='place_at(x=0.45, y=-0.20)',
    )

    def check(self, call: Call) -> SkillResult | None:
        box, x, y = call.kit.workspace, call.args['x'], call.args['y']
        inside = box.x_min <= x <= box.x_max and box.y_min <= y <= box.y_max
        if not (math.isfinite(x) and math.isfinite(y) and inside):
            return precondition(
                f'({x}, {y}) is outside the workspace: x {box.x_min} to {box.x_max} m, '
                f'y {box.y_min} to {box.y_max} m', Reason.WORKSPACE_VIOLATION)
        if call.scene.table is None:
            return precondition('no table is seen to put it on', Reason.OBJECT_NOT_FOUND)
        return super().check(call)

    def spots(self, call: Call) -> Iterator[Spot]:
        table = call.scene.table
        assert table is not None  # check saw it
        return iter((spot_at(call.args['x'], call.args['y'], table),))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        return Goal(Predicate.AT, held.name, position=(call.args['x'], call.args['y']))


def _held(call: Call) -> SceneObject:
    held = call.scene.get(call.scene.held or '')
    assert held is not None  # check saw it
    return held


def _turns(scene: Scene, spot: Spot) -> list[float]:
    """Turns about the vertical to try, the one that aligns with the support first."""
    held = scene.get(scene.held or '')
    if spot.yaw is None or held is None:
        return list(TURNS)
    aligned = [spot.yaw - held.pose.yaw + quarter * math.pi / 2 for quarter in range(4)]
    return sorted(aligned, key=lambda turn: abs(math.remainder(turn, math.tau)))


def _tcp_for(scene: Scene, spot: Spot, turn: float) -> Pose:
    """The TCP pose that brings the held object's bottom centre to the spot, turned by `turn`."""
    held = scene.get(scene.held or '')
    assert held is not None and scene.arm is not None
    tcp = scene.arm.tcp.matrix()
    c, s = math.cos(turn), math.sin(turn)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    offset = turned @ (tcp[:3, 3] - np.asarray(held.position))
    half_height = held.position[2] - held.bottom_z
    target = np.eye(4)
    target[:3, :3] = turned @ tcp[:3, :3]
    target[:3, 3] = np.array([spot.x, spot.y, spot.z + half_height]) + offset
    return Pose.from_matrix(target)


