# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What hangs on a joint of a MuJoCo model: a drawer, a door, a knob, as a thing with a state.

Nothing here knows whose furniture it is. What is closed is at that end of its range that is nearer
to 0, where models start. A handle is what stands out beyond the front, to where it opens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from replan_agent_contact.joint import Joint, Jointed, JointKind

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.gl import mujoco

from .robot_world import RobotWorld, pose_of
from .solids import corners_of, solid_geoms, thing_of, upright

KINDS = {int(mujoco.mjtJoint.mjJNT_SLIDE): JointKind.SLIDE,
         int(mujoco.mjtJoint.mjJNT_HINGE): JointKind.HINGE}
FRONT = 0.7  # of the largest face of a part: a front is no smaller
BEYOND_M = 0.002  # what reaches so far beyond the front is of the handle
KNOB_M = 0.03  # a part so near to the axis of its hinge turns in place
SWITCHED = ('on', 'off')


@dataclass(frozen=True)
class Hung:
    """What hangs on a joint: its solid and its handle in frames of their own, and those in its
    body. `sign`: how the number of the joint changes as it opens. A `latch` hangs on it."""

    joint: int
    sign: float
    part_of: str
    thing: SceneObject
    T_body_thing: FloatArray
    bar: SceneObject | None
    T_body_bar: FloatArray
    latch: Hung | None = None
    is_lever: bool = False


def joints_of(model: mujoco.MjModel, body: int) -> list[int]:
    """The hinges and slides, with an end, of what hangs on a body."""
    return [joint for joint in range(model.njnt)
            if int(model.jnt_type[joint]) in KINDS and model.jnt_limited[joint]
            and model.body_rootid[model.jnt_bodyid[joint]] == model.body_rootid[body]]


def with_latch(world: RobotWorld, joint: int, latch: int, name: str, part_of: str) -> Hung:
    """A part that has a latch: another joint on it, which has the handle."""
    lever = solid_geoms(world.model, int(world.model.jnt_bodyid[latch]))
    own = [geom for geom in solid_geoms(world.model, int(world.model.jnt_bodyid[joint]))
           if geom not in lever]
    return replace(hung_on(world, joint, own, name, '', part_of, None), latch=hung_on(
        world, latch, lever, f'{name}_latch', f'{name}_handle', name, None, is_lever=True))


def hung_on(world: RobotWorld, joint: int, geoms: Sequence[int], name: str, handle: str,
            part_of: str, shape: Shape | None, is_lever: bool = False) -> Hung:
    """What hangs on a joint now. `geoms` are its solids; `shape` is that of a container.

    `handle` is what its handle is called, if it has one. That of a lever is what reaches farthest
    from its axis.
    """
    model, data = world.model, world.data
    body = int(model.jnt_bodyid[joint])
    T_world_body, sign = pose_of(data.body(body)), _sign(model, joint)
    axis, at = sign * data.xaxis[joint], data.xanchor[joint]
    solids = {geom: corners_of(model, data, geom) for geom in geoms}
    centre = np.concatenate(list(solids.values()))
    centre = (centre.min(axis=0) + centre.max(axis=0)) / 2
    lever = centre - at - axis * (axis @ (centre - at))
    if is_lever:
        far = {g: float(np.linalg.norm(np.cross(c - at, axis), axis=1).max())
               for g, c in solids.items()}
        bar: int | None = max(far, key=far.__getitem__)
        own = [g for g in solids if g != bar]
    elif model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE:
        own, bar = _handle(solids, axis)
    elif np.linalg.norm(lever) > KNOB_M:
        own, bar = _handle(solids, np.cross(axis, lever))
    else:
        solids, bar = _grip(solids, axis), None
        own = [*solids]
    frame = T_world_body.copy()
    frame[:3, :3] = frame[:3, :3] @ upright(frame[:3, :3])
    thing, T_thing = _in_frame(frame, [solids[g] for g in own], name, shape)
    back = np.linalg.inv(T_world_body)
    if bar is None:
        return Hung(joint, sign, part_of, thing, back @ T_thing, None, back)
    seen, T_bar = _bar(solids[bar], data.geom_xmat[bar].reshape(3, 3), handle)
    return Hung(joint, sign, part_of, thing, back @ T_thing, seen, back @ T_bar,
                is_lever=is_lever)


def _handle(solids: Mapping[int, FloatArray], out: FloatArray) -> tuple[list[int], int | None]:
    """The solids of the part itself, and the bar of its handle: what stands out farthest."""
    out = out / np.linalg.norm(out)
    sides = np.linalg.svd(out[None])[2][1:]
    faces = {g: float(np.prod(np.ptp(c @ sides.T, axis=0))) for g, c in solids.items()}
    reach = {g: float((c @ out).max()) for g, c in solids.items()}
    front = max(reach[g] for g in solids if faces[g] >= FRONT * max(faces.values()))
    own = [g for g in solids if reach[g] <= front + BEYOND_M]
    beyond = [g for g in solids if g not in own]
    return own, max(beyond, key=reach.__getitem__) if beyond else None


def _grip(solids: Mapping[int, FloatArray], axis: FloatArray) -> dict[int, FloatArray]:
    """The solids of a knob that stand up, from where the others end."""
    tops = {g: float((c @ axis).max()) for g, c in solids.items()}
    half = (min(float((c @ axis).min()) for c in solids.values()) + max(tops.values())) / 2
    floor = max((top for top in tops.values() if top <= half), default=-np.inf)
    return {g: c + np.outer(np.maximum(floor - c @ axis, 0.0), axis)
            for g, c in solids.items() if tops[g] > half}


def _in_frame(frame: FloatArray, parts: Sequence[FloatArray], name: str, shape: Shape | None
              ) -> tuple[SceneObject, FloatArray]:
    thing, centre = thing_of(name, [(c - frame[:3, 3]) @ frame[:3, :3] for c in parts], shape,
                             False)
    T = frame.copy()
    T[:3, 3] += T[:3, :3] @ centre
    return thing, T


def _bar(corners: FloatArray, rotation: FloatArray, name: str) -> tuple[SceneObject, FloatArray]:
    """A bar as a cylinder along its longest side."""
    size = np.ptp(corners @ rotation, axis=0)
    long = int(np.argmax(size))
    thick = float(max(np.delete(size, long)))
    T = np.eye(4)
    T[:3, :3] = np.column_stack([rotation[:, (long + 1) % 3], rotation[:, (long + 2) % 3],
                                 rotation[:, long]])
    T[:3, 3] = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return SceneObject(name, Shape.CYLINDER, (thick, thick, float(size[long])),
                       Pose((0.0, 0.0, 0.0)), movable=False), T


def _sign(model: mujoco.MjModel, joint: int) -> float:
    low, high = model.jnt_range[joint]
    return 1.0 if abs(low) <= abs(high) else -1.0


def now(world: RobotWorld, hung: Hung, shuts: str = '') -> list[SceneObject]:
    """The part, its latch and its handle, as they are now."""
    model, data = world.model, world.data
    T_base_body = world.in_base(pose_of(data.body(int(model.jnt_bodyid[hung.joint]))))
    turn = world.in_base(np.eye(4))[:3, :3]
    low, high = sorted((hung.sign * model.jnt_range[hung.joint]).tolist())
    at = np.eye(4)
    at[:3, 3] = data.xanchor[hung.joint]
    latch = now(world, hung.latch) if hung.latch else []
    turns = hung.is_lever or not (hung.bar or latch or shuts or hung.thing.shape is Shape.BIN)
    joint = Joint(KINDS[int(model.jnt_type[hung.joint])],
                  _vector(hung.sign * turn @ data.xaxis[hung.joint]),
                  _vector(world.in_base(at)[:3, 3]), low, high,
                  hung.sign * float(data.qpos[model.jnt_qposadr[hung.joint]]),
                  () if turns else ('open', 'closed'))
    pose = Pose.from_matrix(T_base_body @ hung.T_body_thing)
    bar = hung.bar and replace(hung.bar, pose=Pose.from_matrix(T_base_body @ hung.T_body_bar))
    handle = bar.name if bar else latch[-1].name if latch else ''
    inside = 'open' if hung.thing.is_container or shuts else ''
    states = joint.states(joint.moved(pose, joint.low - joint.state), inside,
                          tuple(o.name for o in latch) or ((handle,) if handle else ()), shuts)
    part = Jointed(**{**vars_of(hung.thing), 'pose': pose, 'states': states, 'joint': joint,
                      'handle': handle, 'part_of': hung.part_of,
                      'latch': latch[0].name if latch else ''})
    return [part, *([bar] if bar else latch)]


def vars_of(thing: SceneObject) -> dict[str, Any]:
    return {key: getattr(thing, key) for key in SceneObject.__dataclass_fields__}


def switch_of(thing: SceneObject, knob: Jointed) -> SceneObject:
    """The thing that its knob switches: on where it is turned all the way, off at the start."""
    joint = knob.joint
    assert joint is not None
    states = replace(joint, words=SWITCHED).states(thing.pose, '', (knob.name,))
    return replace(thing, states=replace(states, poses=(thing.pose,) * 2))


def _vector(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
