# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain of an arm's joints in its model: frames, limits and which bodies each link has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits
from replan_agent.text.setting import ConfigError, key_path

from .chain import Mount
from .compiled import HINGE, Compiled, inverse
from .sidecar import ArmFile

ALL_AROUND, ROUNDED_RAD = 2 * math.pi, 0.01
FRANKA_EFFORT = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)  # that the contact guard suits


@dataclass(frozen=True)
class ArmChain:
    """`frames` (n + 1, 4, 4): of the base and the joints at 0, in the model's world."""

    compiled: Compiled
    joints: tuple[int, ...]
    limits: JointLimits
    frames: FloatArray
    links: tuple[tuple[int, ...], ...]  # the bodies of the base and of each link

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The frame of each joint in the one before it."""
        steps = (Pose.from_matrix(inverse(before) @ frame)
                 for before, frame in zip(self.frames, self.frames[1:]))
        return tuple((step.position, step.quaternion) for step in steps)


def arm_chain(compiled: Compiled, file: ArmFile, fingers: tuple[str, ...],
              hand_body: int | None) -> ArmChain:
    """The chain that the sidecar names. `hand_body` is where the hand begins in this model."""
    where, said = str(file.path), file.said
    joints = tuple(compiled.joint(name, key_path(where, 'joints')) for name in said.joints)
    model = compiled.model
    for name, joint in zip(said.joints, joints):
        if model.jnt_type[joint] != HINGE:
            raise ConfigError(f'{key_path(where, "joints")}: {name} slides; only joints that turn '
                              'can be used, for example  joints: [joint1, joint2, ...]')
        mimic = compiled.text.mimics.get(name)
        if mimic is not None:
            raise ConfigError(f'{key_path(where, "joints")}: {name} follows {mimic.joint} '
                              f'(<mimic> in {compiled.path.name}); an arm whose joints follow '
                              'each other is not read: take the <mimic> out if it has a motor of '
                              'its own')
    compiled.move({})
    bodies = [int(model.jnt_bodyid[joint]) for joint in joints]
    _check_order(compiled, said.joints, joints, bodies, where)
    base = (compiled.body(said.base, key_path(where, 'base')) if said.base
            else int(model.body_parentid[bodies[0]]))
    if base and base not in compiled.parents(bodies[0]):
        raise ConfigError(f'{key_path(where, "base")}: {said.base} does not carry '
                          f'{said.joints[0]}; write the body or link below the first joint')
    left_out = {compiled.body(name, key_path(where, 'leave_out')) for name in said.leave_out}
    carrying = [body for body in (base, *bodies) if body in left_out]
    if carrying:
        raise ConfigError(f'{key_path(where, "leave_out")}: {model.body(carrying[0]).name} is a '
                          'link of the arm; name only what its joints do not need')
    first = 0 if base == 0 else base
    frames = [compiled.body_pose(first), *map(compiled.joint_pose, joints)]
    links = _links(compiled, first, bodies, left_out, hand_body)
    _note_others(compiled, joints, fingers)
    return ArmChain(compiled, joints, _limits(compiled, file, joints), np.stack(frames), links)


def _check_order(compiled: Compiled, names: tuple[str, ...], joints: tuple[int, ...],
                 bodies: list[int], where: str) -> None:
    """Raise ConfigError unless each joint carries the next one, and no other is between them."""
    model = compiled.model
    for k in range(1, len(bodies)):
        between = compiled.parents(bodies[k])
        if bodies[k - 1] not in between or joints[k] <= joints[k - 1]:
            raise ConfigError(f'{key_path(where, "joints")}: {names[k]} is not carried by '
                              f'{names[k - 1]}; name the joints of one arm, base first')
        for body in between[:between.index(bodies[k - 1])]:
            for joint in range(model.body_jntadr[body], model.body_jntadr[body]
                               + model.body_jntnum[body]):
                if joint not in joints:
                    raise ConfigError(
                        f'{key_path(where, "joints")}: {model.joint(joint).name} is between '
                        f'{names[k - 1]} and {names[k]} and is missing; name it there')


def _links(compiled: Compiled, base: int, bodies: list[int], left_out: set[int],
           hand_body: int | None) -> tuple[tuple[int, ...], ...]:
    """The bodies that are one piece with the base, and with each joint; the hand's are its own."""
    found: list[tuple[int, ...]] = []
    for k, body in enumerate([base, *bodies]):
        others = {*bodies[k:], *left_out, *([] if hand_body is None else [hand_body])}
        found.append(() if body == hand_body else
                     tuple(b for b in compiled.below(body, others) if b))
    return tuple(found)


def _limits(compiled: Compiled, file: ArmFile, joints: tuple[int, ...]) -> JointLimits:
    said, text, model, where = file.said, compiled.text, compiled.model, str(file.path)
    low, high, effort, velocity = [], [], [], []
    home = np.array(said.home)
    for name, joint, rest in zip(said.joints, joints, home):
        given = (said.ranges or {}).get(name)
        limited = bool(model.jnt_limited[joint])
        lower, upper = given or (tuple(map(float, model.jnt_range[joint])) if limited
                                 else (-math.inf, math.inf))
        if given and limited and not model.jnt_range[joint][0] - ROUNDED_RAD <= lower <= upper <= (
                model.jnt_range[joint][1] + ROUNDED_RAD):
            text.note(f'{name} may turn farther by ranges than {compiled.path.name} says: '
                      f'{lower:g} to {upper:g} rad is used')
        if given is None and upper - lower > ALL_AROUND + 1e-3:
            lower, upper = (max(lower, float(rest) - math.pi), min(upper, float(rest) + math.pi))
            text.note(f'{name} turns all around; half a turn to each side of home is used (ranges '
                      'may say more)')
        if not lower <= rest <= upper:
            raise ConfigError(f'{key_path(where, "home")}: {name} is at {rest:g} rad, outside its '
                              f'range {lower:.3f} to {upper:.3f}')
        low.append(lower)
        high.append(upper)
        effort.append(text.effort.get(name) or compiled.effort(joint))
        velocity.append(text.velocity.get(name, 0.0))
    unknown = set(said.ranges or ()) - set(said.joints)
    if unknown:
        raise ConfigError(f'{key_path(where, "ranges")}: {sorted(unknown)[0]} is not one of the '
                          f'joints: {", ".join(said.joints)}')
    for key, values, example in (('velocity', velocity, '3.14'), ('effort', effort, '87')):
        if not getattr(said, key) and not all(values):
            missing = said.joints[values.index(0.0)]
            raise ConfigError(f'{key_path(where, key)}: it is missing, and {compiled.path.name} '
                              f'does not say it for {missing}; for example: {key}: {example}')
    efforts = np.array(said.of_each(said.effort) or effort)
    usual = np.interp(np.linspace(0, 1, len(efforts)), np.linspace(0, 1, 7), FRANKA_EFFORT)
    return JointLimits(
        said.ros.joints or said.joints, np.array(low), np.array(high),
        np.array(said.of_each(said.velocity) or velocity),
        np.array(said.of_each(said.acceleration)), np.array(said.of_each(said.jerk)),
        efforts, guard_scale=min(1.0, float(np.exp(np.mean(np.log(efforts / usual))))))


def _note_others(compiled: Compiled, joints: tuple[int, ...], fingers: tuple[str, ...]) -> None:
    others = [name for name, joint in compiled.joints.items()
              if joint not in joints and name not in fingers]
    if others:
        compiled.text.note(f'these joints stay at 0: {", ".join(others)}')
