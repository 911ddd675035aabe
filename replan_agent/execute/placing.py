"""Putting down the held object: where, how, and whether it stays there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.container_room import fillers, room_beside_m
from replan_agent.domain.falls import FELL_M
from replan_agent.domain.goal import Goal, judge
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    failed,
    succeeded,
)
from replan_agent.domain.standing_room import RELEASE_GAP_M
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest, blocked_by

from .arm import Arm, backed_off, planning_failed
from .at_rest import look_at_rest
from .contract import Call, Skill, precondition, unverified
from .spots import Spot, occupant

RELEASE_ROOM_M = 0.02
SNUG_ROOM_M = 0.008  # between neighbours, the fingers open only this much wider than the object
TOUCH_DOWN_M = RELEASE_GAP_M + 0.002  # far enough down for a certain contact
SLIP_M = 0.004  # if the pads move more than this, the object has slipped
MOST_SPOTS = 6
MOST_POSTURES = 3
TURNS = tuple(math.radians(d) for d in (0, 90, -90, 180, 45, -45, 135, -135))


@dataclass(frozen=True)
class Placement:
    """A spot, the TCP pose that puts the held object there, and the motions to it."""

    spot: Spot
    tcp: Pose
    approach: JointTrajectory
    descent: JointTrajectory


class PlaceSkill(Skill):
    """The shared part of the placing skills. Each says where to place, and what must hold then."""

    def spots(self, call: Call) -> Iterator[Spot]:
        raise NotImplementedError

    def goal(self, call: Call, held: SceneObject) -> Goal:
        raise NotImplementedError

    def check(self, call: Call) -> SkillResult | None:
        held = call.scene.held
        if call.scene.get(held or '') is None:
            return precondition(f'{held} is in the gripper but not in the scene',
                                Reason.OBJECT_NOT_FOUND)
        return None

    def foresee(self, call: Call) -> SkillResult:
        """Whether there is a free spot that the arm can reach from home."""
        placement = self._choose(call, call.kit.robot.home)
        if isinstance(placement, SkillResult):
            return placement
        return succeeded(spot=[placement.spot.x, placement.spot.y, placement.spot.z])

    def run(self, call: Call) -> SkillResult:
        placement = self._choose(call, call.kit.robot.state().joints)
        if isinstance(placement, SkillResult):
            return placement
        arm = Arm(call, _request(call, placement.spot))
        back = backed_off(placement.tcp, call.kit.motion_config.approach_height)
        grip = call.kit.robot.state().gripper_width
        room = SNUG_ROOM_M if placement.spot.snug else RELEASE_ROOM_M
        width = min(grip + room, call.kit.robot.max_gripper_width)
        brought = call.in_phases([
            ('approach', lambda: arm.follow(placement.approach)),
            ('lower', lambda: arm.follow(placement.descent)),
            ('touch', lambda: self._touch_down(arm, placement)),
            ('check', lambda: self._still_held(call, grip)),
        ])
        if not brought.success:
            if brought.evidence.get('contact'):  # hit something: go back, still holding
                call.in_phases([('retreat', arm.retrace)])
            return brought
        arm.request = _released_request(call, placement.spot, width)
        return call.in_phases([
            ('release', lambda: arm.open_to(width)),
            ('retreat', lambda: arm.straight(back)),
        ])

    @staticmethod
    def _touch_down(arm: Arm, placement: Placement) -> SkillResult:
        """Lower the last millimetres until the object stands. A dropped object needs none."""
        if placement.spot.drop:
            return succeeded()
        return arm.straight_until_contact(placement.tcp.moved(dz=-TOUCH_DOWN_M))

    @staticmethod
    def _still_held(call: Call, grip: float) -> SkillResult:
        """A failure if the pads have moved since the grasp: then the object has slipped."""
        width = call.kit.robot.state().gripper_width
        if abs(width - grip) <= SLIP_M:
            return succeeded()
        return failed(Reason.GRASP_SLIPPED,
                      f'{held_by(call).name} slipped on the way: the pads went from '
                      f'{grip * 1000:.1f} mm to {width * 1000:.1f} mm apart',
                      FailedStage.EXECUTION, gripper_width=width, expected_width=grip)

    def verify(self, call: Call) -> SkillResult:
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        held = held_by(call)
        goal = self.goal(call, held)
        if judge(goal, scene) is True:
            return succeeded(str(goal))
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        now, table = scene.get(held.name), scene.table
        if now is not None and table is not None and now.position[2] < table.top_z - FELL_M:
            return unverified(f'{held.name} fell off the {table.name}: it is '
                              f'{(table.top_z - now.position[2]) * 1000:.0f} mm below its top',
                              cause=Cause.FELL)
        where = (f'it is at ({now.position[0]:.3f}, {now.position[1]:.3f}, '
                 f'{now.position[2]:.3f}) m' if now else 'it is not seen')
        return unverified(f'{held.name} was released but {goal} does not hold: {where}')

    def _choose(self, call: Call, start: FloatArray) -> Placement | SkillResult:
        """The first free spot that the arm can lower the object onto."""
        full = _full_container(call)
        if full is not None:
            return full
        failures: list[SkillResult] = []
        for spot in self.spots(call):
            call.ctx.check()
            blocker = None if spot.snug else occupant(spot, held_by(call), call.scene)
            if blocker:
                failures.append(failed(
                    Reason.TARGET_OCCUPIED, f'{spot.support} at ({spot.x:.3f}, {spot.y:.3f}) is '
                    f'taken by {blocker}', FailedStage.PLANNING,
                    cause=Cause.TARGET_OCCUPIED, blockers=(blocker,)))
                continue
            found = self._reach(call, spot, start)
            if isinstance(found, Placement):
                return found
            failures.append(found)
            if len(failures) >= MOST_SPOTS:
                break
        if not failures:
            return failed(Reason.TARGET_OCCUPIED, 'there is no free spot', FailedStage.PLANNING,
                          cause=Cause.NO_FREE_SPOT)
        return failures[0]

    @staticmethod
    def _reach(call: Call, spot: Spot, start: FloatArray) -> Placement | SkillResult:
        motion, home = call.kit.motion, call.kit.robot.home
        request, height = _request(call, spot), call.kit.motion_config.approach_height
        outcome = MotionOutcome(None)
        for turn in _turns(call.scene, spot):
            call.ctx.check()
            tcp = _tcp_for(call.scene, spot, turn)
            postures = motion.postures(tcp, home, request)
            if postures.contact is not None:
                outcome = blocked_by(postures.contact, f'at {spot.support}')
            for at in postures.joints[:MOST_POSTURES]:
                outcome = up = motion.straight(at, tcp.moved(dz=height), request, call.ctx)
                if up.trajectory is None:
                    continue
                outcome = motion.to_joints(start, up.trajectory.end, request, call.ctx)
                if outcome.trajectory is not None:
                    return Placement(spot, tcp, outcome.trajectory, up.trajectory.reversed())
        if outcome.reason is None:
            report = motion.solve_ik(_tcp_for(call.scene, spot, 0.0), home).report
            detail = report.sentence if report else 'it cannot be lowered straight onto the spot'
            outcome = MotionOutcome(None, Reason.UNREACHABLE, detail, report,
                                    Cause.NO_POSTURE)
        return planning_failed(outcome)


def held_by(call: Call) -> SceneObject:
    held = call.scene.get(call.scene.held or '')
    assert held is not None  # check made sure
    return held


def _full_container(call: Call) -> SkillResult | None:
    """A failure if the target is a container without room for the held object."""
    held, container = held_by(call), call.scene.get(call.args.get('target', ''))
    names = fillers(container, held, call.scene) if container is not None else ()
    if container is None or not names:
        return None
    filler = call.scene.get(names[0])
    assert filler is not None
    room, needed = room_beside_m(filler, container), min(held.size[:2])
    return failed(Reason.TARGET_OCCUPIED,
                  f'{container.name} is full: {" and ".join(names)} leaves '
                  f'{room * 1000:.0f} mm beside it, and {held.name} needs '
                  f'{needed * 1000:.0f} mm', FailedStage.PLANNING,
                  cause=Cause.CONTAINER_FULL, blockers=names)


def _request(call: Call, spot: Spot) -> MotionRequest:
    """The held object may touch its support."""
    return MotionRequest(call.scene, ((held_by(call).name, spot.support),),
                         speed=call.args.get('speed', 1.0))


def _released_request(call: Call, spot: Spot, width: float) -> MotionRequest:
    """After the release the object stands where it was put, and the fingers may touch it."""
    held = held_by(call)
    tcp = call.kit.motion.forward(call.kit.robot.state().joints)
    assert call.scene.arm is not None
    moved = tcp.matrix() @ np.linalg.inv(call.scene.arm.tcp.matrix()) @ held.pose.matrix()
    put = replace(held, pose=Pose.from_matrix(moved))
    scene = replace(call.scene, held=None, objects=(*call.scene.without([held.name]), put))
    allowed = (('gripper', held.name), ('gripper', spot.support))
    return MotionRequest(scene, allowed, gripper_width=width, speed=call.args.get('speed', 1.0))


def _turns(scene: Scene, spot: Spot) -> list[float]:
    """Turns about the vertical to try, first the one that aligns with the support."""
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


