"""One randomised episode: a fresh world, one task, and a judge that asks the physics."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

from replan_agent.app.compose import Simulation, simulation
from replan_agent.domain.config import Config
from replan_agent.domain.scene import Shape
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene_spec import Colour, ObjectSpec, Randomize, SceneSpec

HOLD_S = 1.0  # a pick counts when the object is still up after this long
LIFTED_M = 0.05
RADIUS_M = (0.30, 0.72)
BEARING_RAD = (-math.pi / 4, math.pi / 4)


@dataclass(frozen=True)
class Row:
    """What is picked in a row of the table: a box of this size (m)."""

    name: str
    size: tuple[float, float, float]
    mass: float


PICK_ROWS = (
    Row('cube 24 mm', (0.024, 0.024, 0.024), 0.02),
    Row('cube 40 mm', (0.040, 0.040, 0.040), 0.06),
    Row('cube 56 mm', (0.056, 0.056, 0.056), 0.15),
    Row('bar 24×110 mm', (0.024, 0.110, 0.024), 0.06),
)


@dataclass(frozen=True)
class Outcome:
    """How one episode ended. `success` is the physics' word, `claimed` the agent's."""

    row: str
    seed: int
    success: bool
    claimed: bool
    replans: int
    attempts: tuple[str, ...]
    final_detail: str
    wall_s: float
    robot_s: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def pick_scene(row: Row) -> SceneSpec:
    """One box before the arm: radius 0.30 to 0.72 m, ±45° of straight ahead, any yaw."""
    anywhere = Randomize(radius=RADIUS_M, angle=BEARING_RAD, yaw=(-math.pi, math.pi))
    box = ObjectSpec('red_block', Shape.BOX, row.size, Colour.named('red'), mass=row.mass,
                     randomize=anywhere)
    return SceneSpec(f'bench {row.name}', objects=(box,))


def run_pick(config: Config, row: Row, seed: int) -> Outcome:
    """Pick the box with the whole agent; wall time includes building the world."""
    started = time.perf_counter()
    sim = simulation(config, pick_scene(row), seed)
    result = sim.agent(MemoryRecorder()).run('pick up the red block')
    wall_s = time.perf_counter() - started
    robot_s = sim.world.time
    return Outcome(row.name, seed, _still_up(sim), result.success, result.replans,
                   tuple(a.reason for a in result.attempts), result.final_detail, wall_s, robot_s)


def _still_up(sim: Simulation) -> bool:
    """Whether the box hangs in the air a while later, by the simulator's own poses."""
    sim.world.step(round(HOLD_S / sim.world.timestep))
    box = next(o for o in sim.world.true_objects() if o.name == 'red_block')
    return box.bottom_z > LIFTED_M
