"""Putting down the held object: where, how, and whether it stays there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.container_room import Room, does_not_fit, no_room_left
from replan_agent.domain.falls import FELL_M
from replan_agent.domain.goal import RESTING_GAP_M, Goal, is_inside, judge
from replan_agent.domain.hand_room import RELEASE_ROOM_M, TURNS
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.outlines import beyond_m, parts
from replan_agent.domain.pads import have_let_go
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.settling import settling_shift
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    failed,
    succeeded,
)
from replan_agent.domain.standing_room import EDGE_M, RELEASE_GAP_M, stands_on
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest, blocked_by

from .arm import Arm, backed_off, planning_failed, way_to
from .at_rest import look_at_rest
from .contract import Call, Skill, precondition, unverified
from .spots import Spot, occupant

SNUG_ROOM_M = 0.008  # between neighbours, the fingers open only this much wider than the object
TOUCH_DOWN_M = RELEASE_GAP_M + 0.002  # far enough down for a certain contact
LOWERED = 0.3  # share of the speed at which what may touch others is lowered into a container
MOST_SPOTS = 6
MOST_POSTURES = 3


@dataclass(frozen=True)
class Placement:
    """A spot, the TCP pose that puts the held object there, and the motions to it.

    `opening` is how far apart the pads are after the release (m).
    """

    spot: Spot
    tcp: Pose
    approach: JointTrajectory
    descent: JointTrajectory
    opening: float


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
        width = placement.opening
        brought = call.in_phases([
            ('approach', lambda: arm.follow(placement.approach)),
            ('check', lambda: self._still_held(call, grip)),
            ('lower', lambda: arm.follow(placement.descent)),
            ('touch', lambda: self._touch_down(arm, placement)),
            ('check', lambda: self._still_held(call, grip)),
        ])
        if not brought.success and not _has_arrived(call, placement.spot, brought):
            if brought.evidence.get('contact'):  # hit something: go back, still holding
                call.in_phases([('retreat', arm.retrace)])
            elif brought.reason is Reason.GRASP_SLIPPED:
                self._leave(call, arm, placement, back)
            return brought
        arm.request = _released_request(call, placement.spot, width)
        _look_above(call, placement.spot)
        released = call.in_phases([('release', lambda: arm.open_to(width))])
        if not released.success and have_let_go(grip, arm.gripper_width()):
            self._leave(call, arm, placement, back)
        return released if not released.success else call.in_phases(
            [('retreat', lambda: arm.straight(back))])

    @staticmethod
    def _leave(call: Call, arm: Arm, placement: Placement, back: Pose) -> None:
        """Go up without the object: it may lie where it belongs, and nothing may touch it."""
        arm.request = _released_request(call, placement.spot, arm.gripper_width())
        call.in_phases([('retreat', lambda: arm.straight(back))])

    @staticmethod
    def _touch_down(arm: Arm, placement: Placement) -> SkillResult:
        """Lower the last millimetres until the object stands. A dropped object needs none.

        Where the hand has no room for them, the object falls these few millimetres.
        """
        if placement.spot.drop:
            return succeeded()
        down = arm.straight_until_contact(placement.tcp.moved(dz=-TOUCH_DOWN_M))
        return succeeded() if down.stage is FailedStage.PLANNING else down

    @staticmethod
    def _still_held(call: Call, grip: float) -> SkillResult:
        """A failure if the pads have moved since the grasp: then the object has slipped."""
        width = call.kit.robot.state().gripper_width
        if not have_let_go(grip, width):
            return succeeded()
        return failed(Reason.GRASP_SLIPPED,
                      f'{held_by(call).name} slipped on the way: the pads went from '
                      f'{grip * 1000:.1f} mm to {width * 1000:.1f} mm apart',
                      FailedStage.EXECUTION, gripper_width=width, expected_width=grip)

    def verify(self, call: Call) -> SkillResult:
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        held = held_by(call)
        goal, now, table = self.goal(call, held), scene.get(held.name), scene.table
        if now is not None and table is not None and now.position[2] < table.top_z - FELL_M:
            return unverified(f'{held.name} fell off the {table.name}: it is '
                              f'{(table.top_z - now.position[2]) * 1000:.0f} mm below its top',
                              cause=Cause.FELL)
        if judge(goal, scene) is True:
            over = _over_edge_m(now, table)
            return succeeded(str(goal)) if over <= EDGE_M else unverified(
                f'{held.name} extends {over * 1000:.0f} mm over the edge of the table',
                cause=Cause.NOT_WHERE_PUT)
        where = (f'it is at ({now.position[0]:.3f}, {now.position[1]:.3f}, '
                 f'{now.position[2]:.3f}) m' if now else 'it is not seen')
        return unverified(f'{held.name} was released but {goal} does not hold: {where}',
                          seen=now is not None)

    def _choose(self, call: Call, start: FloatArray) -> Placement | SkillResult:
        """The first free spot that the arm can lower the object onto."""
        failures: list[SkillResult] = []
        spots = list(islice(self.spots(call), MOST_SPOTS + call.args.get('spot', 0)))
        for spot in spots[min(call.args.get('spot', 0), max(0, len(spots) - 1)):]:
            call.ctx.check()
            found = self._reach(call, spot, start)
            if isinstance(found, Placement):
                return found
            failures.append(found)
        return failures[0] if failures else _no_spot(call)

    @staticmethod
    def _reach(call: Call, spot: Spot, start: FloatArray) -> Placement | SkillResult:
        """The motions to a spot, or why there are none. It is tried in several turns."""
        turns = _turns(call.scene, spot)
        free = [turn for turn in turns if _objection(call, spot, turn) is None]
        if not free:
            objection = _objection(call, spot, turns[0])
            assert objection is not None
            report = call.kit.motion.solve_ik(_tcp_for(call.scene, spot, turns[0]),
                                              call.kit.robot.home).report
            if objection.cause is Cause.WORKSPACE_VIOLATION and report is not None:
                return planning_failed(_out_of_reach(report))
            return objection
        outcome = MotionOutcome(None)
        for turn, opening in product(free, _openings(call, spot)):
            call.ctx.check()
            found = _motions(call, spot, turn, opening, start)
            if isinstance(found, Placement):
                return found
            outcome = found if found.reason is not None else outcome
        if outcome.reason is None:
            report = call.kit.motion.solve_ik(_tcp_for(call.scene, spot, free[0]),
                                              call.kit.robot.home).report
            outcome = _out_of_reach(report)
        return planning_failed(outcome)


def _out_of_reach(report: IKReport | None) -> MotionOutcome:
    detail = report.sentence if report else 'it cannot be lowered straight onto the spot'
    return MotionOutcome(None, Reason.UNREACHABLE, detail, report, Cause.NO_POSTURE)


def _motions(call: Call, spot: Spot, turn: float, opening: float, start: FloatArray
             ) -> Placement | MotionOutcome:
    """The motions to a spot in one turn, with room for the pads to open; or what is in the way."""
    motion, home = call.kit.motion, call.kit.robot.home
    request, height = _request(call, spot), call.kit.motion_config.approach_height
    slow = held_by(call).pieces and spot.drop  # its underside was not seen
    down = replace(request, gripper_width=opening,
                   speed=min(request.speed, LOWERED) if slow else request.speed)
    tcp = _tcp_for(call.scene, spot, turn)
    postures = motion.postures(tcp, home, down)
    outcome = (blocked_by(postures.contact, f'at {spot.support}')
               if postures.contact is not None else MotionOutcome(None))
    for at in postures.joints[:MOST_POSTURES]:
        outcome = up = motion.straight(at, tcp.moved(dz=height), down, call.ctx)
        if up.trajectory is None:
            continue
        outcome = way_to(call, start, up.trajectory.end, request, spot.support)
        if outcome.trajectory is not None:
            return Placement(spot, tcp, outcome.trajectory, up.trajectory.reversed(), opening)
    return outcome


def _openings(call: Call, spot: Spot) -> list[float]:
    """How far (m) the pads may open to let go: the usual width, and just wide enough."""
    state, most = call.kit.robot.state(), call.kit.robot.max_gripper_width
    rooms = (SNUG_ROOM_M,) if spot.snug else (RELEASE_ROOM_M, SNUG_ROOM_M)
    return list(dict.fromkeys(min(state.gripper_width + room, most) for room in rooms))


def _objection(call: Call, spot: Spot, turn: float) -> SkillResult | None:
    """Why the held object cannot be put at the spot in this turn; None if it can."""
    held, table = held_by(call), call.scene.table
    blocker = occupant(spot, held, call.scene, turn)
    if blocker:
        return failed(Reason.TARGET_OCCUPIED, f'{spot.support} at ({spot.x:.3f}, {spot.y:.3f}) '
                      f'is taken by {blocker}', FailedStage.PLANNING,
                      cause=Cause.TARGET_OCCUPIED, blockers=(blocker,))
    if (table is None or spot.support != table.name or spot.snug
            or stands_on(held, table, (spot.x, spot.y), turn)):
        return None
    return failed(Reason.WORKSPACE_VIOLATION, f'{held.name} would extend over the edge of the '
                  f'{table.name} at ({spot.x:.3f}, {spot.y:.3f}), or be less than '
                  f'{EDGE_M * 1000:.0f} mm from it', FailedStage.PLANNING,
                  cause=Cause.WORKSPACE_VIOLATION)


def _over_edge_m(thing: SceneObject | None, table: SceneObject | None) -> float:
    """How far (m) a thing that lies on the table extends over its edge."""
    if thing is None or table is None or thing.bottom_z > table.top_z + RESTING_GAP_M:
        return 0.0
    return beyond_m(parts(thing), table)


def held_by(call: Call) -> SceneObject:
    held = call.scene.get(call.scene.held or '')
    assert held is not None  # check made sure
    return held


def _no_spot(call: Call) -> SkillResult:
    """Why there is no spot: the container is full or too small, or everything is taken."""
    held, container = held_by(call), call.scene.get(call.args.get('target', ''))
    if container is None or not container.is_container:
        return failed(Reason.TARGET_OCCUPIED, 'there is no free spot', FailedStage.PLANNING,
                      cause=Cause.NO_FREE_SPOT)
    why = does_not_fit(held, container)
    if why:
        return failed(Reason.PRECONDITION_FAILED, why, FailedStage.PLANNING,
                      cause=Cause.DOES_NOT_FIT, proved_impossible=True)
    names = Room(container, call.scene, [held.name]).names
    return failed(Reason.TARGET_OCCUPIED, no_room_left(held, container, call.scene),
                  FailedStage.PLANNING, cause=Cause.CONTAINER_FULL, blockers=names)


def _request(call: Call, spot: Spot) -> MotionRequest:
    """The held object may touch its support."""
    return MotionRequest(call.scene, ((held_by(call).name, spot.support),),
                         speed=call.args.get('speed', 1.0))


def _released_request(call: Call, spot: Spot, width: float) -> MotionRequest:
    """After the release the object stands where it was put, and the fingers may touch it."""
    held, put = held_by(call), _held_now(call)
    scene = replace(call.scene, held=None, objects=(*call.scene.without([held.name]), put))
    allowed = (('gripper', held.name), ('gripper', spot.support))
    return MotionRequest(scene, allowed, gripper_width=width, speed=call.args.get('speed', 1.0))


def _look_above(call: Call, spot: Spot) -> None:
    """A look before it is let go in a container: there it may be out of sight.

    That it was seen above the container is what later looks go by. Without it the place is still
    a good one.
    """
    container = call.scene.get(spot.support)
    if container is not None and container.is_container:
        call.observe('look')


def _held_now(call: Call) -> SceneObject:
    """The held object where the hand has brought it."""
    held = held_by(call)
    tcp = call.kit.motion.forward(call.kit.robot.state().joints)
    assert call.scene.arm is not None
    moved = tcp.matrix() @ np.linalg.inv(call.scene.arm.tcp.matrix()) @ held.pose.matrix()
    return replace(held, pose=Pose.from_matrix(moved))


def _has_arrived(call: Call, spot: Spot, brought: SkillResult) -> bool:
    """Whether it touched something when it was in its container: then that is where it lies."""
    container = call.scene.get(spot.support)
    return (bool(brought.evidence.get('contact')) and container is not None
            and is_inside(_held_now(call), container))


def _turns(scene: Scene, spot: Spot) -> list[float]:
    """Turns about the vertical to try, first the one that aligns with the support."""
    held = scene.get(scene.held or '')
    if spot.turn is not None:
        return [spot.turn]
    if spot.yaw is None or held is None:
        return list(TURNS)
    aligned = [spot.yaw - held.pose.yaw + k * spot.fold
               for k in range(round(math.tau / spot.fold))]
    return sorted(aligned, key=lambda turn: abs(math.remainder(turn, math.tau)))


def _tcp_for(scene: Scene, spot: Spot, turn: float) -> Pose:
    """The TCP pose that brings the held object's bottom centre to the spot, turned by `turn`.

    What hangs askew, such as a bowl by its rim, is there after it has settled on its base.
    """
    held = scene.get(scene.held or '')
    assert held is not None and scene.arm is not None
    tcp = scene.arm.tcp.matrix()
    c, s = math.cos(turn), math.sin(turn)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    offset = turned @ (tcp[:3, 3] - np.asarray(held.position))
    half_height = held.position[2] - held.bottom_z
    target = np.eye(4)
    target[:3, :3] = turned @ tcp[:3, :3]
    shift = turned[:2, :2] @ settling_shift(held)
    target[:3, 3] = np.array([spot.x - shift[0], spot.y - shift[1], spot.z + half_height]) + offset
    return Pose.from_matrix(target)


