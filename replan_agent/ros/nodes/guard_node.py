"""guard_node: stops the arm if skill_node dies or hangs while it moves the arm."""

from __future__ import annotations

import sys
from typing import Any

from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.node_settings import GuardSettings
from replan_agent.ros.rclpy_tools.managed_node import ManagedNode
from replan_agent.ros.rclpy_tools.node_process import run_nodes
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.safety.skill_heartbeat import SkillWatch

NAME = 'guard_node'


class GuardNode(ManagedNode):
    """Runs in a process of its own: it must outlive skill_node."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        settings = declared(self, GuardSettings)
        self._arm = ArmStop(self, settings.robot.model, declared(self, ArmInterfaces))
        # It stops the arm also while the node is inactive: a stop is always safe.
        self.watch = SkillWatch(self, self._arm.stop, settings.guard, settings.robot.model)
        self.get_logger().info('stops the arm if skill_node is silent for '
                               f'{settings.guard.heartbeat_timeout:g} s in a motion')
        self.start()

    def missing(self) -> str:
        return self._arm.missing


def main() -> None:
    sys.exit(run_nodes(lambda: [GuardNode()]))


if __name__ == '__main__':
    main()
