# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An agent on a robot cell: `replan_agent.Agent`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from replan_agent.agent import ports
from replan_agent.agent.loop import Agent
from replan_agent.app.build.build_planner import chat_model
from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.console_approver import ConsoleApprover
from replan_agent.domain.config import ApprovalConfig, Config, ConfigError, build
from replan_agent.domain.context import Context
from replan_agent.domain.event import Event, ScenePerceived
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.resume import Resume
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Scene
from replan_agent.domain.task_result import TaskResult
from replan_agent.execute.contract import Skill
from replan_agent.motion.planner import JointPlanner
from replan_agent.perceive.camera.annotate import annotated
from replan_agent.record.picture import png
from replan_agent.record.recorders import FanOut, MemoryRecorder
from replan_agent.robot.robot_protocols import Robot
from replan_agent.text.shown_text import shown

from ..run_record import TellingModel, run_facts, run_folder
from .build_agent import Ports, build_agent
from .build_approver import build_approver, checked_approver, is_more_lenient, known_approver
from .build_perception import PerceptionWrapper
from .build_planner import build_check, build_planner
from .build_reader import build_reader, corrects
from .own_planner import AnyPlanner, given_plan, own_planner
from .plugins import known_names, reports
from .robot_cell import MujocoCell, RobotCell
from .skill_set import skill_set
from .wiring import open_camera, wire


class ArmAgent:
    """Runs tasks on the robot of a cell, one after the other.

    `perception`, `planner` and `approver` are names as in the settings, or your own objects.
    None means: use the settings. `skills` are added to the standard ones. `human` is asked for
    a hint after several failed plans. `motion` replaces the built-in motion planner. Without an
    approver nothing moves, and the result says so.
    """

    def __init__(self, cell: RobotCell, *, skills: Iterable[Skill] = (),
                 planner: str | AnyPlanner | None = None, max_replans: int | None = None,
                 perception: str | ports.Perception | None = None,
                 approver: str | ports.Approver | None = None, human: ports.Human | None = None,
                 config: Config | None = None, seed: int = 0,
                 wrap_perception: PerceptionWrapper | None = None,
                 motion: JointPlanner | None = None) -> None:
        config = Config() if config is None else config
        if not isinstance(config, Config):
            raise ConfigError('config: must be a Config, for example of load_config(FILE), not '
                              f'{shown(config)}')
        self.config = config = _checked(
            config, planner=_name(planner, config.planner),
            perception=_name(perception, config.perception),
            approver=_name(approver, config.approver), max_replans=max_replans)
        self.cell = cell
        self.human = human
        self.model: Callable[[], ports.ChatModel] = cache(
            lambda: TellingModel(chat_model(config.vlm)))
        self._registry = skill_set(config.skills, (*cell.skills, *skills),
                                   simulated=isinstance(cell, MujocoCell),
                                   eye_in_hand=config.robot.eye_in_hand,
                                   arm=config.robot.model)
        wired = wire(config, cell, self._registry, self.model, seed, _own(perception),
                     wrap_perception, motion)
        self._own_perception = str(getattr(_own(perception), 'name', ''))
        self._owns_motion = motion is None
        self.motion, self.perception, self.skills = wired.motion, wired.perception, wired.skills
        self._close_cameras, self._frame = wired.close_cameras, wired.frame
        # Called after each task with it, its result, and the first and the last look.
        self.on_task: list[Callable[[str, TaskResult, Scene, Scene], object]] = []
        own = _own(approver)
        self._own_approver = '' if own is None else str(getattr(own, 'name', type(own).__name__))
        self.approver: ports.Approver = build_approver(
            config, ConsoleApprover(config.approval.timeout, corrects=corrects), 'console'
        ) if own is None else checked_approver(own)
        self._planner = None if _own(planner) is None else own_planner(
            _own(planner), build_reader(config.viewpoint))

    @property
    def robot(self) -> Robot:
        return self.cell.robot

    @property
    def scene(self) -> Scene:
        """What is seen now. Raises PerceptionError if nothing can be seen."""
        return self.perception.observe(Context())

    def add_skill(self, skill: Skill) -> None:
        """Let plans use the skill from now on. Its name must be new."""
        self._registry.add(skill)

    def run(self, task: str, *, out: Path | str | None = None,
            on_event: Callable[[Event], None] | None = None,
            watchers: Iterable[ports.Recorder] = (), ctx: Context | None = None,
            resume: Resume | None = None, steps: Iterable[Step] | None = None) -> TaskResult:
        """The outcome of a task; a failed one is a result too.

        `out` is a folder for result.json and events.jsonl. `on_event` is called with every event
        as it happens. `ctx` can cancel the task. `resume` continues an earlier run; raises
        ConfigError if the approver here is more lenient than the one of that run. `steps` are a
        plan of your own: it is validated and approved like any other, and no planner is asked.
        Raises RuntimeError while another task runs on this robot, also one of another agent.
        """
        if not isinstance(task, str) or not task.strip():
            raise ConfigError(f"the task must be a text such as 'pick up the red cube', not "
                              f'{shown(task)}')
        if not self.cell.busy.acquire(blocking=False):  # one task at a time: there is one arm
            raise RuntimeError('a task is running on this robot: start the next one when it has '
                               'ended')
        try:
            if resume is not None:
                self._keep_approver(resume)
            planner = None if steps is None else given_plan(
                steps, build_reader(self.config.viewpoint))
            # Wrong settings end here: no folder is touched.
            agent = self.agent(MemoryRecorder(), planner)
            record = MemoryRecorder() if out is None else run_folder(
                Path(out), lambda: self.robot.state().stamp, self._frame, self.cell.trace,
                reports())
            callback = [_CallbackRecorder(on_event)] if on_event else []
            looks = MemoryRecorder()
            agent.recorder = FanOut(record, *watchers, looks, *callback)
            result = agent.run(task, ctx, self.facts(), resume)
        finally:
            self.cell.busy.release()
        scenes = [event.scene for event in looks.events if isinstance(event, ScenePerceived)]
        for told in self.on_task if scenes else ():
            told(task, result, scenes[0], scenes[-1])
        return result

    def _keep_approver(self, resume: Resume) -> None:
        """Approve no more leniently than the earlier run. Raises ConfigError if it cannot."""
        here, earlier = self.config.approver, known_approver(resume.approver)
        if not self._own_approver and earlier and is_more_lenient(here, earlier):
            raise ConfigError(f'approver {here!r} is more lenient than {resume.approver!r}, which '
                              'approved the plans of the earlier run')
        if not isinstance(self.approver, AdaptiveApprover):
            return
        before, now = build(ApprovalConfig, resume.approval, 'resume'), self.config.approval
        if resume.approval and now != now.as_strict_as(before):
            raise ConfigError('the settings of approval are more lenient than those of the '
                              'earlier run')
        if resume.threshold is not None:
            self.approver.threshold.continue_from(resume.threshold)

    def agent(self, recorder: ports.Recorder, planner: ports.Planner | None = None) -> Agent:
        """The loop for one task, with the planner of the settings or another one."""
        return build_agent(self.config, Ports(
            self.perception, self.skills, planner or self.planner(), self.approver, recorder,
            self.human, self.model, self._registry))

    def planner(self) -> ports.Planner:
        """The planner for one task. Raises ConfigError if it is not available."""
        if self._planner is not None:
            return self._planner
        return build_planner(self.config, self.model, build_check(self.config), self._snapshot)

    def facts(self) -> Mapping[str, Any]:
        """Facts for each result: robot, scene, settings, who approves, software versions."""
        return {**self.cell.facts, **run_facts(
            self.config, self._planner.name if self._planner else '', self._own_perception,
            self._own_approver)}

    def close(self) -> None:
        """Close the cameras and the motion planner, and free what the robot cell holds.

        One that fails keeps no other from it.
        """
        with ExitStack() as last_first:
            last_first.callback(self.cell.close)
            if self._owns_motion:
                last_first.callback(self.motion.close)
            last_first.callback(self._close_cameras)

    def __enter__(self) -> ArmAgent:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _snapshot(self) -> ports.Snapshot:
        """What the camera sees now, as PNG with the names of the objects, for a model."""
        def taken(scene: Scene, ctx: Context) -> bytes:
            try:
                with open_camera(self.cell) as camera:
                    return png(annotated(camera.capture(ctx), scene))
            except (CameraError, ConfigError) as error:
                raise PerceptionError(str(error)) from error

        return taken


class _CallbackRecorder:
    """A recorder that calls a function with each event."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self.record = on_event

    def finish(self, result: TaskResult) -> None:
        """Nothing to do: the last event was the end of the task."""


def _checked(config: Config, max_replans: int | None, **names: Any) -> Config:
    """The settings with these names and this number. Raises ConfigError for a wrong one."""
    given = {} if max_replans is None else {'max_replans': max_replans}
    build(Config, {**names, 'agent': given}, 'settings', known_names)
    agent = config.agent if max_replans is None else config.agent.allowing_replans(max_replans)
    return replace(config, agent=agent, **names)


def _own(given: Any) -> Any:
    """The object that was given; None for a name or nothing."""
    return None if isinstance(given, str) else given


def _name(given: Any, configured: str) -> str:
    """The name that was given, otherwise the one in the settings."""
    return given if isinstance(given, str) else configured
