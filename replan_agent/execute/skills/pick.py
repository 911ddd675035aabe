# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pick: grasp an object, lift it, and check that it came along."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.hand import CLOSED_M, LEAST_SHARE, SLIPPING_M
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import CLEAR, Scene, SceneObject
from replan_agent.domain.scene_changes import MOVED_M, moved_m
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.execute import grasping
from replan_agent.execute.arm import Arm, backed_off, hold
from replan_agent.execute.contract import Call, Phase, Skill, precondition, unverified
from replan_agent.execute.grasping import named_object
from replan_agent.execute.heavy import (
    load_n,
    slid_in_lift,
    take_up,
    too_heavy_for_arm,
    too_weak_a_grip,
)
from replan_agent.geometry.room.free_place import stands_on
from replan_agent.geometry.room.hand_room import PLAY_M, too_wide
from replan_agent.geometry.support import is_guessed, is_near
from replan_agent.motion.motion_protocols import Grasp, MotionRequest

from . import SPEED, name_of, takes

FORCE_N = (10.0, 70.0)  # of a usual hand
GRASP_FORCE_N, FIRM_N, FIRMER_N = 40.0, 60, 70  # first, and after a slip; a hand may have less
SLIDING_M = 0.0001  # pads that came closer than this in the lift may not hold for long:
WATCHED_S = 1.0  # they are watched, and so is a thing of any shape, which may turn between them,
CREEP_M, MOST_WATCHES = 0.0005, 5  # again and again while the pads come closer than this
AT_FINGER_M = 0.02  # what is so close to a finger may have been pushed by it
SLIDES_OFF_M = 0.25  # from the table's edge: what fingers touch may slide off before a look
EASED_M = 0.004  # fingers that touched something on their last line go back so far, and close
OVER_M = 0.20  # a hand that comes over everything begins this much higher than usual

# Changes to try one after the other. An empty one is the step as planned: it helps if a
# remembered change was made from the start.
OTHERWISE: tuple[dict[str, Any], ...] = (
    {'turn': 90}, {}, {'grasp': 'tilted'}, {'grasp': 'tilted', 'turn': 90}, {'grasp': 'side'})
OVER: tuple[dict[str, Any], ...] = ({'over': True}, {'over': True, 'turn': 90})


class Pick(Skill):
    spec = SkillSpec(
        name='pick',
        description='Grasp an object and lift it, from above if possible. The gripper must be '
                    'empty. Only `object` is needed. The rest is for a second try: more force or '
                    'less speed after a slip, another turn or kind of grasp after a blocked or '
                    'missed one.',
        arguments=takes(
            'object', object=name_of('object'),
            force={'type': 'number', 'description': 'N to hold it with'},
            speed=SPEED,
            grasp={'enum': list(grasping.KINDS), 'description': 'use only this kind of grasp'},
            turn={'type': 'number', 'minimum': -180, 'maximum': 180, 'description':
                  'preferred turn of the closing direction, degrees from the usual one'},
            over={'type': 'boolean', 'description': 'come from high above, over what may stand '
                  'unseen in the way'}),
        object_arguments=('object',),
        needs_held=False,
        effect=Effect(EffectKind.TAKE, object='object', turn='turn', grasp='grasp',
                      force='force', speed='speed'),
        must_be={'object': Fit.MOVABLE},
        adjustable=('force', 'speed', 'grasp', 'turn', 'over'),
        adjustments={
            'unexpected_contact': (*OTHERWISE[:2], *OVER, *OTHERWISE[2:]),
            'approach_blocked': OTHERWISE,
            'boxed_in': OTHERWISE,
            'no_posture': ({'grasp': 'tilted'}, {'grasp': 'side'}),
            'closed_on_air': OTHERWISE,
            'not_decided': OTHERWISE,
            'gripper_blocked': OTHERWISE,
            'held_up': ({'speed': 0.5}, *OTHERWISE),
        },
        variants={'other_yaw': {'turn': 90}, 'from_above': {'grasp': 'top_down'},
                  'tilted_grasp': {'grasp': 'tilted'}, 'side_grasp': {'grasp': 'side'}},
        example='pick(object="red_cube")',
    )

    def __init__(self, force_n: tuple[float, float] = FORCE_N) -> None:
        """With the least and the most force (N) of the hand."""
        least, most = force_n
        self._usual_n = max(least, min(GRASP_FORCE_N, most))
        slow: dict[str, Any] = {'force': most, 'speed': 0.25}
        firmer = ({'force': max(least, min(FIRM_N, most)), 'speed': 0.5},
                  {**slow, 'force': max(least, min(FIRMER_N, most))},
                  {**slow, 'turn': 90}, {**slow, 'grasp': 'tilted'})
        spec = type(self).spec
        arguments = dict(spec.arguments['properties'])
        arguments['force'] = {**arguments['force'], 'minimum': least, 'maximum': most,
                              'default': self._usual_n}
        self.spec = replace(
            spec, arguments={**spec.arguments, 'properties': arguments},
            adjustments={'slipped_in_lift': firmer, 'slipped_in_carry': firmer,
                         **spec.adjustments})

    def check(self, call: Call) -> SkillResult | None:
        thing = named_object(call)
        if next(call.kit.grasps.candidates(thing, call.scene), None) is None:
            return _nothing_fits(call, thing)
        if next(grasping.candidates(call), None) is None:
            return precondition(f'{thing.name} offers no {call.args["grasp"]} grasp, only: '
                                f'{", ".join(_offers(call))}', offers=_offers(call))
        return None

    def foresee(self, call: Call) -> SkillResult:
        """Whether there is a free grasp, from home. The evidence names it."""
        _, reach = grasping.choose_boldly(call, call.kit.robot.home)
        if isinstance(reach, SkillResult):
            return reach
        grasp = reach.grasp
        return succeeded(grasp.label, grasp=grasping.describe_grasp(grasp, named_object(call)),
                         tcp=[*grasp.tcp.position, *grasp.tcp.quaternion], width=grasp.width)

    def run(self, call: Call) -> SkillResult:
        call, reach = grasping.choose_boldly(call, call.kit.robot.state().joints)
        if isinstance(reach, SkillResult):
            return _with_offers(call, reach)
        result = self._take(call, reach)
        if slid_in_lift(result):
            result = too_weak_a_grip(call, named_object(call), result.evidence) or result
        found = grasping.describe_grasp(reach.grasp, named_object(call))
        call.kit.missed.note(named_object(call), reach.grasp, call.scene)
        return _with_offers(call, replace(result, evidence={**result.evidence, 'grasp': found}))

    def _take(self, call: Call, reach: grasping.Reach) -> SkillResult:
        grasp = reach.grasp
        arm = Arm(call, grasping.approach_request(call, grasp))
        over = bool(call.args.get('over'))
        result = call.in_phases([
            ('open', lambda: arm.open_to(grasp.opening)),
            *(_over(call, arm, grasp) if over else
              [('approach', lambda: arm.follow(reach.approach))]),
        ])
        if not result.success:
            if result.evidence.get('contact'):
                call.in_phases([('retreat', arm.retrace)])
            elif result.cause is Cause.GRIPPER_BLOCKED:  # by what the hand stands over
                _retreat(call, arm, grasp)
            return result
        empty = call.kit.robot.state().external_torque
        result = call.in_phases([('descend', lambda: (
            arm.straight(grasp.tcp) if over else arm.follow(reach.descent)))])
        if result.evidence.get('contact') and grasping.is_between_pads(call, arm.tcp()):
            result = call.in_phases([('ease', lambda: arm.retrace(EASED_M))])
            grasp = replace(grasp, tcp=arm.tcp())
        if result.success:
            there = _is_there(call, grasp)
            result = call.in_phases([
                ('grasp', lambda: arm.close(call.args.get('force', self._usual_n))),
                ('check', lambda: self._closed_on_something(arm, grasp, there))])
        if result.success:
            result = self._lift(call, arm, grasp, empty)
            result = replace(result, evidence={**result.evidence, 'there': there})
        if not result.success:
            _retreat(call, arm, grasp)
        return result

    def _lift(self, call: Call, arm: Arm, grasp: Grasp, empty: FloatArray) -> SkillResult:
        """Take the object up, feel its weight, lift it. One too heavy is set down again."""
        closed_width, most = arm.gripper_width(), call.kit.arm.hand.max_force_n
        force = min(call.args.get('force', self._usual_n), most)
        arm.request = grasping.holding_request(call, grasp)
        result = call.in_phases([('take_up', lambda: take_up(arm, grasp))])
        load = load_n(call, empty)
        heavy = too_heavy_for_arm(call, named_object(call), result, load,
                                  closed_width - arm.gripper_width() > SLIPPING_M)
        if heavy:
            call.in_phases([('set_down', lambda: arm.straight(grasp.tcp))])
            result = heavy
        elif result.success:
            result = call.in_phases([('lift', lambda: self._up(call, arm, grasp, closed_width))])
            slid_m = closed_width - arm.gripper_width()
            if result.success and (slid_m > SLIDING_M or named_object(call).pieces):
                result = call.in_phases([('watch', lambda: self._until_still(call, arm))])
                if result.reason is Reason.GRASP_SLIPPED:
                    call.in_phases([('set_down', lambda: arm.straight(grasp.tcp))])
        held = {'closed_width': closed_width, 'gripper_width': arm.gripper_width(),
                'expected_width': grasp.width, 'load_n': load, 'force_n': force,
                'firmest': round(force) >= round(most)}
        return replace(result, evidence={**result.evidence, **held})

    @staticmethod
    def _up(call: Call, arm: Arm, grasp: Grasp, closed_width: float) -> SkillResult:
        """Lift. If the controller gives up while the pads hold, go on from where the arm is."""
        result = arm.straight(grasping.lifted(call, grasp))
        holds = abs(closed_width - arm.gripper_width()) <= SLIPPING_M
        gave_up = result.cause is Cause.CONTROLLER_ERROR and holds
        return arm.straight(grasping.lifted(call, grasp)) if gave_up else result

    @staticmethod
    def _until_still(call: Call, arm: Arm) -> SkillResult:
        """Hold the object until the pads stand still: what creeps out falls seconds later.

        A primitive is held once: its flat or round sides settle between the pads.
        """
        crept_m = 0.0
        if not named_object(call).pieces:
            return hold(call, WATCHED_S)
        for _ in range(MOST_WATCHES):
            before = arm.gripper_width()
            result = hold(call, WATCHED_S)
            crept_m = before - arm.gripper_width()
            if not result.success or crept_m <= CREEP_M or arm.gripper_width() <= CLOSED_M:
                return result
        return failed(Reason.GRASP_SLIPPED, f'{named_object(call).name} slides out slowly: the '
                      f'pads came {crept_m * 1000:.1f} mm closer in the last {WATCHED_S:g} s',
                      FailedStage.EXECUTION, gripper_width=arm.gripper_width(), crept_m=crept_m)

    def verify(self, call: Call) -> SkillResult:
        result = self._compare(call)
        if result.success:
            call.kit.missed.forget(named_object(call))
        if result.reason is Reason.GRASP_SLIPPED:
            result = too_weak_a_grip(call, named_object(call), call.measured) or result
        return _with_offers(call, result)

    @staticmethod
    def _compare(call: Call) -> SkillResult:
        """Whether the encoders and a fresh look show the object in the gripper."""
        thing, width = named_object(call), call.kit.robot.state().gripper_width
        if width <= CLOSED_M:
            return unverified(f'{thing.name} slipped out, or was taken, during the lift: '
                              f'the gripper is closed (width {width * 1000:.1f} mm)',
                              Reason.GRASP_SLIPPED, gripper_width=width)
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        now = scene.get(thing.name)
        if now is None:
            _rise(call, width)  # for the next look: the hand may hide it, and where it was
            return unverified(f'{thing.name} is not seen after the lift', gripper_width=width,
                              seen=False)
        rise, lift = now.position[2] - thing.position[2], call.kit.motion_config.lift_height
        evidence: dict[str, Any] = {'gripper_width': width, 'rise': rise}
        if (held := scene.held == thing.name) and rise >= lift / 2:
            return succeeded(f'holding {thing.name}, {rise * 1000:.0f} mm up', **evidence)
        why = (f'{thing.name} rose {rise * 1000:.0f} mm of {lift * 1000:.0f} mm and is '
               f'{"" if held else "not "}in the gripper')
        if not held and rise <= -MOVED_M:
            x, y, z = now.position
            why = f'{thing.name} is at ({x:.2f}, {y:.2f}, {z:.2f}) m, not in the gripper'
            if scene.held and scene.table and now.top_z < scene.table.top_z:
                evidence['would_help'] = f'a person who puts {thing.name} back on the table'
        return unverified(why, Reason.GRASP_SLIPPED, **evidence)

    @staticmethod
    def _closed_on_something(arm: Arm, grasp: Grasp, there: bool | None) -> SkillResult:
        width = arm.gripper_width()
        if width >= max(CLOSED_M, LEAST_SHARE * grasp.width):
            return succeeded()
        return failed(Reason.GRASP_MISSED, f'the gripper closed to {width * 1000:.1f} mm, where '
                      f'{grasp.width * 1000:.1f} mm were expected', FailedStage.EXECUTION,
                      gripper_width=width, expected_width=grasp.width, there=there)


def _rise(call: Call, width: float) -> None:
    """Go up as far as in a lift, if that is free, with what the pads may hold."""
    around = replace(call.scene, objects=tuple(call.scene.without([named_object(call).name])))
    arm = Arm(call, MotionRequest(around, gripper_width=width, speed=call.args.get('speed', 1.0)))
    height = call.kit.motion_config.lift_height
    call.in_phases([('rise', lambda: arm.straight(arm.tcp().moved(dz=height)))])


def _is_there(call: Call, grasp: Grasp) -> bool | None:
    """Whether a look past the hand shows the object where it was; False: it is gone from there.

    None if it is not seen whole, or the fingers may have pushed it: at them, or of any shape.
    """
    thing, scene = named_object(call), call.observe('look')
    now = scene.get(thing.name) if isinstance(scene, Scene) else thing
    table = call.scene.table
    if now is None and thing.pieces and table and not stands_on(
            thing, table, thing.position[:2], edge_m=SLIDES_OFF_M):
        return None
    if now is None or now.seen_at <= thing.seen_at:  # what the hand hides is kept
        return None if now else False
    if moved_m(thing, now) < MOVED_M:  # a part that is seen there may be one of it elsewhere
        whole = all(b - a < MOVED_M for a, b in zip(sorted(now.size), sorted(thing.size)))
        return True if whole and now.confidence >= CLEAR else None
    side = grasp.opening / 2 * grasp.tcp.rotation[:, 1]
    return None if thing.pieces or any(is_near(now, [*(grasp.tcp.position + way)], AT_FINGER_M)
                                       for way in (side, -side)) else False


def _over(call: Call, arm: Arm, grasp: Grasp) -> list[Phase]:
    """Straight up, across high above everything, and down to the start of the last line."""
    height = call.kit.motion_config.approach_height
    above = backed_off(grasp.tcp, height + OVER_M)
    return [('rise', lambda: arm.straight(arm.tcp().moved(dz=max(
                0.0, above.position[2] - arm.tcp().position[2])))),
            ('across', lambda: arm.to_pose(above)),
            ('approach', lambda: arm.straight(backed_off(grasp.tcp, height)))]


def _nothing_fits(call: Call, thing: SceneObject) -> SkillResult:
    """Why the object offers no grasp at all: too wide everywhere, or no room for the fingers."""
    if thing.confidence < CLEAR:
        return precondition(f'of {thing.name} only a part is seen, and no two sides of that fit '
                            'between the fingers', would_help=f'a better view of {thing.name}')
    narrowest, widest = call.kit.grasps.narrowest_width(thing), call.kit.robot.max_gripper_width
    if narrowest + PLAY_M > widest:
        thinnest = min(narrowest, *thing.size)
        turned = (f'; on its edge it would be {thinnest * 1000:.0f} mm across'
                  if thinnest + PLAY_M <= widest else '')
        about = 'about ' * (call.scene.may_hide or is_guessed(thing))
        return precondition(
            too_wide(thing.name, narrowest, widest, about) + turned, cause=Cause.TOO_WIDE,
            proved_impossible=True, narrowest_width=narrowest, widest_width=widest - PLAY_M,
            fits_on_edge=bool(turned))
    return precondition(
        f'as it lies, no two sides that are seen of {thing.name} face away from each other where '
        'fingers and palm have room', narrowest_width=narrowest, widest_width=widest,
        height=thing.top_z - thing.bottom_z)


def _with_offers(call: Call, result: SkillResult) -> SkillResult:
    """The result. If it is a failure, the evidence says what else the object offers."""
    return result if result.success else replace(
        result, evidence={**result.evidence, 'offers': _offers(call)})


def _offers(call: Call) -> list[str]:
    """The kinds of grasp that the object offers at all."""
    names = {kind: name for name, kind in grasping.KINDS.items()}
    found = call.kit.grasps.candidates(named_object(call), call.scene)
    return sorted({names.get(grasp.kind, grasp.kind.value) for grasp in found})


def _retreat(call: Call, arm: Arm, grasp: Grasp) -> None:
    """Leave the arm free for the next step. A failure here does not change the result.

    If the fingers are jammed open wider than planned, they stay so. Going up must not depend on
    it, nor on a straight line that is free.
    """
    width, height = arm.gripper_width(), call.kit.motion_config.approach_height
    arm.request = replace(grasping.approach_request(call, grasp), gripper_width=width)
    call.in_phases([('release', lambda: arm.open_to(max(grasp.opening, width)))])
    left = call.in_phases([('retreat', lambda: arm.leave(height))])
    if left.stage is FailedStage.PLANNING:
        left = call.in_phases([('retreat', lambda: arm.to_pose(arm.tcp().moved(dz=height)))])
    if left.success:  # half open pads may be taken for pads that hold what is not seen
        call.in_phases([('release', lambda: arm.open_to(call.kit.robot.max_gripper_width))])
