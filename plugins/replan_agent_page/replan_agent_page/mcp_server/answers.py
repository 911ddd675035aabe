# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The answers of the tools, as plain values.

Names and sentences in them come from the world, from models and from clients. They are data: each
is on one line, printable and short, and stays a value of a key that we chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replan_agent.agent.task_progress import State
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.text.shown_text import one_line
from replan_agent_page.serve.desk import Job
from replan_agent_page.serve.said import ASKS, SAID

LONGEST_TEXT = 1000  # characters of one value
MOST_ITEMS = 200
DIGITS = 4  # of a metre or a radian
Answer = dict[str, Any]


def as_data(value: Any) -> Any:
    """The value with every text in it made short and printable."""
    if isinstance(value, str):
        return one_line(value, LONGEST_TEXT)
    if isinstance(value, Mapping):
        return {one_line(key, 100): as_data(v) for key, v in list(value.items())[:MOST_ITEMS]}
    if isinstance(value, (list, tuple)):
        return [as_data(v) for v in value[:MOST_ITEMS]]
    return value


def scene_answer(scene: Scene, is_new: bool) -> Answer:
    """What is seen, in metres and radians in the frame of the arm's base."""
    arm = scene.arm
    return as_data({
        'seen_now': is_new, 'held': scene.held, 'frame': scene.frame,
        'perception': scene.perception, 'stale': scene.stale, 'warnings': scene.warnings,
        'arm': {'joints_rad': _rounded(arm.joints), 'at_home': arm.at_home,
                'gripper_width_m': round(arm.gripper_width, DIGITS)} if arm else None,
        'objects': [{'name': thing.name, 'shape': thing.shape.value, 'colour': thing.colour,
                     'position_m': _rounded(thing.position),
                     'yaw_rad': round(thing.pose.yaw, DIGITS), 'size_m': _rounded(thing.size),
                     'movable': thing.movable, 'confidence': round(thing.confidence, 2)}
                    for thing in scene.objects]})


def skills_answer(specs: Sequence[SkillSpec]) -> Answer:
    """The skills with their arguments as JSON schemas."""
    return {'skills': [{'name': spec.name, 'description': spec.description,
                        'arguments': dict(spec.arguments), 'example': spec.example,
                        'moves_arm': spec.moves_arm} for spec in specs]}


def status_answer(job: Job, approver: str, ask_where: str) -> Answer:
    """How far a task is, or how it ended."""
    running = not job.done.is_set()
    state = job.progress.state if job.progress else State.IDLE
    answer: Answer = {'run': job.name, 'task': job.order.task, 'running': running,
                      'state': state.value, 'recent': list(job.recent), 'approver': approver}
    if running and state is State.PENDING_APPROVAL:
        answer['waits_for_a_person'] = (
            f'a person must answer {ask_where}; you cannot approve a plan')
    if job.problem:
        answer |= {'success': False, 'problem': job.problem}
    if job.result is not None:
        answer |= {key: job.result[key] for key in (SAID, ASKS) if key in job.result}
    if job.result is not None and 'success' in job.result:  # else nothing was done
        answer |= result_answer(job.result)
    return as_data(answer)


def result_answer(result: Mapping[str, Any]) -> Answer:
    """The short form of a result.json."""
    decided = [{'plan': one['plan_version'], 'approved': one['approved'],
                'by': one['approver'], 'detail': one['detail']}
               for one in result.get('approvals', ())]
    chances = result.get('chances', {})
    steps = [{'call': _call(step), 'ok': step['result']['success'],
              'detail': step['result'].get('reason_detail', '')}
             for step in result.get('steps', ())]
    return as_data({
        'success': result.get('success', False), 'final_reason': result.get('final_reason', ''),
        'final_detail': result.get('final_detail', ''), 'goals': result.get('goals', ()),
        'goal_verified': result.get('goal_verified'), 'replans': result.get('replans', 0),
        'steps': steps, 'approvals': decided,
        **({'chances': {version: told['said'] for version, told in chances.items()}}
           if chances else {}),
        **({'not_recorded': result['not_recorded']} if result.get('not_recorded') else {})})


def why_answer(run: str, result: Mapping[str, Any]) -> Answer:
    """Why a task failed: what was tried, why each attempt failed, and what would help."""
    answer = {'run': run, 'task': result.get('task', ''), **result_answer(result)}
    if answer['success']:
        return {**as_data(answer), 'why': 'it did not fail'}
    attempts = [_attempt(one) for one in result.get('attempts', ())]
    denied = [one['detail'] or one['by'] for one in answer['approvals'] if not one['approved']]
    return as_data({
        **answer, 'why': (result.get('why') or result.get('final_detail', '')
                          or 'the run did not end'),
        'attempts': attempts, 'denied': denied,
        'proved_impossible': [_call(one['step']) for one in result.get('proofs', ())],
        'what_would_help': list(dict.fromkeys(one['remedy'] for one in attempts
                                              if one['remedy'])),
        'hints_so_far': result.get('hints', ())})


def _attempt(one: Mapping[str, Any]) -> Answer:
    diagnosis = one.get('diagnosis') or {}
    return {'call': _call(one) if one.get('skill') else '', 'where': one.get('stage', ''),
            'reason': one.get('reason', ''), 'detail': one.get('reason_detail', ''),
            'cause': diagnosis.get('cause') or one.get('cause') or '',
            'blockers': one.get('blockers', ()), 'remedy': diagnosis.get('remedy', '')}


def _call(step: Mapping[str, Any]) -> str:
    return Step(0, step.get('skill', ''), step.get('args', {})).told


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
