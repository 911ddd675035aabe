# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shortest program: a task in the embedded simulation.

    .venv/bin/python examples/hello.py
"""

from replan_agent import Simulation

result = Simulation('tabletop').run('put the red cube in the bowl')
print(result.success, result.final_reason, result.final_detail)
