# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plan monitor by rules: silent unless something fundamental is wrong.

It does not check whether the suggested plan is followed. What it reports is certain from the
scene, so a sound plan is never stopped.
"""

from __future__ import annotations

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.domain.task_view import Guidance, TaskView

from .no_progress import leads_nowhere
from .repetition import done_again, fails_again
from .undone import broken, undone_by


class RuleMonitor:
    """Finds undone work, repeated steps, steps that lead nowhere, and broken goals."""

    def review(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        ctx.check()
        if view.now.stale or not plan.steps:
            return None  # without a fresh scene nothing is certain
        return undone_by(plan, view) or fails_again(plan, view) or done_again(plan, view)

    def watch(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        ctx.check()
        if view.now.stale:
            return None
        guidance = broken(plan, view)
        return guidance if guidance and not view.was_told(guidance) else leads_nowhere(view)
