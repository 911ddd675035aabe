# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm from its sidecar and its model: everything that can be computed is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from replan_agent.arms.arm_model import (
    ArmLooks,
    ArmModel,
    ArmShapes,
    Box,
    Dynamics,
    HandCamera,
    HandMap,
    Hull,
    Inertia,
    LinkSolid,
)
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.text.setting import ConfigError, key_path

from .arm_chain import ArmChain, arm_chain
from .arm_ros import arm_ros
from .branches import FIRST, FormulaBranches, NumericBranches, even_shares
from .chain import ChainKinematics
from .compiled import Compiled, inverse
from .formulas import FormulaProof, Formulas, formulas_of
from .hand_build import hand_map, hand_shape, link_hulls
from .kept import Kept
from .looking import look_postures
from .measured_hand import MeasuredHand, measured_hand
from .model_text import model_text
from .reach import STRETCHED_M, StretchBound, worked_ring
from .self_contact import never_touch
from .sidecar import ArmFile, read_sidecar

MATERIALS = {'shell': (0.86, 0.87, 0.88), 'joint': (0.36, 0.46, 0.58), 'hand': (0.16, 0.16, 0.18),
             'pad': (0.05, 0.05, 0.05)}
ARMATURE, LEAST_ARMATURE = 0.006, 0.1  # kg m² for each N·m of the motor; at least
SLOW, FAST, LIGHT = 40.0, 50.0, 0.5  # rad/s: of heavy joints, more of light ones; kg m²
CRITICAL = 1.1
BESIDE_FOOT_M = 0.12  # nearer to it, the hand has no room


@dataclass(frozen=True, eq=False)
class LoadedArm:
    """The arm, and what was repaired or assumed, for people."""

    arm: ArmModel
    notes: tuple[str, ...]
    file: ArmFile
    files: tuple[Path, ...]  # that it was read from


def load_arm(path: Path) -> LoadedArm:
    """The arm of a sidecar. Raises ConfigError: one sentence."""
    file = read_sidecar(path)
    texts = [model_text(model) for model in (file.model, file.hand) if model is not None]
    arm = own = Compiled(texts[0])
    if file.hand is not None:
        own = Compiled(texts[1])
    hand = measured_hand(own, file, own_model=own is not arm)
    fingers = tuple(own.model.joint(group.joint).name for group in hand.fingers
                    if group.joint is not None)
    chain = arm_chain(arm, file, fingers, hand.root)
    same = set(file.said.joints) & set(fingers)
    if same:
        raise ConfigError(f'{own.text.path}: the arm has a joint {min(same)}, too; give that of '
                          'the hand another name')
    kept = Kept(path, texts)
    model = _built(chain, hand, file, kept)
    kept.write()
    notes = tuple(dict.fromkeys((*arm.text.notes, *own.text.notes)))
    return LoadedArm(model, notes, file, (path, *(part for text in texts
                                                  for part in (text.path, *text.files))))


def _built(chain: ArmChain, hand: MeasuredHand, file: ArmFile, kept: Kept) -> ArmModel:
    said = file.said
    at = _hand_in_link(chain, hand, file)
    kinematics = ChainKinematics(chain.limits, chain.mounts, at, hand.tcp_m)
    formulas = formulas_of(kinematics)
    bound = StretchBound(kinematics, _unproved(formulas))
    shoulder = (float(bound.shoulder[0]), float(bound.shoulder[1]), float(bound.shoulder[2]))
    branches = (NumericBranches(kinematics, bound.span_m, shoulder) if formulas is None else
                FormulaBranches(kinematics, bound.span_m, shoulder, formulas))
    chain.compiled.move({})
    links = _kept_hulls(kept, 'links', lambda: [
        link_hulls(chain.compiled, bodies, frame)
        for bodies, frame in zip(chain.links, chain.frames)])
    foot = _foot(links[0])
    near, far = kept.get('ring', lambda: worked_ring(branches, bound.span_m))
    near = min(max(near, max(foot.size) / 2 + BESIDE_FOOT_M), far)
    shape = hand_shape(hand, said.gripper.force, said.gripper.speed, (near, far),
                       (max(far + STRETCHED_M[0], near), far + STRETCHED_M[1]))
    gripper = hand_map(hand)
    inertias = tuple(chain.compiled.inertia(bodies, frame)
                     for bodies, frame in zip(chain.links, chain.frames))
    hand.compiled.move(hand.at(shape.max_width_m / 2))
    palm = hand.compiled.inertia(hand.palm.bodies, hand.T_world_hand)
    hand_kg = palm.mass + sum(body.inertia.mass for body in gripper.fingers)
    if said.payload <= hand_kg:
        raise ConfigError(f'{key_path(str(file.path), "payload")}: the hand alone weighs '
                          f'{hand_kg:.2f} kg; write what the arm carries at its flange, kg')
    home = kinematics.forward(np.array(said.home))
    palm_hulls, = _kept_hulls(kept, 'palm', lambda: [
        link_hulls(hand.compiled, hand.palm.bodies, hand.T_world_hand)])
    shapes = ArmShapes(links, palm_hulls, foot)
    camera = _camera(chain, hand, file)
    looks = () if camera is None else kept.get('looks', lambda: look_postures(
        branches, camera, hand.tcp_m, (near, far), np.array(said.home)))
    arm = ArmModel(
        name=file.name, other_names=(), kinematics=kinematics, branches=branches,
        prove=bound if formulas is None else FormulaProof(formulas, chain.limits, bound),
        mounts=chain.mounts, T_link_hand=at, home=said.home,
        home_tcp=(float(home[0, 3]), float(home[1, 3]), float(home[2, 3])),
        look_postures=tuple((side, tuple(joints)) for side, joints in looks),
        shoulder=shoulder, span_m=bound.span_m, hand=shape, gripper=gripper,
        shapes=shapes, never_touch=(), hand_camera=camera,
        max_load_kg=said.payload - hand_kg,
        dynamics=_dynamics(kinematics, inertias, palm, said.payload),
        looks=_looks(file.name, shapes, gripper),
        ros=arm_ros(file.name, said, chain, hand, gripper))
    pairs = kept.get('never_touch', lambda: never_touch(arm, file))
    return replace(arm, never_touch=tuple((a, b) for a, b in pairs))


def _unproved(formulas: Formulas | None) -> str:
    """What is said of a pose that has no known solution and no proof."""
    if formulas is not None and formulas.is_exact:
        return 'not found, and not ruled out: it is near a singularity or a limit'
    return f'not found in {NumericBranches.tries if formulas is None else FIRST} tries'


def _kept_hulls(kept: Kept, name: str, compute: Callable[[], list[tuple[Hull, ...]]]
                ) -> tuple[tuple[Hull, ...], ...]:
    """The convex pieces of some bodies."""
    found = kept.get(name, lambda: [[hull.corners for hull in hulls] for hulls in compute()])
    return tuple(tuple(Hull(tuple((x, y, z) for x, y, z in corners)) for corners in hulls)
                 for hulls in found)


def _hand_in_link(chain: ArmChain, hand: MeasuredHand, file: ArmFile) -> Pose:
    """The hand's frame in that of the last joint."""
    said = file.said.hand
    chain.compiled.move({})
    at = hand.T_world_hand
    if said is not None:
        mount = chain.compiled.frame_pose(said.at, key_path(str(file.path), 'hand.at'))
        _check_beyond(chain, said.at, file)
        at = mount @ Pose.from_rpy(*said.xyz, *said.rpy).matrix() @ at
    return Pose.from_matrix(inverse(chain.frames[-1]) @ at)


def _check_beyond(chain: ArmChain, name: str, file: ArmFile) -> None:
    """Raise ConfigError unless the last joint carries the place of the hand."""
    compiled = chain.compiled
    body = compiled.bodies.get(name)
    if body is None:
        body = int(compiled.model.site_bodyid[compiled.sites[name]])
    if body not in chain.links[-1]:
        raise ConfigError(f'{key_path(str(file.path), "hand.at")}: {name} is not carried by the '
                          f'last joint, {file.said.joints[-1]}; name a body or link beyond it')


def _foot(base: tuple[object, ...]) -> Box:
    corners = np.array([c for part in base if isinstance(part, Hull) for c in part.corners]
                       or [(-0.1, -0.1, 0.0), (0.1, 0.1, 0.1)])
    low, high = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
    (x, y), (a, b) = ((low + high) / 2).tolist(), (high - low).tolist()
    return Box((x, y, 0.0), (a, b, 0.0))


def _looks(arm: str, shapes: ArmShapes, gripper: HandMap) -> ArmLooks:
    """The convex pieces themselves are drawn: by the names that they have in the world."""
    bodies = {**{f'link{i}': parts for i, parts in enumerate(shapes.links)}, 'hand': shapes.hand,
              **{body.name: body.shapes for body in gripper.fingers}}
    parts = {name: tuple(LinkSolid('hand' if name[:4] != 'link' else 'joint' if int(name[4:]) % 2
                                   else 'shell', {'type': 'mesh', 'mesh': f'{arm}_{name}_wrap{k}'})
                         for k in range(len(hulls))) for name, hulls in bodies.items()}
    for body in gripper.fingers:
        parts[body.name] += tuple(LinkSolid('pad', {
            'type': 'box', 'pos': pad.centre, 'size': [side / 2 for side in pad.size]})
            for pad in body.pads)
    return ArmLooks(MATERIALS, parts)


def _camera(chain: ArmChain, hand: MeasuredHand, file: ArmFile) -> HandCamera | None:
    said = file.said.camera
    if said is None:
        return None
    own = hand.compiled
    compiled = own if said.frame in {*own.bodies, *own.sites} else chain.compiled
    where = key_path(str(file.path), 'camera.frame')
    T = compiled.frame_pose(said.frame, where) @ Pose.from_rpy(
        *said.xyz, *said.rpy).matrix()
    base = hand.T_world_hand
    if compiled is not hand.compiled:
        base = chain.frames[-1] @ _hand_in_link(chain, hand, file).matrix()
    at = Pose.from_matrix(inverse(base) @ T)
    width, height = map(int, said.size)
    return HandCamera(at, said.fovy, (width, height), Box(at.position, (0.03, 0.09, 0.03)))


def _dynamics(kinematics: ChainKinematics, links: tuple[Inertia, ...], palm: Inertia,
              payload_kg: float) -> Dynamics:
    """Motors and servos that suit the arm's own inertia: near critical damping."""
    limits = kinematics.limits
    armature = np.maximum(ARMATURE * limits.effort, LEAST_ARMATURE)
    turned = _largest_inertia(kinematics, links, payload_kg) + armature
    speed = SLOW + FAST / (1 + (turned / LIGHT) ** 2)
    count = len(armature)
    return Dynamics(
        links, palm, armature=tuple(map(float, armature)), joint_damping=(1.0,) * count,
        stiffness=tuple(map(float, turned * speed**2)),
        servo_damping=tuple(map(float, 2 * CRITICAL * turned * speed)), gripper_stiffness=4000.0,
        gripper_damping=20.0, grasp_target_m=-0.02, finger_armature=0.5, finger_damping=150.0)


def _largest_inertia(kinematics: ChainKinematics, links: tuple[Inertia, ...],
                     payload_kg: float) -> FloatArray:
    """The largest inertia (kg m²) about each joint in many postures, with half the payload."""
    limits, count = kinematics.limits, len(links) - 1
    postures = limits.lower + even_shares(count, 100) * (limits.upper - limits.lower)
    frames = kinematics.link_frames(postures)
    found = np.zeros((len(postures), count))
    for i in range(count):
        axis, place = frames[:, i, :3, 2], frames[:, i, :3, 3]
        for j in range(i, count):
            body = links[j + 1]
            centre = frames[:, j, :3, :3] @ np.array(body.centre) + frames[:, j, :3, 3]
            arm = np.linalg.norm(np.cross(axis, centre - place), axis=1)
            found[:, i] += body.mass * arm**2 + max(body.tensor[:3])
        arm = np.linalg.norm(np.cross(axis, frames[:, -1, :3, 3] - place), axis=1)
        found[:, i] += payload_kg / 2 * arm**2
    return np.asarray(found.max(axis=0))
