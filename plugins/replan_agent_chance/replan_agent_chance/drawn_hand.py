# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gives a simulated arm the hand that was drawn, and measures that of a world as it comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World

from .drawn_errors import OwnHand


def give_hand(world: World, hand: OwnHand) -> None:
    """Let the world's hand press and stand as drawn. What it tells of itself stays as it was."""
    model, arm = world.model, world.arm
    gripper = model.actuator(arm.frame('gripper')).id
    model.actuator_gear[gripper, 0] *= hand.share
    model.actuator_biasprm[gripper, 1:3] /= hand.share  # it opens as wide as before
    for finger in arm.gripper.fingers:
        if finger.parent == 'hand':
            model.body_pos[model.body(arm.frame(finger.name)).id, 1] += hand.beside_m


@dataclass(frozen=True)
class Pressed:
    """How a hand presses: the force of each pad and of the motor (N).

    `beside_m` is how far the middle between the fingers is beside the hand's.
    """

    pads_n: tuple[float, ...]
    motor_n: float
    beside_m: float


def pressed(world: World) -> Pressed:
    """How the hand of this world presses now."""
    model, data, arm = world.model, world.data, world.arm
    mujoco.mj_forward(model, data)
    bodies = [model.body(arm.frame(finger.name)).id for finger in arm.gripper.fingers]
    pads, force = dict.fromkeys(bodies, 0.0), np.zeros(6)
    for number, contact in enumerate(data.contact):
        for geom in contact.geom:
            if model.geom_bodyid[geom] in pads:
                mujoco.mj_contactForce(model, data, number, force)
                pads[model.geom_bodyid[geom]] += float(force[0])
    hand = data.body(arm.frame('hand'))
    middle = np.mean([data.body(body).xpos for body in bodies], axis=0) - hand.xpos
    motor = data.actuator(arm.frame('gripper')).force
    return Pressed(tuple(pads.values()), abs(float(motor[0])),
                   float(middle @ hand.xmat.reshape(3, 3)[:, 1]))
