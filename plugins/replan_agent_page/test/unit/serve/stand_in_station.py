# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm for tests of the desk: tasks wait until the test lets them end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from replan_agent_page.serve.station import Look, Order, TaskRefused

from replan_agent.agent.task_progress import Progress, State
from replan_agent.domain.context import Context
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec

WAIT_S = 30.0


class StandInStation:
    """Runs a task until `finish` or a cancel. Counts what is asked of it."""

    approver, ask_where, reset_command = 'auto', '', 'reset it'

    def __init__(self) -> None:
        self.ran: list[Order] = []
        self.finish, self.started = threading.Event(), threading.Event()
        self.stop_problem = ''
        self.broken: Exception | None = None
        self.closed = False

    def look(self) -> Look:
        return Look(Scene('s', 0.0, (), 'stand_in'), no_picture='no camera')

    def skills(self) -> tuple[SkillSpec, ...]:
        return ()

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        self.ran.append(order)
        on_progress(Progress(State.EXECUTING, message='moving'))
        self.started.set()
        if self.broken:
            raise self.broken
        while not self.finish.is_set() and not ctx.cancel.wait(0.01):
            pass
        return {'success': not ctx.cancel.cancelled, 'final_detail': ctx.cancel.reason}

    def stop(self) -> str:
        return self.stop_problem

    def reset(self) -> str:
        if self.stop_problem:
            raise TaskRefused(self.stop_problem)
        return ''

    def close(self) -> None:
        self.closed = True


