# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Words that only the page needs: for stages, endings and kinds of failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replan_agent.domain.failure import Kind
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.narrator import worded

WITHOUT_STEP = {'plan': 'the plan', 'goal': 'the goal'}
KIND_WORDS: Mapping[str, str] = {
    Kind.STRUCTURAL: 'cannot succeed in this scene', Kind.TRANSIENT: 'may work if tried again',
    Kind.UNDERSPECIFIED: 'the planner did not know enough'}
WAITS = dict.fromkeys(('pending_approval', 'human_required'), 'waits for a person')
STAGES = {
    'perceiving': 'PERCEIVE', 'planning': 'PLAN', 'rehearsing': 'PLAN', 'replanning': 'PLAN',
    'approving': 'APPROVE', 'pending_approval': 'APPROVE', 'human_required': 'APPROVE',
    'executing': 'EXECUTE', 'diagnosing': 'EXECUTE', 'local_planning': 'EXECUTE',
    'verifying': 'VERIFY'}
FINAL_WORDS: Mapping[str, str] = {
    FinalReason.PLAN_COMPLETE: 'the plan is done', FinalReason.ALREADY_DONE: 'it was so already',
    FinalReason.REPLAN_EXHAUSTED: 'no other plan is left',
    FinalReason.GAVE_UP: 'the planner gave up', FinalReason.GOAL_NOT_MET: 'the goal is not met',
    FinalReason.CONFLICTING_GOALS: 'two goals exclude each other',
    FinalReason.UNRECOGNIZED_PROMPT: 'the task was not understood',
    FinalReason.NO_PLAN: 'there is no plan',
    FinalReason.VLM_TRANSPORT: 'the model does not answer',
    FinalReason.BUDGET_EXHAUSTED: 'a budget is spent',
    FinalReason.APPROVAL_DENIED: 'a plan was not approved',
    FinalReason.HUMAN_REQUIRED: 'a person is needed', FinalReason.MAX_STEPS: 'too many steps',
    FinalReason.PERCEPTION_LOST: 'nothing is seen any more',
    FinalReason.NODE_LOST: 'a part of the system does not answer',
    FinalReason.AGENT_LOST: 'the agent does not answer',
    FinalReason.CANCELLED: 'the task was cancelled', FinalReason.STOPPED: 'the arm was stopped',
    FinalReason.INTERNAL_ERROR: 'a bug in the agent'}


def diagnosis_in_words(diagnosis: Mapping[str, Any]) -> str:
    return worded(diagnosis['kind'], KIND_WORDS) + (
        ', which is proved' if diagnosis.get('proved') else '')
