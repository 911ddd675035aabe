# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera of your own: where it stands and how good it is are in the scene file.

    .venv/bin/python examples/own_camera.py

The arm knows only what this camera shows: a colour picture and a depth for each pixel.
"""

from pathlib import Path

from replan_agent import Simulation

SCENE = Path(__file__).with_name('own_camera.yaml')

with Simulation(SCENE, perception='camera') as simulation:
    Path('runs').mkdir(exist_ok=True)
    simulation.show().save('runs/own_camera.png')
    for seen in simulation.scene.objects:
        x, y, z = seen.position
        print(f'{seen.name:16} at x={x:.3f} y={y:.3f} z={z:.3f} m, {seen.confidence:.0%} sure')
    result = simulation.run('put the red cylinder in the grey bin')
print(result.success, result.final_reason, result.final_detail)
