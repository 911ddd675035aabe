# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""guard_node: stops the arm if skill_node dies or hangs while it moves the arm."""

from __future__ import annotations

import time
from typing import Any

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.context import Context
from replan_agent.ros.arm.arm_interfaces import WatchedArm
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.node_settings import GuardSettings
from replan_agent.ros.rclpy_tools.managed_node import ManagedNode
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.waiting import holds_in_time
from replan_agent.ros.safety.skill_heartbeat import SkillWatch

NAME = 'guard_node'
LAST_S = 1.0  # for a last stop, when the process ends


class GuardNode(ManagedNode):
    """Runs in a process of its own: it must outlive skill_node."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        settings = declared(self, GuardSettings)
        self._close_s = settings.timeouts.close_timeout
        self._arm = ArmStop(self, arm_named(settings.robot.model), declared(self, WatchedArm))
        # It stops the arm also while the node is inactive: a stop is always safe.
        self.watch = SkillWatch(self, self._arm.stop, settings.guard, settings.robot.model)
        self.get_logger().info('stops the arm if skill_node is silent for '
                               f'{settings.guard.heartbeat_timeout:g} s in a motion')
        self.start()

    def close(self) -> None:
        """Guard until skill_node has ended its command; stop the arm if it does not end it."""
        if holds_in_time(self.watch.is_idle, self._close_s, Context()):
            return
        self._arm.give_up(time.monotonic() + LAST_S)
        try:
            self._arm.stop()
        except NoStandstill as error:
            self.get_logger().error(f'the arm may still move: {error}')

    def missing(self) -> str:
        return self._arm.missing


main = program(lambda: [GuardNode()])

if __name__ == '__main__':
    main()
