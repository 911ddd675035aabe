# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The planned motion before a yes: the plan is tried in a simulated copy of what is perceived."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from replan_agent.agent.ports import ChatModel, Perception, Skills
from replan_agent.app.build.robot_cell import mujoco_cell
from replan_agent.app.build.skill_set import skill_set
from replan_agent.app.build.twin import TwinRehearsal
from replan_agent.app.build.wiring import wire
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.approval_request import ApprovalRequest
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.execute.contract import Skill
from replan_agent.record.motion_file import PERIOD_S
from replan_agent.record.run_folder import as_json
from replan_agent.robot.mujoco.world import World
from replan_agent.text.shown_text import one_line

from .grasp_ways import GRASP, ways_to
from .near_misses import near_misses
from .solids import Solids, State

LONGEST_S = 20.0  # of computing
Json = Mapping[str, Any]


class Ghost:
    """The planned motion of one plan, computed once, when somebody asks for it."""

    def __init__(self, config: Config, skills: tuple[Skill, ...], request: ApprovalRequest
                 ) -> None:
        self._config, self._skills, self.request = config, skills, request
        self._lock = threading.Lock()
        self._made = b''

    def told(self, is_asked: Callable[[], bool]) -> bytes:
        """As JSON: `solids`, where they are in `samples`, and what is `said` of the outcome.

        It is given up as soon as nobody is asked any more.
        """
        def now() -> float:
            return time.monotonic() if is_asked() else float('inf')

        with self._lock:
            ctx = Context(now=now).within(LONGEST_S)
            self._made = self._made or as_json(self._motion(ctx)).encode()
            return self._made

    def _motion(self, ctx: Context) -> Json:
        worlds: list[World] = []
        states: list[tuple[Json, State]] = []
        robot, plan = self._config.robot, self.request.plan
        noted = _Noted(arm_named(robot.model).hand)

        @contextmanager
        def wired(twin: World) -> Iterator[tuple[Perception, Skills]]:
            config = replace(self._config, perception=GROUND_TRUTH)
            known = skill_set(config.skills, self._skills, simulated=True,
                              eye_in_hand=config.robot.eye_in_hand, arm=config.robot.model)
            made = wire(config, mujoco_cell(config, twin), known, _no_model)

            def take() -> None:
                states.append(({'t': round(twin.time, 3), 'step': noted.step}, State.of(twin)))

            worlds.append(twin)
            take()
            twin.on_step(take, PERIOD_S)
            with ExitStack() as closing:
                closing.callback(made.motion.close)
                closing.callback(made.close_cameras)
                noted.inner = made.skills
                yield made.perception, noted

        twin = TwinRehearsal(wired, arm_named(robot.model), robot.eye_in_hand)
        try:
            result = twin.rehearse(plan, self.request.scene, ctx)
        except (RehearsalError, DeadlineExceeded) as error:
            return {'samples': [], 'said': f'it cannot be shown: {one_line(error)}'}
        failed, why = result.failed_step, result.result
        solids = Solids(worlds[0], self._config.workspace)
        handled = {str(value) for step in plan.steps for value in step.args.values()}
        return {'solids': solids.shape, 'samples': solids.along(states), 'grasps': noted.grasps,
                'near': near_misses(worlds[0], (s.positions for _, s in states[::2]), handled),
                'works': not failed, 'said': f'In a copy of what is seen step '
                f'{failed.step_number} fails: {why.reason_detail}' if failed and why else
                'In a copy of what is seen every step works'
                + ' up to the new plan' * any(step.is_replan for step in plan.steps) + '.'}


class _Noted:
    """Skills that note which step they carry out, and which grasps there were for it."""

    inner: Skills

    def __init__(self, hand: HandShape) -> None:
        self._hand, self.step = hand, 0
        self.grasps: dict[int, list[Json]] = {}

    def specs(self) -> tuple[SkillSpec, ...]:
        return self.inner.specs()

    def stop(self) -> None:
        self.inner.stop()

    def execute(self, step: Step, scene: Scene, ctx: Context, on_phase: Callable[..., None]
                ) -> SkillResult:
        self.step = step.step_number
        result = self.inner.execute(step, scene, ctx, on_phase)
        thing = scene.get(str(step.args.get('object')))
        if thing is not None and (GRASP in result.evidence or 'tried' in result.evidence):
            self.grasps[self.step] = ways_to(thing, scene, self._hand, result.evidence.get(GRASP))
        return result


def _no_model() -> ChatModel:
    raise AssertionError('ground truth asks no model')
