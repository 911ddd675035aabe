# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs tasks on the loop with ROS ports, and refuses goals that ask for too much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rclpy.node import Node

from replan_agent.agent.ports import Approver, ChatModel, Planner
from replan_agent.agent.task_progress import Progress, ProgressRecorder
from replan_agent.app.build.build_agent import Ports, build_agent
from replan_agent.app.build.build_approver import build_approver, is_more_lenient
from replan_agent.app.build.build_planner import chat_model, vlm_of
from replan_agent.app.build.build_reader import build_reader, mentioned
from replan_agent.app.build.own_planner import given_plan
from replan_agent.app.build.plugins import CHANCES, PLANS, offered
from replan_agent.approve.adaptive import Threshold
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.perceive.patient import PatientPerception
from replan_agent.record.lost_run import WRITER, LostRun, close_lost_runs
from replan_agent.record.recorders import FanOut
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.versions import versions
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.messages.task_order import TaskOrder
from replan_agent.ros.node_settings import DRIVER, SIMULATED, AgentSettings, as_config, choices
from replan_agent.ros.safety.stop_latch import OUTDATED

from .awaited_person import AwaitedPerson
from .clients import RosPerception, RosPlanner, RosSkills
from .event_topics import EventTopics, TopicRecorder
from .remote_approval import RosApprovals, RosApprover
from .remote_hints import RosHints
from .run_recording import RunRecording

APPROVALS = ('none', 'remote', 'adaptive', 'auto')
ASK_A_PERSON = ('remote', 'adaptive')


class Refused(Exception):
    """The task does not start; says why and what is allowed."""


@dataclass(frozen=True)
class TaskRun:
    result: TaskResult
    folder: str  # '' if nothing is recorded


class TaskRunner:
    """Runs tasks one after the other, on the same clients of the other nodes."""

    def __init__(self, node: Node, settings: AgentSettings, arm: ArmStop,
                 recording: RunRecording) -> None:
        self._settings, self._config = settings, as_config(settings)
        self._recording, self._arm = recording, arm
        self._name, self._warn = node.get_fully_qualified_name(), node.get_logger().warning
        known = arm_named(settings.robot.model)
        self._perception = RosPerception(node, settings.timeouts, settings.perception, known.hand)
        self._planner = RosPlanner(node, settings.timeouts, settings.planner)
        self._skills = RosSkills(node, settings.timeouts, arm)
        self.ask_permit = self._skills.ask_permit  # for a task that must wait
        self.person = AwaitedPerson(node)
        self._approvals = RosApprovals(node, settings.approval.timeout, self.person)
        self._hints = RosHints(node, self.person)
        self._topics = EventTopics(node, known)
        vlm = vlm_of(settings.vlm, node.get_name())
        self._model: Callable[[], ChatModel] = cache(lambda: chat_model(vlm))
        # Kept from one task to the next:
        self._threshold = Threshold(settings.approval)
        self._stuck: TaskResult | None = None  # the last task, if it needs a person
        self._before = self._skills  # of the last task that ran
        for approval in ('adaptive', settings.approver):  # what is wrong stops the node now
            self._approver(approval, '')
        if settings.agent.chance:
            offered(CHANCES, PLANS)(self._config, dict.fromkeys(('rehearsal', 'reflector')))

    def use(self, settings: AgentSettings) -> None:
        """Use these settings from the next task on."""
        self._settings, self._config = settings, as_config(settings)
        self._approvals.timeout_s = settings.approval.timeout
        self._threshold.use(settings.approval)

    def close_lost_runs(self) -> list[LostRun]:
        """The tasks in which an earlier process of this agent died; each gets its result.json."""
        if not self._settings.tasks.runs:
            return []
        return close_lost_runs(Path(self._settings.tasks.runs).expanduser(), self._name,
                               self._warn)

    def run(self, order: TaskOrder, task_id: str, cancel: CancelToken,
            on_progress: Callable[[Progress], None],
            permit: Callable[[], int] | None = None) -> TaskRun:
        """The outcome of a task. Raises Refused if it must not start.

        `permit` is what `ask_permit` returned when the task was put in the queue, if it was.
        """
        for name in ('planner', 'perception'):
            if (asked := getattr(order, name)) and asked not in choices(name):
                raise Refused(f'goal: {name} {asked!r} is not one of: {", ".join(choices(name))}')
        resume = self._resume(order)
        approval, ctx = self._approval(order.approval, resume), Context(cancel)
        skills = self._skills.for_task(task_id, ctx)  # before any wait: a stop in it counts
        self._check_stops(skills, permit)
        wait_s = self._settings.timeouts.appear_timeout if self._settings.agent.chance else 0.0
        source = SIMULATED if self._arm.moved_by(wait_s, cancel) == {SIMULATED} else DRIVER
        config = replace(self._config, agent=order.applied_to(self._settings.agent),
                         approver=approval, perception=order.perception or self._config.perception,
                         robot_source=source)
        self.person.is_asked_for = order.approval in ASK_A_PERSON
        planner: Planner = (  # the node, or the plan of the goal
            given_plan(order.steps, build_reader(self._config.viewpoint)) if order.steps
            else self._planner.asking_for(order.planner or ''))
        told = TopicRecorder(self._topics, task_id, skills.specs), ProgressRecorder(on_progress)
        with self._hints.for_task(task_id, order.task) as human:
            agent = build_agent(config, Ports(
                perception=PatientPerception(
                    self._perception.asking_for(order.perception or '',
                                                mentioned(order.task) or ()),
                    config.scene_memory.lost_after),
                planner=planner, skills=skills, approver=self._approver(approval, task_id),
                human=human, model=self._model))
            folder = self._folder()  # not for a task that is refused
            agent.recorder = FanOut(*([folder] if folder else []), *told)
            result = agent.run(order.task, ctx,
                               {**self._recording.facts, 'task_id': task_id,
                                'versions': versions(), 'approver': approval,
                                WRITER: self._name}, resume)
        self._stuck = result if result.final_reason is FinalReason.HUMAN_REQUIRED else None
        return TaskRun(result, str(folder.path) if folder else '')

    def give_up(self, at: float) -> None:
        """Wait for no other node after that monotonic time, because this process ends."""
        self._planner.give_up(at)
        self._skills.give_up(at)

    def _check_stops(self, skills: RosSkills, permit: Callable[[], int] | None) -> None:
        """Raise Refused for a task that waited when a stop or a restart of skill_node came."""
        before, self._before = self._before, skills
        if permit:
            try:
                skills.specs()
                if (permit() or before.permit) != skills.permit:
                    self._before = before  # for the next ones in the queue
                    raise Refused(f'skill_node: {OUTDATED}')
            except (NodeLost, Cancelled) as ended:
                raise Refused(str(ended)) from ended

    def _approval(self, asked: str | None, resume: Resume) -> str:
        """The approver as configured or a stricter one: a goal cannot be more lenient.

        Nor is a task that continues approved more leniently than before.
        """
        configured, earlier = self._settings.approver, resume.approver
        keeps = earlier and is_more_lenient(configured, earlier)
        wanted = asked or (earlier if keeps else configured)
        if wanted not in APPROVALS:
            raise Refused(f'goal: approval {wanted!r} is not one of: {", ".join(APPROVALS)}')
        if is_more_lenient(wanted, configured):
            raise Refused(f'goal: approval {wanted!r} is more lenient than approver='
                          f'{configured!r}, which the agent was started with')
        if earlier and is_more_lenient(wanted, earlier):
            raise Refused(f'goal: approval {wanted!r} is more lenient than {earlier!r}, which '
                          'approved the plans of the task that continues')
        return wanted

    def _approver(self, approval: str, task_id: str) -> Approver:
        return build_approver(replace(self._config, approver=approval),
                              RosApprover(self._approvals, task_id), 'remote', self._threshold)

    def _resume(self, order: TaskOrder) -> Resume:
        """The hints of the goal; with hints, the same task continues if it was stuck."""
        stuck, hints = self._stuck, order.scene_hints
        if not hints or stuck is None or stuck.task != order.task:
            return Resume(hints=hints)
        return stuck.resume(*hints)

    def _folder(self) -> RunFolder | None:
        try:
            return self._recording.folder()
        except OSError as error:
            raise Refused(f'{self._settings.tasks.runs}: the record of the task cannot be '
                          f'written: {error.strerror}') from error
