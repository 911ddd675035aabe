# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""wipe: slide what is held over a dirty area, with a force that is kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    MotionRequest,
    Pose,
    Reason,
    SceneObject,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import T_tcp_thing, have_let_go
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import look_at_rest, way_to
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.motion.motion_protocols import MotionOutcome

from .contact_motion import line, stroke
from .held_poses import standing, upright_axis
from .reaching import first_way
from .sliding import Band, Slid, Slide
from .stain import SOFT, WIPED, Stain

FORCE_N, LOW, HIGH = 8.0, 0.4, 2.5  # on the table; the shares of it that wipe, and are too much
GRIP_N = 70.0
ABOVE_M, DEEPER_M = 0.01, 0.01  # where the guarded move begins, and how far below it may find it
TOUCH_N = 4.0
EDGE_M = 0.004  # so far beyond the area it wipes
OVERLAP_M = 0.012  # of two lines beside each other
PIECE_M = 0.01
LEAST_WAY_M = 0.01  # also where the whole area is below it
BESIDE_M = 0.004  # a thing so near is met
AGAIN = 1  # times that it goes over all of it again, if the force was too low
LIFT_M = 0.05


@dataclass(frozen=True)
class Lines:
    """TCP poses on the surface, and the way to above the first."""

    path: tuple[Pose, ...]
    approach: JointTrajectory


class Wipe(Skill):
    spec = SkillSpec(
        name='wipe',
        description='Wipe a dirty area of the table with the sponge or cloth that is held.',
        arguments=takes('object', 'tool', object=name_of('dirty area'), tool={
            'type': 'string', 'pattern': '|'.join(SOFT),
            'description': 'the sponge or cloth that is held'}, force={
            'type': 'number', 'minimum': 4, 'maximum': 20, 'default': FORCE_N,
            'description': 'N on the table'}),
        object_arguments=('object', 'tool'), needs_held=True,
        effect=Effect(EffectKind.SET, object='object', target='tool', force='force',
                      state=WIPED),
        adjustable=('force',), example='wipe(object="stain", tool="sponge")')

    def check(self, call: Call) -> SkillResult | None:
        stain, tool = call.scene.get(call.args['object']), call.scene.in_hand
        if stain is None or not stain.can_be(WIPED):
            known = ', '.join(o.name for o in call.scene.objects if o.can_be(WIPED))
            return precondition(f'{call.args["object"]} is no dirty area; there are: '
                                f'{known or "none"}', Reason.BAD_ARGUMENTS)
        if tool is None or tool.name != call.args['tool']:
            return precondition(f'the hand holds {call.scene.held}, not {call.args["tool"]}')
        if stain.states is not None and stain.states.now == WIPED:
            return precondition(f'{stain.name} is wiped already', cause=Cause.ALREADY_SO)
        there = _on_it(call, stain, tool)
        return failed(Reason.PATH_BLOCKED, f'{", ".join(there)} stands where {tool.name} goes '
                      f'over {stain.name}', 'planning', cause=Cause.APPROACH_BLOCKED,
                      blockers=there) if there else None

    def foresee(self, call: Call) -> SkillResult:
        found = _lines(call, call.kit.robot.home)
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        lines = _lines(call, call.kit.robot.state().joints)
        if isinstance(lines, SkillResult):
            return lines
        tool, grip = held_by(call), call.kit.robot.state().gripper_width
        arm, first = Arm(call, _holding(call)), lines.path[0]
        before = call.in_phases([
            ('grip', lambda: arm.close(GRIP_N)), ('approach', lambda: arm.follow(lines.approach)),
            ('lower', lambda: arm.straight(first.moved(dz=ABOVE_M)))])
        if not before.success:
            return before
        call.on_phase(self.spec.name)
        done = _wiped(call, arm, lines.path)
        now = arm.gripper_width()
        told = {**done.evidence, 'gripper_width': now}
        if have_let_go(grip, now):
            done = failed(Reason.GRASP_SLIPPED, f'the fingers lost {tool.name} on the table: they '
                          f'were {grip * 1000:.1f} mm apart, now {now * 1000:.1f} mm')
        left = call.in_phases([('retreat', lambda: arm.straight(arm.tcp().moved(dz=LIFT_M)))])
        done = left if done.success and not left.success else done
        return replace(done, evidence={**done.evidence, **told})

    def verify(self, call: Call) -> SkillResult:
        """All of the area was below it, pressed; and a look must not tell otherwise."""
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        now, most = scene.get(call.args['object']), call.measured['most_n']
        left = now.left if isinstance(now, Stain) else None
        told: dict[str, Any] = {'left': left, 'seen': now is not None}
        if now is not None and now.states is not None and now.states.now != WIPED:
            share = f', {left:.0%} of it' if left is not None else ''
            return unverified(f'{now.name} is still seen{share}, though all of it was wiped with '
                              f'{call.measured["least_n"]:.0f} to {most:.0f} N',
                              cause=Cause.NOT_WHERE_PUT, **told)
        return succeeded(f'{call.args["object"]} was wiped with {call.measured["least_n"]:.0f} to '
                         f'{most:.0f} N', **told)


def _wiped(call: Call, arm: Arm, path: tuple[Pose, ...]) -> SkillResult:
    """Down to the table, and over it with the force."""
    wanted = call.args.get('force', FORCE_N)
    down, calm = np.array([0.0, 0.0, -1.0]), call.kit.robot.state().external_torque
    band = Band(LOW * wanted, wanted, HIGH * wanted)
    touch = stroke(call, arm, line(down, path[0]), ABOVE_M + DEEPER_M, TOUCH_N, piece_m=0.005,
                   calm=calm)
    if touch.failure is not None and not touch.resisted:
        return touch.failure
    if touch.failure is None:
        return failed(Reason.CONTROLLER_ABORTED, f'{held_by(call).name} touched nothing: it went '
                      f'{DEEPER_M * 1000:.0f} mm below where the table was seen',
                      cause=Cause.HELD_UP)
    slide = Slide(call, arm, down, band, calm)
    for _ in range(1 + AGAIN):
        pressed = slide.press(path[0])
        if not pressed.success:
            return pressed
        slid = slide.over(path)
        result = _told(call, slid, band)
        if result.success or slid.failure is not None:
            break
        path = path[::-1]
    return result


def _told(call: Call, slid: Slid, band: Band) -> SkillResult:
    least, most = min(slid.forces, default=0.0), max(slid.forces, default=0.0)
    told: dict[str, Any] = {'least_n': least, 'most_n': most, 'pieces': len(slid.forces)}
    if slid.failure is not None:
        return replace(slid.failure, evidence={**slid.failure.evidence, **told})
    light = sum(force < band.low for force in slid.forces)
    if light:
        return failed(Reason.CONTROLLER_ABORTED, f'{held_by(call).name} pressed with '
                      f'{least:.1f} N only, at {light} of {len(slid.forces)} places: less than '
                      f'{band.low:.1f} N wipes nothing', cause=Cause.HELD_UP, **told)
    return succeeded(**told)


def _lines(call: Call, start: FloatArray) -> Lines | SkillResult:
    """The first way to hold the tool on the table from which it gets over all of the area."""
    stain, motion, request = _stain(call), call.kit.motion, _holding(call)
    x, y, _ = stain.position

    def go_over(tcp: Pose, joints: FloatArray) -> Lines | MotionOutcome:
        corners, path = _path(call, tcp)
        above = motion.straight(joints, corners[0].moved(dz=ABOVE_M), request, call.ctx)
        if above.trajectory is None:
            return above
        there = above.trajectory.end
        for corner in corners:
            outcome = motion.straight(there, corner.moved(dz=-DEEPER_M / 2), request, call.ctx)
            if outcome.trajectory is None:
                return outcome
            there = outcome.trajectory.end
        up = motion.straight(above.trajectory.end, corners[0].moved(dz=LIFT_M), request, call.ctx)
        if up.trajectory is None:
            return up
        way = way_to(call, start, up.trajectory.end, request, stain.name)
        return way if way.trajectory is None else Lines(path, way.trajectory)

    return first_way(call, standing(call, (x, y), stain.top_z, stain.pose.yaw), request,
                     f'over {stain.name}', f'the hand does not get over {stain.name}', go_over,
                     most=2)


def _path(call: Call, middle: Pose) -> tuple[list[Pose], tuple[Pose, ...]]:
    """TCP poses on lines over the area, and only their ends; `middle` is the one at its middle."""
    stain, arm = _stain(call), call.scene.arm
    assert arm is not None
    turned = stain.pose.rotation.T @ (middle.matrix() @ T_tcp_thing(held_by(call), arm))[:3, :3]
    wide = np.abs(turned) @ held_by(call).size
    spans = [max((side - its) / 2 + EDGE_M, 0.0) for side, its in zip(stain.size, wide)]
    along = 0 if spans[0] >= spans[1] else 1
    reach = max(spans[along], LEAST_WAY_M)
    rows = math.ceil(2 * spans[1 - along] / max(wide[1 - along] - OVERLAP_M, OVERLAP_M)) + 1
    ends = []
    for number, aside in enumerate(np.linspace(-1, 1, rows) * spans[1 - along] if rows > 1
                                   else [0.0]):
        for end in (-reach, reach) if number % 2 == 0 else (reach, -reach):
            own = np.zeros(3)
            own[along], own[1 - along] = end, aside
            ends.append(stain.pose.rotation @ own)
    corners = [middle.moved(*end) for end in ends]
    path = [corners[0]]
    for corner in corners[1:]:
        here = np.array(path[-1].position)
        steps = max(1, math.ceil(math.dist(here, corner.position) / PIECE_M))
        by = (np.array(corner.position) - here) / steps
        path += [path[-1].moved(*(number * by)) for number in range(1, steps + 1)]
    return corners, tuple(path)


def _on_it(call: Call, stain: SceneObject, tool: SceneObject) -> tuple[str, ...]:
    """What stands on the area, or so near that the tool meets it."""
    wide, deep = (side + 2 * (EDGE_M + BESIDE_M) for side in stain.size[:2])
    around = replace(stain, size=(wide, deep, stain.size[2]))
    high = stain.top_z + tool.size[upright_axis(tool)]
    return tuple(o.name for o in call.scene.movable() if o.name != tool.name
                 and o.bottom_z < high and gap_m(parts(o), parts(around)) <= 0.0)


def _holding(call: Call) -> MotionRequest:
    """The tool may touch the table and the area."""
    table, tool = call.scene.table, held_by(call).name
    names = (_stain(call).name, *((table.name,) if table is not None else ()))
    return MotionRequest(call.scene, tuple((tool, name) for name in names))


def _stain(call: Call) -> SceneObject:
    stain = call.scene.get(call.args['object'])
    assert stain is not None  # `check` passed
    return stain
