"""The events of a run as the page shows them: with the words of the narrator, and with points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from replan_agent.agent.task_progress import State
from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Step
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.goal_words import goal_in_words
from replan_agent.record.narrator import LIVE, Narrator, decision_in_words, outcome
from replan_agent.record.run_json import OTHER_VERSION
from replan_agent.text.shown_text import in_words, one_line

Json = Mapping[str, Any]
LONGEST_LABEL = 300  # characters
WAITS = {State.PENDING_APPROVAL: 'waits for a person', State.HUMAN_REQUIRED: 'waits for a person'}
STAGES = {
    State.PERCEIVING: 'PERCEIVE', State.PLANNING: 'PLAN', State.REHEARSING: 'PLAN',
    State.REPLANNING: 'PLAN', State.APPROVING: 'APPROVE', State.PENDING_APPROVAL: 'APPROVE',
    State.HUMAN_REQUIRED: 'APPROVE', State.EXECUTING: 'EXECUTE', State.DIAGNOSING: 'EXECUTE',
    State.LOCAL_PLANNING: 'EXECUTE', State.VERIFYING: 'VERIFY'}
FINAL_WORDS: Mapping[str, str] = {
    FinalReason.PLAN_COMPLETE: 'the plan is done',
    FinalReason.ALREADY_DONE: 'it was so already',
    FinalReason.REPLAN_EXHAUSTED: 'no other plan is left',
    FinalReason.GAVE_UP: 'the planner gave up',
    FinalReason.GOAL_NOT_MET: 'the goal is not met',
    FinalReason.CONFLICTING_GOALS: 'two goals exclude each other',
    FinalReason.UNRECOGNIZED_PROMPT: 'the task was not understood',
    FinalReason.NO_PLAN: 'there is no plan',
    FinalReason.VLM_TRANSPORT: 'the model does not answer',
    FinalReason.BUDGET_EXHAUSTED: 'a budget is spent',
    FinalReason.APPROVAL_DENIED: 'a plan was not approved',
    FinalReason.HUMAN_REQUIRED: 'a person is needed',
    FinalReason.MAX_STEPS: 'too many steps',
    FinalReason.PERCEPTION_LOST: 'nothing is seen any more',
    FinalReason.NODE_LOST: 'a part of the system does not answer',
    FinalReason.AGENT_LOST: 'the agent does not answer',
    FinalReason.CANCELLED: 'the task was cancelled',
    FinalReason.STOPPED: 'the arm was stopped',
    FinalReason.INTERNAL_ERROR: 'a bug in the agent',
}
WITHOUT_CALLS = ('task_started', 'task_resumed', 'scene_perceived', 'model_called')


class Story:
    """One run, told event by event. A file of another version loses only what is added here."""

    def __init__(self) -> None:
        self._narrator = Narrator()
        self._arm = arm_named(DEFAULT_ARM).kinematics

    def told(self, event: Json) -> dict[str, Any]:
        """The event with what the page needs beside it, and without the settings."""
        said = [one.line for one in self._narrator.said(event) if one.only != LIVE]
        told = dict(event if event.get('event') in WITHOUT_CALLS else with_calls(event))
        told |= {'said': said, 'label': '; '.join(said) or in_words(str(event.get('event')))}
        try:
            told |= self._more(told)
        except OTHER_VERSION:
            pass  # it is shown as it is
        told['label'] = one_line(told['label'], LONGEST_LABEL)
        return told

    def _more(self, event: Json) -> Json:
        """What is added to an event of this kind."""
        match event.get('event'):
            case 'task_started':
                facts = {key: value for key, value in event['facts'].items() if key != 'settings'}
                self._arm = arm_named(facts.get('arm_model', DEFAULT_ARM)).kinematics
                return {'facts': facts}
            case 'state_changed':
                return {'stage': STAGES.get(event['state']),
                        'label': WAITS.get(event['state'], in_words(event['state']))}
            case 'plan_made':
                changed = self._narrator.changed
                return {'changed': changed.lines() if changed else None}
            case 'phase_started':
                return {'label': f'{event["skill"]}: {in_words(event["phase"])}'}
            case 'step_finished':
                return {'outcome': outcome(event['result'])}
            case 'goals_set' | 'goal_judged':
                return {'in_words': [goal_in_words(Goal.from_dict(g)) for g in event['goals']]}
            case 'attempt_recorded':
                attempt = event['attempt']
                return {'marks': self._marks(attempt.get('ik')),
                        'label': f'failed: {in_words(attempt.get("reason", ""))}'}
            case 'local_action_judged':
                return {'node': _decided(event['node'])}
            case 'local_planning_finished':
                record = event['record']
                return {'record': {**record, 'nodes': list(map(_decided, record['nodes']))}}
            case 'task_finished':
                return {'ended': ending(event['final_reason'])}
        return {}

    def _marks(self, ik: Json | None) -> dict[str, list[float]]:
        """The point that could not be reached, and the nearest that was found (m, base frame)."""
        if not ik or ik['converged']:
            return {}
        nearest = self._arm.forward(np.array(ik['joints'], float))[:3, 3]
        return {'target': [float(x) for x in ik['target']['position']],
                'nearest': [float(x) for x in nearest]}


def with_calls(value: Any) -> Any:
    """The value, with each step in it as people read it: 'pick(object=red_cube)'."""
    if isinstance(value, list):
        return [with_calls(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    found = {key: with_calls(one) for key, one in value.items()}
    if isinstance(value.get('skill'), str) and isinstance(value.get('args'), Mapping):
        found['call'] = Step(0, value['skill'], value['args']).told
    return found


def ending(reason: Any) -> str:
    """How a task ended, in words."""
    return FINAL_WORDS.get(str(reason), in_words(str(reason)))


def _decided(node: Json) -> Json:
    return {**node, 'decided': decision_in_words(node['decision'])}
