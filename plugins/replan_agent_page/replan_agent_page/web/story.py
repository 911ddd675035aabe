# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The events of a run as the page shows them: with the words of the narrator, and with points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.goal import Goal
from replan_agent.domain.local_planning import DECISION_WORDS
from replan_agent.domain.plan import Step
from replan_agent.geometry.goal_words import goal_in_words
from replan_agent.record.narrator import LIVE, Narrator, outcome, untold, worded
from replan_agent.record.run_json import OTHER_VERSION
from replan_agent.text.shown_text import in_words, one_line

from .page_words import FINAL_WORDS, STAGES, WAITS, WITHOUT_STEP, diagnosis_in_words

Json = Mapping[str, Any]
LONGEST_LABEL = 300  # characters
WITHOUT_CALLS = ('task_started', 'task_resumed', 'scene_perceived', 'model_called')


class Story:
    """One run, told event by event. A file of another version loses only what is added here.

    `is_live`: the events are of this version, so it is said if one of them cannot be told.
    """

    def __init__(self, is_live: bool = False) -> None:
        self._is_live, self._narrator = is_live, Narrator(is_live)
        self._arm = arm_named(DEFAULT_ARM).kinematics

    def told(self, event: Json) -> dict[str, Any]:
        """The event with what the page needs beside it, and without the settings."""
        said = [one.line for one in self._narrator.said(event) if one.only != LIVE]
        told = dict(event if event.get('event') in WITHOUT_CALLS else with_calls(event))
        told |= {'said': said, 'label': '; '.join(said) or in_words(str(event.get('event')))}
        try:
            told |= self._more(told)
        except OTHER_VERSION as error:  # it is shown as it is
            if self._is_live and not said:
                told |= {'said': [untold(event, error).line], 'label': untold(event, error).line}
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
                        'label': worded(event['state'], WAITS)}
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
                found = attempt.get('diagnosis')
                return {'marks': self._marks(attempt.get('ik')),
                        'about': worded(attempt.get('stage', ''), WITHOUT_STEP),
                        'diagnosed': diagnosis_in_words(found) if found else '',
                        'label': f'failed: {in_words(attempt.get("reason", ""))}'}
            case 'local_action_judged':
                return {'node': _decided(event['node'])}
            case 'local_planning_finished':
                record = event['record']
                return {'record': {**record, 'nodes': list(map(_decided, record['nodes']))}}
            case 'task_finished':
                return {'ended': worded(event['final_reason'], FINAL_WORDS)}
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


def _decided(node: Json) -> Json:
    return {**node, 'decided': worded(node['decision'], DECISION_WORDS)}
