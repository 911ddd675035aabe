"""`replan-agent read`: what a sentence means in a scene. No world is built."""

from __future__ import annotations

import argparse
import json
from typing import Any

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.robot.mujoco.scene.placement import place, table_of, thing_at
from replan_agent.text.shown_text import printable


def read(arguments: argparse.Namespace) -> int:
    """Print the goals of the sentence and how they are said; or why there are none."""
    config = load_config(arguments.config)
    spec = scene_named(arguments.scene)
    scene = Scene(spec.name, 0.0, (table_of(spec), *map(thing_at, place(spec, arguments.seed))),
                  'scene_file', None, hand=arm_named(config.robot.model).hand)
    reader = build_reader(config.viewpoint)
    request = PlanRequest(arguments.task, scene, standard_skills().specs())
    reply = SearchPlanner(reader).plan(request, Context())
    said = reader.said(reply.goals, scene)
    if arguments.json:
        print(json.dumps(_values(arguments.task, spec.name, reply, said), indent=2))
    else:
        for line in _lines(reply, said):
            print(printable(line))
    return SUCCESS if _is_read(reply) else TASK_FAILED


def _is_read(reply: PlanReply) -> bool:
    """Whether it is clear what is meant; whether the arm can do it is another question."""
    return bool(reply.goals) or reply.kind in (ReplyKind.STEPS, ReplyKind.DONE)


def _values(task: str, scene: str, reply: PlanReply, said: str) -> dict[str, Any]:
    return {'task': task, 'scene': scene, 'goals': [goal.as_dict() for goal in reply.goals],
            'understood': said, 'not_understood': '' if _is_read(reply) else reply.detail,
            'reason': reply.reason.value if reply.reason and not _is_read(reply) else '',
            'warnings': list(reply.warnings)}


def _lines(reply: PlanReply, said: str) -> list[str]:
    goals = ', '.join(map(str, reply.goals))
    lines = [f'understood: {said}', f'goals:      {goals}'] if goals else [
        f'understood: {", ".join(step.call for step in reply.steps)}' if _is_read(reply)
        else f'not understood: {reply.detail}']
    return [*lines, *(f'warning:    {text}' for text in reply.warnings)]
