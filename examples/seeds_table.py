# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same task in several worlds: a table of how each went.

    .venv/bin/python examples/seeds_table.py 5
"""

import sys

from replan_agent import Simulation

count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
print('seed  success  reason            steps  robot s')
for seed in range(count):
    simulation = Simulation('pick_cube', seed=seed)
    result = simulation.run('pick up the red cube')
    robot_s = simulation.robot.state().stamp
    print(f'{seed:4}  {result.success!s:7}  {result.final_reason!s:16}  {len(result.steps):5}'
          f'  {robot_s:7.2f}')
