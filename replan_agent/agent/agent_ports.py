# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an agent is made of: its ports and its settings."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from replan_agent.domain.config import AgentConfig, ApprovalConfig
from replan_agent.domain.context import Context

from . import ports


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, ctx: Context) -> None:
        ctx.cancel.wait(max(0.0, min(seconds, ctx.remaining_s())))
        ctx.check()


@dataclass
class AgentPorts:
    """The ports of an agent. A port that is None is switched off.

    `fragile` are names of objects that no change grips with more force; * stands for any letters.
    `looks_around`: a camera is in the hand, so that looking moves the arm.
    """

    perception: ports.Perception
    planner: ports.Planner
    check_plan: ports.PlanCheck
    skills: ports.Skills
    approver: ports.Approver
    policy: ports.Policy
    recorder: ports.Recorder
    config: AgentConfig = field(default_factory=AgentConfig)
    clock: ports.Clock = field(default_factory=SystemClock)
    rehearsal: ports.Rehearsal | None = None
    reflector: ports.Reflector | None = None
    memory: ports.Memory | None = None
    local_planner: ports.LocalPlanner | None = None
    monitor: ports.Monitor | None = None
    human: ports.Human | None = None
    fragile: tuple[str, ...] = ApprovalConfig().fragile
    looks_around: bool = False
