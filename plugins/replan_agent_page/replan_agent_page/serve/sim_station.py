# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded simulation as the arm of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from replan_agent_talk import Talk

from replan_agent.agent.ports import Recorder
from replan_agent.agent.task_progress import Progress, ProgressRecorder
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.wiring import open_camera
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.resume import Resume
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.perceive.camera.annotate import annotated
from replan_agent.record.picture import png
from replan_agent.record.recorders import MemoryRecorder

from .said import said
from .station import Look, Order, TaskRefused

TERMINAL = 'at the terminal of the server'


class SimStation:
    """A Simulation. `watchers` see every event of every task; `begins` gets its folder first.

    Raises ConfigError if tasks cannot run with its settings.
    """

    reset_command = 'replan-agent mcp --reset-stop'

    def __init__(self, simulation: Simulation, watchers: Iterable[Recorder] = (),
                 terminal: bool = False, begins: Callable[[Path], None] = lambda folder: None
                 ) -> None:
        simulation.agent(MemoryRecorder())  # raises now, rather than with the first task
        self.simulation, self._watchers = simulation, tuple(watchers)
        self._talk = Talk(simulation)
        self._begins = begins
        self.approver = str(simulation.facts()['approver'])
        self.ask_where = TERMINAL if terminal else ''

    def look(self) -> Look:
        scene = self.simulation.scene
        try:
            return Look(scene, self._picture(scene))
        except (CameraError, ConfigError) as error:
            return Look(scene, no_picture=str(error))

    def _picture(self, scene: Scene) -> bytes:
        """What the camera sees, with the objects outlined and named."""
        with open_camera(self.simulation.cell) as camera:
            return png(annotated(camera.capture(Context()), scene))

    def skills(self) -> tuple[SkillSpec, ...]:
        return self.simulation.skills.specs()

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        def carry_out(task: str, out: Path, resume: Resume | None = None) -> Mapping[str, Any]:
            self._begins(out)
            return self.simulation.run(
                task, out=out, steps=order.steps or None, ctx=ctx, resume=resume,
                watchers=[ProgressRecorder(on_progress), *self._watchers]).as_dict()

        try:
            return carry_out(order.task, folder) if order.steps else said(
                self._talk.conversation, order.task, folder, carry_out)
        except (ConfigError, RuntimeError, PerceptionError) as error:
            raise TaskRefused(str(error)) from error

    def stop(self) -> str:
        return ''  # the cancel of the task stops the arm, and nothing else moves it

    def reset(self) -> str:
        return ''

    def close(self) -> None:
        self.simulation.close()
