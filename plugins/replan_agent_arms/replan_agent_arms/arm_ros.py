# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an arm is called over ROS: the names of its sidecar, and the links of its model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from replan_agent.arms.arm_model import ArmRos, HandMap
from replan_agent.domain.pose import FloatArray, Pose

from .arm_chain import ArmChain
from .compiled import Compiled, inverse
from .measured_hand import USUAL_M, MeasuredHand
from .sidecar import Gripper, Sidecar
from .sidecar_ros import RosGripper

Frame = tuple[str, str, Pose]  # name of a link, our part, its pose there


def arm_ros(name: str, said: Sidecar, chain: ArmChain, hand: MeasuredHand,
            gripper: HandMap) -> ArmRos:
    """The names over ROS of the arm with that name."""
    ros = said.ros
    action = ros.gripper or RosGripper(f'{name}_gripper/gripper_action')
    base = chain.compiled.model.body(chain.links[0][0]).name if chain.links[0] else ''
    frames = {frame[0]: frame for frame in (*_links(chain), *_hand(hand, gripper))}
    return ArmRos(
        ros.trajectory or f'{name}_arm_controller/follow_joint_trajectory', action.action,
        _commands(gripper, said.gripper, action), action.driver, ros.joint_states,
        ros.finger_states, ros.controller_manager, ros.external_torques, ros.driver_speed_scale,
        ros.base or base, ros.tool, tuple(frame for called, frame in frames.items()
                        if called not in ('', base, ros.base)), ros.stop, ros.recover,
        (ros.bringup.package, ros.bringup.file, ros.bringup.arguments or {})
        if ros.bringup else None, ros.safety)


def _commands(gripper: HandMap, said: Gripper, action: RosGripper) -> HandMap:
    """The map with the driver's joint and positions."""
    law = gripper.command
    if not math.isnan(action.open):
        factor = (action.closed - action.open) / (said.closed - said.open)
        law = (action.open + factor * (law[0] - said.open), *(factor * c for c in law[1:]))
    return replace(gripper, reads=(action.joint or said.joint,), command=law)


def _links(chain: ArmChain) -> Iterator[Frame]:
    chain.compiled.move({})
    for number, (bodies, T) in enumerate(zip(chain.links, chain.frames)):
        yield from _framed(chain.compiled, bodies, f'link{number}', T)


def _hand(hand: MeasuredHand, gripper: HandMap) -> Iterator[Frame]:
    """The palm and the fingers, at a width where the fit of their joints is good."""
    width = min(USUAL_M, gripper.max_width_m / 2)
    hand.compiled.move(hand.at(width))
    yield from _framed(hand.compiled, hand.palm.bodies, 'hand', hand.T_world_hand)
    for group, (name, T) in zip(hand.fingers, gripper.frames(width).items()):
        yield from _framed(hand.compiled, group.bodies, name, hand.T_world_hand @ T)


def _framed(compiled: Compiled, bodies: Iterable[int], part: str,
            T: FloatArray) -> Iterator[Frame]:
    for body in bodies:
        yield (compiled.model.body(body).name, part,
               Pose.from_matrix(inverse(T) @ compiled.body_pose(body)))
