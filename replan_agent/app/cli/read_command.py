# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent read`: what a sentence means in a scene. No world is built."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.reading.first_reading import first_reading, first_request, other_readings
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.text.shown_text import printable


def read(arguments: argparse.Namespace) -> int:
    """Print the goals of the sentence and how they are said; or why there are none."""
    config = load_config(arguments.config)
    spec = scene_named(arguments.scene)
    request = first_request(arguments.task, spec, arguments.seed, config)
    reply = first_reading(request, config)
    is_read = bool(reply.goals) or reply.kind in (ReplyKind.STEPS, ReplyKind.DONE)
    others = () if is_read else other_readings(request, config)
    said = build_reader(config.viewpoint).said(
        reply.goals, request.scene, reply.left_alone if reply.goals else (),
        reply.suggested_plan.passed(reply.goals) if reply.suggested_plan is not None else ())
    if arguments.json:
        print(json.dumps({
            'task': arguments.task, 'scene': spec.name,
            'goals': [goal.as_dict() for goal in reply.goals], 'understood': said,
            'other_readings': others, 'not_understood': '' if is_read else reply.detail,
            'reason': reply.reason.value if reply.reason and not is_read else '',
            'warnings': reply.warnings}, indent=2))
    else:
        for line in _lines(reply, said, others, is_read):
            print(printable(line))
    return SUCCESS if is_read else TASK_FAILED


def _lines(reply: PlanReply, said: str, others: Sequence[str], is_read: bool) -> list[str]:
    goals = ', '.join(map(str, reply.goals))
    lines = [f'understood: {said}', f'goals:      {goals}'] if goals else [
        f'understood: {", ".join(step.told for step in reply.steps)}' if is_read
        else f'not understood: {reply.detail}']
    return [*lines, *(f'it may mean: {text}' for text in others),
            *(f'warning:    {text}' for text in reply.warnings)]
