# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Putting down the held object: how, and whether it stays there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal
from replan_agent.domain.hand import have_let_go
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, succeeded
from replan_agent.geometry import judging
from replan_agent.geometry.judging import RESTING_GAP_M, covers, is_inside, judge, lies_on_rim
from replan_agent.geometry.outlines import apart_m, beyond_m, over_rim_m, parts
from replan_agent.geometry.room.container_room import spans
from replan_agent.geometry.room.free_place import EDGE_M, RELEASE_GAP_M
from replan_agent.geometry.support import is_rough
from replan_agent.text.shown_text import listed

from .arm import Arm, look_at_rest, planning_failed, way_out
from .choice_of_spot import (
    Placement,
    choose_placement,
    held_at,
    held_by,
    holding_request,
    released_request,
)
from .contract import Call, Skill, precondition, unverified
from .spots import PutSpot

TOUCH_DOWN_M = RELEASE_GAP_M + 0.002  # far enough down for a certain contact


class PlaceSkill(Skill):
    """The shared part of the placing skills. Each says where to place, and what must hold then."""

    def spots(self, call: Call) -> Iterator[PutSpot]:
        raise NotImplementedError

    def goal(self, call: Call, held: SceneObject) -> Goal:
        raise NotImplementedError

    def check(self, call: Call) -> SkillResult | None:
        if call.scene.in_hand is None:
            return precondition(f'{call.scene.held} is in the gripper but not in the scene',
                                Reason.OBJECT_NOT_FOUND)
        return None

    def foresee(self, call: Call) -> SkillResult:
        """Whether there is a free spot that the arm can reach from home."""
        placement = choose_placement(call, self.spots(call), call.kit.robot.home)
        if isinstance(placement, SkillResult):
            return placement
        return succeeded(spot=[placement.spot.x, placement.spot.y, placement.spot.z])

    def run(self, call: Call) -> SkillResult:
        placement = choose_placement(call, self.spots(call), call.kit.robot.state().joints)
        if isinstance(placement, SkillResult):
            return placement
        arm = Arm(call, holding_request(call, placement.spot))
        height = call.kit.motion_config.approach_height
        grip, start = call.kit.robot.state().gripper_width, arm.tcp()
        width, above = placement.opening, call.kit.motion.forward(placement.approach.end)
        brought = call.in_phases([
            ('approach', lambda: arm.follow(placement.approach)),
            ('check', lambda: self._still_held(call, grip, start)),
            ('lower', lambda: arm.follow(placement.descent)),
            ('touch', lambda: self._touch_down(arm, placement)),
            ('check', lambda: self._still_held(call, grip, above)),
        ])
        if not brought.success and not _has_arrived(call, placement.spot, brought):
            if brought.evidence.get('contact'):  # hit something: go back, still holding
                call.in_phases([('retreat', arm.retrace)])
            elif brought.reason is Reason.GRASP_SLIPPED:
                self._leave(call, arm, placement)
            return brought
        stuck = self._no_way_out(call, arm, placement)
        if stuck is not None:
            return stuck
        _look_above(call, placement.spot)
        released = call.in_phases([('release', lambda: arm.open_to(width))])
        if not released.success and have_let_go(grip, arm.gripper_width()):
            self._leave(call, arm, placement)
        if not released.success:
            return released
        left = call.in_phases([('retreat', lambda: arm.leave(height))])
        return left if left.success else replace(
            left, cause=Cause.NO_WAY_OUT, reason_detail=f'{held_by(call).name} is let go, and the '
            f'hand cannot leave it: {left.reason_detail}')

    @staticmethod
    def _leave(call: Call, arm: Arm, placement: Placement) -> None:
        """Go up without the object: it may lie where it belongs, and nothing may touch it."""
        arm.request = released_request(call, placement.spot, arm.gripper_width(), _tcp(call))
        call.in_phases([('retreat', lambda: arm.leave(call.kit.motion_config.approach_height))])

    @staticmethod
    def _no_way_out(call: Call, arm: Arm, placement: Placement) -> SkillResult | None:
        """The failure if the hand could not leave what it would let go here; else None.

        Then it is not let go, and the hand goes back up with it.
        """
        holding, height = arm.request, call.kit.motion_config.approach_height
        arm.request = released_request(call, placement.spot, placement.opening, _tcp(call))
        out = way_out(call.kit.motion, arm.joints(), height, arm.request, call.ctx)
        if out.trajectory is not None:
            return None
        arm.request = holding
        call.in_phases([('retreat', lambda: arm.straight(placement.tcp.moved(dz=height)))])
        return replace(planning_failed(out), stage=FailedStage.EXECUTION, reason_detail=(
            f'{held_by(call).name} is not let go, because the hand could not leave it: '
            f'{out.detail}'))

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
    def _still_held(call: Call, grip: float, last: Pose) -> SkillResult:
        """A failure if the pads have moved since the grasp: then the object slipped, or was taken.

        `last` is where the tool was when it was still held.
        """
        width = call.kit.robot.state().gripper_width
        if not have_let_go(grip, width):
            return succeeded()
        return failed(Reason.GRASP_SLIPPED, f'{held_by(call).name} slipped, or was taken, on the '
                      f'way: the pads went from {grip * 1000:.1f} mm to {width * 1000:.1f} mm '
                      'apart', gripper_width=width, expected_width=grip, held_at=last.position)

    def verify(self, call: Call) -> SkillResult:
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        held = held_by(call)
        goal, now, table = self.goal(call, held), scene.get(held.name), scene.table
        if judge(goal, scene) is True:
            over = _over_edge_m(now, table)
            return succeeded(str(goal)) if over <= EDGE_M else unverified(
                f'{held.name} extends {over * 1000:.0f} mm over the edge of the table',
                cause=Cause.NOT_WHERE_PUT)
        around = scene.get(call.args.get('target', ''))
        if now and around and lies_on_rim(now, around) and (
                below := _carriers(now, around, scene) or ['the walls'] * spans(held, around)):
            lids = tuple(o.name for o in covers(around, scene) if o.name in below)
            return unverified(f'{held.name} does not sink into {around.name}: it lies on '
                              f'{listed(below)}', blockers=lids, cause=(
                                  Cause.TARGET_OCCUPIED if lids else Cause.DOES_NOT_FIT))
        at = ', '.join(f'{value:.3f}' for value in now.position) if now else ''
        return unverified(f'{held.name} was released ' + (
            f'but {goal} does not hold: it is at {"about " * is_rough(now)}({at}) m' if now else
            f'and is not seen: whether {goal} holds is unknown'), seen=now is not None)


def _carriers(thing: SceneObject, container: SceneObject, scene: Scene) -> list[str]:
    """What a thing lies on that did not get into a container: what covers it, or is in it."""
    others = [*(o for o in covers(container, scene) if apart_m(thing, o) < RESTING_GAP_M),
              *judging.supports(thing, scene)]
    return [*dict.fromkeys(o.name for o in others if o.shape is not Shape.TABLE
                           and o.name not in (thing.name, container.name))]


def _over_edge_m(thing: SceneObject | None, table: SceneObject | None) -> float:
    """How far (m) a thing that lies on the table extends over its edge."""
    if thing is None or table is None or thing.bottom_z > table.top_z + RESTING_GAP_M:
        return 0.0
    return beyond_m(parts(thing), table)


def _look_above(call: Call, spot: PutSpot) -> None:
    """A look before it is let go in a container: there it may be out of sight.

    That it was seen above the container is what later looks go by. Without it the place is still
    a good one.
    """
    container = call.scene.get(spot.support)
    if container is not None and container.is_container:
        call.observe('look')


def _tcp(call: Call) -> Pose:
    return call.kit.motion.forward(call.kit.robot.state().joints)


def _has_arrived(call: Call, spot: PutSpot, brought: SkillResult) -> bool:
    """Whether it touched something in its container: it can be let go.

    What was seen from one side only may hang lower, so for that clearly between the walls is
    enough. On the rim it would tip.
    """
    container, held = call.scene.get(spot.support), held_at(call, _tcp(call))
    if container is None or not container.is_container or not brought.evidence.get('contact'):
        return False
    return is_inside(held, container) or bool(held.pieces) and (
        held.bottom_z < container.top_z - judging.RIM_MARGIN_M and over_rim_m(held, container) < 0)
