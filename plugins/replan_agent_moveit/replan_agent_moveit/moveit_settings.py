# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters `moveit.*` of skill_node, if it plans with MoveIt."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.text.setting import setting


@dataclass(frozen=True)
class MoveItSettings:
    move_group: str = setting('move_group', 'node with the MoveIt configuration to use; empty: '
                              "made from the arm's own file or model")
    parameters_file: str = setting('', 'file with the parameters of a move_group, as `ros2 param '
                                   'dump` writes them; empty: ask the node')
    group: str = setting('', 'planning group; empty: <robot.model>_arm, or the one that has the '
                         "arm's joints")
    tip_link: str = setting('', 'a link of the hand that is no finger; empty: <robot.model>_hand, '
                            "or ros.tool of the arm's file")
    planner_id: str = setting('', 'planner of OMPL; empty: the default of its configuration')
    attempts: int = setting(4, 'tries for one motion', 1, 100)
