# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The failures of a task, and what is said of each."""

from __future__ import annotations

from replan_agent.agent.state.failures import Failures
from replan_agent.domain.failure import Attempt
from replan_agent.domain.recovery import FailureCase, Reflection
from replan_agent.domain.scene import Scene


def test_what_is_said_is_about_the_current_failure_also_if_local_planning_failed_since() -> None:
    failures = Failures(repeat_guard=False)
    scene = Scene('s', 0.0, (), 'ground_truth')
    cases = [FailureCase(Attempt(n, 'pick', {}, 'in_collision', 'why'), scene) for n in range(2)]
    for case in cases:
        failures.add(case, 0)
    failures.case = cases[0]
    failures.explain(Reflection('physical', 'a wall is in the way'))
    assert [failed.why for failed in failures.told] == ['a wall is in the way', 'why']
