# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded world with furniture: parts are bodies on joints, moved by contact alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent import ConfigError, Pose, SceneObject, SceneSpec
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Shape, States
from replan_agent.geometry.judging import is_inside
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.mjcf.arm_looks import Looks
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node
from replan_agent.robot.mujoco.mjcf.object_mjcf import add_geoms
from replan_agent.robot.mujoco.mjcf.scene_mjcf import scene_xml
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec
from replan_agent.robot.mujoco.world import World

from .controls import KnobFields
from .furnished_scene import FurnishedScene
from .furniture import HANDLE_M, HANDLE_OFF_M
from .grains import grains_of
from .joint import ON_AXIS_M, Joint, Jointed, JointKind
from .part import Part
from .peg_board import FILLED, BoardSpec, HoleSpec
from .stain import GIVES_M, LEAST_N, dirt_of, wipes

ARMATURE_KG = 0.3  # of a button: its spring is stiff
KNOB_KG_M2 = 0.001  # lighter, its friction would only slow it down
SOFT, DRY = (0.9, 0.95, 0.001), (0.998, 0.999, 0.001)  # how well friction holds; MuJoCo's, firm
DAMPING = {JointKind.SLIDE: 4.0, JointKind.HINGE: 0.3}  # N s/m, N m s/rad
WIPE_S = 0.01
SPONGE_S = 0.03  # of contacts of a sponge with the table; other contacts are ten times stiffer
STIFF_STOP = (0.004, 1)
SPRING_BESIDE, SPRING_LONG = 0.75, 1.4  # of half the way: its end beside it, its free length
SPRING_PEAK = 0.278  # most force of such a spring, for a stiffness of 1 and half a way of 1
METAL: dict[str, Any] = {
    'mass': 0.02, 'rgba': (0.3, 0.3, 0.32, 1), 'condim': 4, 'priority': 1,
    'friction': (0.6, 0.006, 0.0002), 'solref': (0.01, 1)}  # the pads are rubber


class FurnishedWorld(World):
    """A World whose scene has drawers and doors. What moves them is what touches them."""

    def __init__(self, scene: SceneSpec, parts: tuple[Part, ...], arm: ArmModel,
                 seed: int = 0, looks: Looks | None = None, eye_in_hand: bool = False) -> None:
        self.parts = parts
        stains = scene.stains if isinstance(scene, FurnishedScene) else ()
        self.dirt = dirt_of(stains, scene.table.height)
        self.grains = grains_of(scene.grains if isinstance(scene, FurnishedScene) else ())
        super().__init__(scene, arm, seed, looks=looks, eye_in_hand=eye_in_hand)
        if stains:
            self.on_step(self._wipe, WIPE_S)

    def opened(self, name: str) -> float:
        """How far (m or rad) the part is open. No robot has this sense."""
        (part,) = (each for each in self.parts if each.name == name)
        return part.given.open + float(self.data.joint(name).qpos[0])

    def forces_n(self) -> list[float]:
        """N with which the arm moves each part, and things press on a board with holes and on what
        nobody sees, now."""
        wiping = [self.wiping_n(o.spec.name) for o in self.placed if wipes(o.spec.name)]
        pressed = sum((self._force_on(o.name)[:3] for o in self.scene.objects
                       if isinstance(o, (BoardSpec, HoleSpec)) or o.fixed and o.unseen),
                      np.zeros(3))
        return [*(self.pull_n(part.name) for part in self.parts), *wiping,
                float(np.linalg.norm(pressed))]

    def wiping_n(self, name: str) -> float:
        """N with which a thing presses on the table now."""
        body, felt, total = self.model.body(name).id, np.zeros(6), 0.0
        sides = self.model.geom_bodyid[self.data.contact.geom[:self.data.ncon]]
        for index in np.flatnonzero((sides == body).any(axis=1)):
            contact = self.data.contact[index]
            if contact.pos[2] < self.scene.table.height + GIVES_M:
                mujoco.mj_contactForce(self.model, self.data, index, felt)
                total += abs(float(felt[0]))
        return total

    def _wipe(self) -> None:
        """What is pressed on the table takes the dirt below it off."""
        for placed in self.placed:
            if wipes(placed.spec.name) and self.wiping_n(placed.spec.name) >= LEAST_N:
                for dirt in self.dirt:
                    names, gone = dirt.names(), dirt.wiped(self._true_object(placed))
                    for number in gone:
                        self.model.geom(names[number]).rgba[3] = 0.0

    def drawn(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model, data = super().drawn()
        for dirt in self.dirt:
            for name in np.array(dirt.names())[~dirt.is_there]:
                model.geom(name).rgba[3] = 0.0
        return model, data

    def _force_on(self, name: str, by_arm: bool = False) -> FloatArray:
        """The force (N) and torque (N·m, about the world's origin) of what touches a body.

        `by_arm`: of the arm alone.
        """
        moved, hand = (self.model.body(body).id for body in (name, self.arm.frame('hand')))
        arm, total, felt = self.model.body_rootid[hand], np.zeros(6), np.zeros(6)
        sides = self.model.geom_bodyid[self.data.contact.geom[:self.data.ncon]]
        for index in np.flatnonzero((sides == moved).any(axis=1)):
            contact, bodies = self.data.contact[index], sides[index]
            if not by_arm or (self.model.body_rootid[bodies] == arm).any():
                mujoco.mj_contactForce(self.model, self.data, index, felt)
                sign = 1.0 if bodies[1] == moved else -1.0
                force = sign * contact.frame.reshape(3, 3).T @ felt[:3]
                total += np.concatenate([force, np.cross(contact.pos, force)])
        return total

    def pull_n(self, name: str) -> float:
        """N with which the arm moves the part along its way now; of what it turns in place, N·m.

        No robot has this sense.
        """
        moved, total = self.model.body(name).id, self._force_on(name, by_arm=True)
        joint = self.model.joint(name)
        way, at = self.data.xaxis[joint.id], self.data.xanchor[joint.id]
        if joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE:
            lever = np.cross(way, self.data.xpos[moved] - at)
            if np.linalg.norm(lever) < ON_AXIS_M:
                return float((total[3:] - np.cross(at, total[:3])) @ way)
            way = lever
        return float(total[:3] @ way / np.linalg.norm(way))

    def true_objects(self) -> tuple[SceneObject, ...]:
        """As of any world; then each part of the furniture and its handle."""
        things = super().true_objects()
        for grains in self.grains:
            places = np.array([self.data.joint(name).qpos[:3] for name in grains.names])
            things = grains.seen(things, places)
        holes = {o.name for o in self.scene.objects if isinstance(o, HoleSpec)}
        return (*(_with_filling(o, things) if o.name in holes else o for o in things), *(
            thing for part in self.parts for thing in self._things(part)),
                *(dirt.seen(self.time) for dirt in self.dirt))

    def _things(self, part: Part) -> tuple[SceneObject, ...]:
        joint = replace(self._joint(part), state=self.opened(part.name))
        colour, closed = part.given.colour, self._in_base(part, part.closed)
        pose = joint.moved(closed, joint.state)
        inside = 'open' if part.shape is Shape.BIN or part.shuts else ''
        thing = Jointed(part.name, part.shape, part.size, pose, colour.name, movable=False,
                        seen_at=self.time, joint=joint, handle=part.handle,
                        part_of=part.cabinet, states=joint.states(
                            closed, inside, (part.handle,) if part.bar else (), part.shuts))
        if part.bar is None:
            return (thing,)
        bar = Pose.from_matrix(pose.matrix() @ part.bar.matrix())
        return thing, SceneObject(
            part.handle, Shape.CYLINDER, (HANDLE_M, HANDLE_M, part.bar_m), bar, colour.name,
            movable=False, seen_at=self.time)

    def _joint(self, part: Part) -> Joint:
        """The joint in the base frame, closed."""
        axis = self._in_base(part, Pose((0.0, 0.0, 0.0))).rotation @ part.axis
        return Joint(part.kind, tuple(axis.tolist()),
                     self._in_base(part, Pose(part.point)).position, 0.0, part.travel, 0.0,
                     part.words)

    def _in_base(self, part: Part, pose: Pose) -> Pose:
        """A pose in the frame of the part's cabinet, in the base frame."""
        (cabinet,) = (each for each in self.placed if each.spec.name == part.cabinet)
        return Pose.from_matrix(cabinet.pose.matrix() @ pose.matrix())

    def compiled(self, looks: Looks) -> mujoco.MjModel:
        root = ET.fromstring(scene_xml(self.scene, self.arm, self.placed, looks,
                                       self.eye_in_hand))
        world, contact = node(root, 'worldbody'), node(root, 'contact')
        for dirt in self.dirt:
            dirt.add(world)
        for grains in self.grains:
            grains.add(world, next(o for o in self.placed
                                   if o.spec.name == grains.given.holder))
        for placed in self.placed:  # a sponge gives way to the table
            if wipes(placed.spec.name):
                node(contact, 'pair', geom1=placed.spec.name, geom2='table', condim=4,
                     friction=(0.6, 0.6, 0.006, 0.0002, 0.0002), solref=(SPONGE_S, 1))
        for part in self.parts:
            body = self._add(world, part)
            if part.click_n:
                _add_click(root, body, part, self._joint(part).moved(
                    self._in_base(part, part.closed), part.travel / 2))
            node(contact, 'exclude', body1=part.name, body2=part.cabinet)  # a guide carries it
        try:
            return mujoco.MjModel.from_xml_string(ET.tostring(root, 'unicode'))
        except ValueError as error:
            raise ConfigError(f'scene {self.scene.name!r}: MuJoCo cannot build it: {error}'
                              ) from error

    def _add(self, world: ET.Element, part: Part) -> ET.Element:
        """The part where it starts; its joint is 0 there."""
        given, (low, high) = part.given, part.range
        pose = self._joint(part).moved(self._in_base(part, part.closed), given.open)
        body = node(world, 'body', name=part.name, pos=pose.position, quat=pose.quaternion)
        node(body, 'joint', name=part.name, type=part.kind.value,
             axis=part.closed.rotation.T @ part.axis,
             pos=part.closed.rotation.T @ np.subtract(part.point, part.closed.position),
             limited=True, range=(low - given.open, high - given.open),
             frictionloss=given.friction, damping=DAMPING[part.kind], solreflimit=STIFF_STOP,
             armature=ARMATURE_KG if part.click_n else 0.0 if part.words else KNOB_KG_M2,
             solimpfriction=SOFT if part.words else DRY)
        solid = ObjectSpec(part.name, part.shape, part.size, given.colour, mass=part.mass_kg)
        add_geoms(body, replace(solid, friction=given.grip) if isinstance(given, KnobFields)
                  else solid)
        if part.bar is not None:
            _add_handle(body, part, part.bar)
        return body


def _with_filling(hole: SceneObject, things: Iterable[SceneObject]) -> SceneObject:
    full = any(o.movable and is_inside(o, hole) for o in things)
    return replace(hole, states=States(FILLED if full else '', (FILLED,), (hole.pose,)))


def _add_handle(body: ET.Element, part: Part, bar: Pose) -> None:
    half, post = part.bar_m / 2, np.array(part.post)
    node(body, 'geom', name=part.handle, type='cylinder', pos=bar.position,
         quat=bar.quaternion, size=(HANDLE_M / 2, half), **METAL)
    for side in (-1, 1):
        at = bar.position + side * (half - HANDLE_M / 2) * bar.rotation[:, 2]
        node(body, 'geom', type='box', pos=at + HANDLE_OFF_M / 2 * post, **METAL,
             size=HANDLE_M / 2 + (HANDLE_OFF_M - HANDLE_M) / 2 * abs(post))


def _add_click(root: ET.Element, body: ET.Element, part: Part, middle: Pose) -> None:
    """A spring that is pressed together between the cap and a point beside its way.

    It pushes the cap away from the middle of its way: so it must be pressed, gives way at once,
    and stays pressed. `middle` is where the cap is then.
    """
    half, name = part.travel / 2, f'{part.name}_spring'
    beside = middle.position + SPRING_BESIDE * half * middle.rotation[:, 0]
    node(body, 'site', name=f'{name}_cap', size=(0.001,), rgba=(0, 0, 0, 0))
    node(node(root, 'worldbody'), 'site', name=name, pos=beside, size=(0.001,), rgba=(0, 0, 0, 0))
    spring = node(node(root, 'tendon'), 'spatial', name=name, springlength=SPRING_LONG * half,
                  stiffness=part.click_n / (SPRING_PEAK * half), rgba=(0, 0, 0, 0))
    for site in (name, f'{name}_cap'):
        node(spring, 'site', site=site)
