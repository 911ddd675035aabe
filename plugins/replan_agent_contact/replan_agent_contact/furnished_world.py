"""The embedded world with furniture: parts are bodies on joints, moved by contact alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent import ConfigError, Pose, SceneObject, SceneSpec
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.mjcf.arm_looks import Looks
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node
from replan_agent.robot.mujoco.mjcf.object_mjcf import add_geoms
from replan_agent.robot.mujoco.mjcf.scene_mjcf import scene_xml
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec
from replan_agent.robot.mujoco.world import World

from .furniture import HANDLE_M, HANDLE_OFF_M, Part
from .joint import Joint, Jointed, JointKind

MASS_KG = 0.8
DAMPING = {JointKind.SLIDE: 4.0, JointKind.HINGE: 0.3}  # N s/m, N m s/rad
STIFF_STOP = (0.004, 1)
METAL: dict[str, Any] = {
    'mass': 0.02, 'rgba': (0.3, 0.3, 0.32, 1), 'condim': 4, 'priority': 1,
    'friction': (0.6, 0.006, 0.0002), 'solref': STIFF_STOP}


class FurnishedWorld(World):
    """A World whose scene has drawers and doors. What moves them is what touches them."""

    def __init__(self, scene: SceneSpec, parts: tuple[Part, ...], arm: ArmModel,
                 seed: int = 0, looks: Looks | None = None, eye_in_hand: bool = False) -> None:
        self.parts = parts
        super().__init__(scene, arm, seed, looks=looks, eye_in_hand=eye_in_hand)

    def opened(self, name: str) -> float:
        """How far (m or rad) the part is open. No robot has this sense."""
        (part,) = (each for each in self.parts if each.name == name)
        return part.given.open + float(self.data.joint(name).qpos[0])

    def pull_n(self, name: str) -> float:
        """N with which the arm moves the part along its way now. No robot has this sense."""
        (part,) = (each for each in self.parts if each.name == name)
        moved, hand = (self.model.body(body).id for body in (name, self.arm.frame('hand')))
        arm, total, felt = self.model.body_rootid[hand], np.zeros(3), np.zeros(6)
        for index, contact in enumerate(self.data.contact[:self.data.ncon]):
            bodies = [int(self.model.geom_bodyid[geom]) for geom in contact.geom]
            if moved in bodies and any(self.model.body_rootid[body] == arm for body in bodies):
                mujoco.mj_contactForce(self.model, self.data, index, felt)
                sign = 1.0 if bodies[1] == moved else -1.0
                total += sign * contact.frame.reshape(3, 3).T @ felt[:3]
        thing, _ = self._things(part)
        way = thing.joint.way(thing.pose) if isinstance(thing, Jointed) and thing.joint else total
        return float(total @ way / max(float(np.linalg.norm(way)), 1e-9))

    def true_objects(self) -> tuple[SceneObject, ...]:
        """As of any world; then each part of the furniture and its handle."""
        return (*super().true_objects(), *(
            thing for part in self.parts for thing in self._things(part)))

    def _things(self, part: Part) -> tuple[SceneObject, SceneObject]:
        joint = replace(self._joint(part), state=self.opened(part.name))
        colour, closed = part.given.colour, self._in_base(part, part.closed)
        pose = joint.moved(closed, joint.state)
        bar = Pose.from_matrix(pose.matrix() @ part.bar.matrix())
        inside = 'open' if part.shape is Shape.BIN else ''
        return (Jointed(part.name, part.shape, part.size, pose, colour.name, movable=False,
                        seen_at=self.time, joint=joint, handle=part.handle,
                        part_of=part.cabinet,
                        states=joint.states(closed, inside, (part.handle,))),
                SceneObject(part.handle, Shape.CYLINDER, (HANDLE_M, HANDLE_M, part.bar_m), bar,
                            colour.name, movable=False, seen_at=self.time))

    def _joint(self, part: Part) -> Joint:
        """The joint in the base frame, closed."""
        axis = self._in_base(part, Pose((0.0, 0.0, 0.0))).rotation @ part.axis
        return Joint(part.kind, tuple(axis.tolist()),
                     self._in_base(part, Pose(part.point)).position, 0.0, part.travel, 0.0)

    def _in_base(self, part: Part, pose: Pose) -> Pose:
        """A pose in the frame of the part's cabinet, in the base frame."""
        (cabinet,) = (each for each in self.placed if each.spec.name == part.cabinet)
        return Pose.from_matrix(cabinet.pose.matrix() @ pose.matrix())

    def _compiled(self, looks: Looks) -> mujoco.MjModel:
        root = ET.fromstring(scene_xml(self.scene, self.arm, self.placed, looks,
                                       self.eye_in_hand))
        world, contact = node(root, 'worldbody'), node(root, 'contact')
        for part in self.parts:
            self._add(world, part)
            node(contact, 'exclude', body1=part.name, body2=part.cabinet)  # a guide carries it
        try:
            return mujoco.MjModel.from_xml_string(ET.tostring(root, 'unicode'))
        except ValueError as error:
            raise ConfigError(f'scene {self.scene.name!r}: MuJoCo cannot build it: {error}'
                              ) from error

    def _add(self, world: ET.Element, part: Part) -> None:
        """The part where it starts; its joint is 0 there."""
        given, (low, high) = part.given, part.range
        pose = self._joint(part).moved(self._in_base(part, part.closed), given.open)
        body = node(world, 'body', name=part.name, pos=pose.position, quat=pose.quaternion)
        node(body, 'joint', name=part.name, type=part.kind.value, axis=part.axis,
             pos=np.subtract(part.point, part.closed.position), limited=True,
             range=(low - given.open, high - given.open), frictionloss=given.friction,
             damping=DAMPING[part.kind], solreflimit=STIFF_STOP)
        add_geoms(body, ObjectSpec(part.name, part.shape, part.size, given.colour, mass=MASS_KG))
        bar, half = part.bar, part.bar_m / 2
        node(body, 'geom', name=part.handle, type='cylinder', pos=bar.position,
             quat=bar.quaternion, size=(HANDLE_M / 2, half), **METAL)
        for side in (-1, 1):
            post = bar.position + side * (half - HANDLE_M / 2) * bar.rotation[:, 2]
            node(body, 'geom', type='box', pos=post + (HANDLE_OFF_M / 2, 0, 0), **METAL,
                 size=(HANDLE_OFF_M / 2, HANDLE_M / 2, HANDLE_M / 2))
