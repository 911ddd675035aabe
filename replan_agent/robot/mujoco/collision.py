# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Collision checks with MuJoCo, on a private copy of the perceived scene."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.hand import T_tcp_thing
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ArmSnapshot, SceneObject, Shape
from replan_agent.geometry.buildable import buildable
from replan_agent.motion.motion_protocols import (
    CollisionChecker,
    Contact,
    FoundContact,
    MotionRequest,
)
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node, to_xml
from replan_agent.robot.mujoco.mjcf.object_mjcf import add_geoms, add_meshes
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec

from .gl import mujoco
from .mjcf.arm_looks import NO_LOOKS
from .mjcf.arm_mjcf import arm_xml, finger_positions

DETECTED_M = 0.02  # closer pairs are detected; larger clearances cannot be kept
KEPT_MODELS = 6  # a pick alternates between two: with and without the object in the hand
GRIPPER = 'gripper'
PREFIX = 'object '  # of the names of their bodies; no part of an arm has such a name
GREY = Colour.named('grey')


@dataclass(frozen=True)
class _Compiled:
    """A model of the arm among these objects, and what each geom belongs to.

    `names` are the names of the geoms in contacts. `blockers` are the same for objects that are
    not held, and empty for the arm, no matter what the objects are called. `counts` (geoms, geoms)
    says which pairs may be a contact.
    """

    model: mujoco.MjModel
    data: mujoco.MjData
    names: tuple[str, ...]
    blockers: tuple[str, ...]
    counts: NDArray[np.bool_]


class MujocoCollisionChecker(CollisionChecker):
    """Checks joint angles against the objects of a perceived scene, never against a simulator.

    A held object moves with the hand. A model is compiled only if the set of objects changes;
    new poses alone are cheap.
    """

    def __init__(self, arm: ArmModel, eye_in_hand: bool = False) -> None:
        self._arm, self._eye_in_hand = arm, eye_in_hand
        self._compiled: dict[object, _Compiled] = {}
        self._clearance_m = 0.0

    def use(self, request: MotionRequest) -> None:
        """From now on, check against this scene, these allowed contacts and this clearance."""
        scene = request.scene
        held = scene.in_hand if scene.arm else None
        signature = (held and held.name,
                     *((o.name, o.shape, o.size, o.pieces) for o in scene.objects))
        if signature not in self._compiled:
            if len(self._compiled) >= KEPT_MODELS:
                self._compiled.pop(next(iter(self._compiled)))
            self._compiled[signature] = _compile(self._arm, scene.objects, held, self._eye_in_hand)
        self._now, self._margin_m = self._compiled[signature], math.nan
        self._joints = self._now.data.qpos[:self._arm.joint_count]
        for number, thing in enumerate(scene.objects):
            self._move(number, thing, scene.arm if thing is held else None)
        self._counts = self._now.counts
        for pair in request.allowed_contacts:
            one, other = (np.array([name == part for name in self._now.names]) for part in pair)
            self._counts = self._counts & ~(np.outer(one, other) | np.outer(other, one))
        self._clearance_m = min(request.clearance_m, DETECTED_M)
        width = request.gripper_width
        if width is None:
            width = scene.arm.gripper_width if scene.arm else self._arm.hand.max_width_m
        for joint, value in finger_positions(self._arm, width).items():
            self._now.data.joint(joint).qpos[:] = value

    def first_contact(self, joints: FloatArray) -> Contact | None:
        """The closest pair that is nearer than the clearance at `joints`, or None if free."""
        self._look(joints, self._clearance_m)
        return self._closest(self._clearance_m)

    def clearance(self, joints: FloatArray) -> float:
        """Distance (m) of the closest pair that is not allowed to touch, up to DETECTED_M."""
        self._look(joints, DETECTED_M)
        nearest = self._closest(DETECTED_M)
        return nearest.distance_m if nearest else DETECTED_M

    def first_among(self, postures: FloatArray) -> FoundContact | None:
        """The first posture with a pair that is nearer than the clearance."""
        self._see(self._clearance_m)
        model, data, own = self._now.model, self._now.data, self._joints
        place, collide = mujoco.mj_kinematics, mujoco.mj_collision
        for k in self.looked_at(postures):
            own[:] = postures[k]
            place(model, data)
            collide(model, data)
            if data.ncon:
                contact = self._closest(self._clearance_m)
                if contact is not None:
                    return k, contact
        return None

    def looked_at(self, postures: FloatArray) -> Iterable[int]:
        """The numbers of the postures that may touch something: all, unless more is known."""
        return range(len(postures))

    def _look(self, joints: FloatArray, within_m: float) -> None:
        """Find the pairs that are nearer than this."""
        model, data = self._now.model, self._now.data
        self._see(within_m)
        self._joints[:] = joints
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)

    def _see(self, within_m: float) -> None:
        """Look for pairs that are nearer than this. To look farther takes twice as long."""
        if within_m != self._margin_m:
            self._now.model.geom_margin[:] = self._margin_m = within_m

    def _closest(self, within_m: float) -> Contact | None:
        """The closest of the pairs that were found, if it is nearer than this."""
        data = self._now.data
        if not data.ncon:
            return None
        distances, pairs = data.contact.dist, data.contact.geom
        k = int(distances.argmin())
        if not self._counts[pairs[k, 0], pairs[k, 1]]:
            distances = np.where(self._counts[pairs[:, 0], pairs[:, 1]], distances, np.inf)
            k = int(distances.argmin())
        if distances[k] >= within_m:
            return None
        one, other = pairs[k].tolist()
        names, blockers = self._now.names, self._now.blockers
        return Contact(names[one], names[other], float(distances[k]),
                       tuple(filter(None, (blockers[one], blockers[other]))))

    def _move(self, number: int, thing: SceneObject, held_by: ArmSnapshot | None) -> None:
        """Move an object to its place: into the hand that holds it, or where it was seen."""
        body = self._now.model.body(f'{PREFIX}{number}')
        if held_by is not None:
            T_hand_object = T_tcp_thing(thing, held_by)
            T_hand_object[2, 3] += self._arm.hand.tcp_m
            in_hand = Pose.from_matrix(T_hand_object)
            body.pos[:], body.quat[:] = in_hand.position, in_hand.quaternion
        else:
            self._now.data.mocap_pos[body.mocapid[0]] = thing.pose.position
            self._now.data.mocap_quat[body.mocapid[0]] = thing.pose.quaternion


@cache
def _arm_alone(arm: ArmModel, eye_in_hand: bool) -> mujoco.MjSpec:
    """The arm without any objects. Copy it before you add some."""
    return mujoco.MjSpec.from_string(to_xml(_planning_scene(),
                                            arm_xml(arm, NO_LOOKS, eye_in_hand)))


def _planning_scene() -> ET.Element:
    root = ET.Element('mujoco', model='planning scene')
    node(root, 'compiler', angle='radian', autolimits=True, balanceinertia=True)
    node(node(root, 'default'), 'geom', margin=DETECTED_M)  # the largest that is ever asked for
    node(root, 'worldbody')
    return root


def _objects_alone(objects: Iterable[tuple[int, SceneObject]], mocap: bool) -> mujoco.MjSpec:
    """The objects without the arm; the body of each is named by its number."""
    root = _planning_scene()
    world, specs = root[-1], [_spec(thing, str(number)) for number, thing in objects]
    add_meshes(root, specs)
    for spec in specs:
        add_geoms(node(world, 'body', name=spec.name, mocap=mocap), spec)
    return mujoco.MjSpec.from_string(to_xml(root))


def _compile(arm: ArmModel, objects: Sequence[SceneObject], held: SceneObject | None,
             eye_in_hand: bool) -> _Compiled:
    whole, gripper = _arm_alone(arm, eye_in_hand).copy(), list(map(arm.frame, arm.hand_parts))
    for parent, in_hand in ((whole.worldbody, False), (whole.body(gripper[0]), True)):
        some = [(k, thing) for k, thing in enumerate(objects) if (thing is held) is in_hand]
        if some:
            whole.attach(_objects_alone(some, not in_hand), PREFIX, '', frame=parent.add_frame())
        for number, part in product((k for k, _ in some), gripper if in_hand else ()):
            whole.add_exclude(bodyname1=f'{PREFIX}{number}', bodyname2=part)  # which hold it
    model = whole.compile()
    bodies = [str(model.body(model.geom_bodyid[g]).name) for g in range(model.ngeom)]
    things = {f'{PREFIX}{number}': thing for number, thing in enumerate(objects)}
    names = tuple(things[name].name if name in things else GRIPPER if name in gripper else name
                  for name in bodies)
    blockers = tuple(things[name].name if name in things and things[name] is not held else ''
                     for name in bodies)
    _, ids = np.unique(names, return_inverse=True)
    thing = np.array(blockers) != ''
    counts = (ids[:, None] != ids) | thing[:, None] | thing
    return _Compiled(model, mujoco.MjData(model), names, blockers, counts)


def _spec(thing: SceneObject, name: str) -> ObjectSpec:
    thing = buildable(thing)
    shape = Shape.BOX if thing.shape is Shape.TABLE else thing.shape
    return ObjectSpec(name, shape, thing.size, GREY, mass=0.1, pieces=thing.pieces)
