# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of a node that commands an arm: what it needs before it starts, what it watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from replan_agent.domain.config import ConfigError, setting

# A real arm has no safe defaults: the file must set these, even to the default value.
LIMITS = (
    *(f'workspace.{axis}_{end}' for axis in 'xyz' for end in ('min', 'max')),
    'motion.max_velocity_scaling_factor', 'motion.max_acceleration_scaling_factor',
    'watchdog.heartbeat_timeout', 'safety.joint_states_timeout', 'safety.camera_timeout')


@dataclass(frozen=True)
class SafetyConfig:
    driver: str = setting('real', 'kind of the arm; real: the node starts only with '
                          'explicit limits', choices=('real', 'sim'))
    allow_error_recovery: bool = setting(
        False, "clear the arm's own errors before the next motion: what the driver names, and a "
        'reflex at rest that a silent driver names afterwards; all else, and false: the stop '
        'latch is engaged, and a person calls recover_error and reset_stop')
    stop_memory: str = setting('~/.ros/replan_agent', 'folder that keeps a stop across a restart '
                               'of the node; empty: a restart forgets it')
    joint_states_timeout: float = setting(
        0.0, 'a moving arm stops if the joint states are silent for this long, s; 0: only the '
        'running motion is given up, after driver_silence', 0, 60)
    camera: str = setting('camera/color/camera_info', 'topic that shows that the camera is alive')
    camera_timeout: float = setting(
        0.0, 'a moving arm stops if the camera is silent for this long, s; 0: not watched', 0, 60)


def explicit(node: Node) -> tuple[str, ...]:
    """The limits that have a value; call it before they are declared."""
    descriptor = ParameterDescriptor(dynamic_typing=True)
    found = tuple(name for name in LIMITS
                  if node.declare_parameter(name, None, descriptor).value is not None)
    for name in LIMITS:
        node.undeclare_parameter(name)
    return found


def require_limits(config: SafetyConfig, given: Sequence[str], where: str) -> None:
    """Raises ConfigError with what is missing, for a real arm without explicit limits."""
    missing = [name for name in LIMITS if name not in given]
    if config.driver == 'real' and missing:
        raise ConfigError(
            f'{where}: a real arm does not move without explicit limits; missing: '
            f'{", ".join(missing)} (config/robot.yaml has them; for a simulation set '
            'safety.driver to sim)')
