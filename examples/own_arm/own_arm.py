# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm of your own: a model (desk_arm.urdf) and a small file beside it (desk_arm.yaml).

    .venv/bin/python examples/own_arm/own_arm.py

docs/tutorials/another_arm.md explains both files.
"""

from dataclasses import replace
from pathlib import Path

from replan_agent import Simulation, load_config

ARM = Path(__file__).parent / 'desk_arm.yaml'

usual = load_config(None)  # the settings of config/sim.yaml
config = replace(usual, robot=replace(usual.robot, model=str(ARM)))
with Simulation('tabletop', config=config) as simulation:
    print('at home the joints are', simulation.robot.state().joints.round(2).tolist())
    result = simulation.run('put the red cube in the bowl')
print(result.success, result.final_reason, result.final_detail)
