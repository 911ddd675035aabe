# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever a run is told to be, the page has words for it."""

from __future__ import annotations

from replan_agent_page.web.page_words import FINAL_WORDS, KIND_WORDS, STAGES

from replan_agent.agent.task_progress import State
from replan_agent.domain.failure import Kind
from replan_agent.domain.task_result import FinalReason


def test_every_ending_every_state_and_every_kind_of_failure_has_words() -> None:
    assert set(FINAL_WORDS) == set(FinalReason) and set(KIND_WORDS) == set(Kind)
    assert set(STAGES) == set(State) - {State.IDLE, State.SUCCEEDED, State.FAILED}
