# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Prints the arm's description for Gazebo: what xacro writes, with a gripper that holds still.

    python3 -m replan_agent_gazebo.gazebo_arm xacro franka.urdf.xacro robot_type:=fr3

gz_ros2_control moves a finger with all the force that its joint allows, and the second finger
follows the first. With equal forces none of the two wins: the fingers slide to one side together
with what they hold. So the finger that is followed gets less force than the one that follows.
"""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree as ET

GRIP_N = 40.0  # the force of a grasp in Gazebo; the following finger has 100 N


def with_gentle_leaders(description: str) -> str:
    """The URDF with at most GRIP_N for each joint that another one mimics."""
    robot = ET.fromstring(description)
    leaders = {mimic.get('joint') for mimic in robot.iterfind('joint/mimic')}
    for joint in robot.findall('joint'):
        limit = joint.find('limit')
        if joint.get('name') in leaders and limit is not None:
            limit.set('effort', f'{min(GRIP_N, float(limit.get("effort", GRIP_N))):g}')
    return ET.tostring(robot, encoding='unicode')


def main() -> int:
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        print(with_gentle_leaders(done.stdout))
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
