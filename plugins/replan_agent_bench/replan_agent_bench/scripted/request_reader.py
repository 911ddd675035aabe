# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads a request to a model back into what the planner asked: the reverse of `prompts`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from replan_agent.app.build.build_reader import build_reader
from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, AttemptStage, Kind
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import CompletedStep, PlanRequest, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import FIT_WORDS, Effect, Fit
from replan_agent.domain.suggested_plan import SUGGESTED_PLAN, SuggestedGoal, SuggestedPlan
from replan_agent.plan.model.asking.ways import AS_JSON
from replan_agent.plan.model.prompts import FAILED_STEPS, GUIDANCE, HINTS, NOTES

from .scripted_tools import EFFECT, effect_in

VIEWPOINT = 'viewpoint'  # in the context of the request

_SKILL = re.compile(r'^- (?P<name>\w+)\((?P<arguments>[^)]*)\): (?P<text>.*)$', re.MULTILINE)
_ROLES = frozenset(f.name for f in fields(Effect)) - {'kind'}
_NEEDS = re.compile(r'Needs: (?P<needs>.*?)\. Effect:')


def read_request(body: Mapping[str, Any]) -> PlanRequest:
    """The request in the body of a chat completion. Raises KeyError, TypeError or ValueError."""
    texts = [part['text'] for message in body['messages'] if isinstance(message['content'], list)
             for part in message['content'] if part.get('type') == 'text']
    told = next((json.loads(text) for text in texts if text.startswith(('{"task"', '{"held"'))),
                None)
    if told is None:
        raise ValueError('no task in the request')
    failed: list[Mapping[str, Any]] = next(
        (json.loads(after) for text, after in zip(texts, texts[1:]) if text == FAILED_STEPS), [])
    shown = any(text.startswith(SUGGESTED_PLAN) for text in texts)
    guided = any(text == GUIDANCE for text in texts)
    hints = [hint for text, after in zip(texts, texts[1:]) if text == HINTS
             for hint in json.loads(after)]
    return PlanRequest(
        told['task'], _scene(told), tuple(_skills(offered(body))),
        tuple(map(_attempt, failed)), tuple(map(_completed, told.get('completed', ()))),
        goals=tuple(map(_goal, told.get('goals_in_force', ()))),
        context={VIEWPOINT: told.get('viewpoint', 'arm'), 'optimization_guidance': guided,
                 'hints': hints},
        suggested_plan=SuggestedPlan((SuggestedGoal('shown'),)) if shown else None)


def _goal(told: Mapping[str, Any]) -> Goal:
    """The goal, its words by the dictionary."""
    goal = Goal.from_dict(told)
    return goal if goal.things is None else replace(goal, things=replace(
        goal.things, words=tuple(build_reader().word(word.text) for word in goal.things.words)))


def offered(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The calls that the request offers: its tools, or what its first message lists."""
    if body.get('tools'):
        return [tool['function'] for tool in body['tools']]
    system = str(body['messages'][0]['content'])
    if AS_JSON in system:
        listed = json.loads(system.partition(AS_JSON)[2])
        return [{**call, 'parameters': call['arguments']} for call in listed]
    return [_listed(match) for match in _SKILL.finditer(system)]


def _listed(match: re.Match[str]) -> dict[str, Any]:
    """A skill of the compact prompt: `- place_at(x, y, yaw?): Needs: ...`"""
    names = [part.partition('=')[0] for part in match['arguments'].split(', ') if part]
    schema = {'type': 'object', 'properties': {name.rstrip('?'): {} for name in names},
              'required': [name for name in names if not name.endswith('?')]}
    given = [part.rstrip('?') for part in names]
    effect, found = match['text'], EFFECT.search(match['text'])
    if found is not None:
        taken = [role.partition('=')[2] for role in found['roles'].split(', ') if role]
        same = [f'{name}={name}' for name in given if name in _ROLES and name not in taken]
        roles = ', '.join([*filter(None, [found['roles']]), *same])
        effect = effect.replace(found[0], f'Effect: {found["kind"]}({roles})')
    return {'name': match['name'], 'description': effect, 'parameters': schema}


def _scene(told: Mapping[str, Any]) -> Scene:
    at_home = told.get('arm_at_home')
    arm = None if at_home is None else ArmSnapshot((), Pose((0.0, 0.0, 0.0)), 0.0, at_home)
    return Scene('request', 0.0, tuple(map(_object, told['objects'])), 'request', arm,
                 told.get('held'), told.get('frame', 'panda_link0'), hand=PANDA.hand)


def _object(told: Mapping[str, Any]) -> SceneObject:
    if 'at_m' in told:  # of the compact prompt
        in_name = told['name'].partition('_')[0] if '_' in told['name'] else ''
        told = {'colour': in_name, **told, 'shape': told['kind'], 'position_m': told['at_m'],
                'movable': not told.get('fixed'),
                'size_m': [value / 100 for value in told['size_cm']]}
    half, shape = math.radians(told.get('yaw_deg', 0)) / 2, Shape(told['shape'])
    if shape is Shape.IRREGULAR:  # its pieces are not in the request
        shape = Shape.BOWL if told.get('container') else Shape.BOX
    x, y, z = told['position_m']
    return SceneObject(told['name'], shape, tuple(told['size_m']),
                       Pose((x, y, z), (math.cos(half), 0.0, 0.0, math.sin(half))),
                       told.get('colour', ''), told.get('movable', True),
                       told.get('confidence', 1.0))


def _skills(functions: Iterable[Mapping[str, Any]]) -> Iterator[SkillSpec]:
    """The calls whose description names an effect."""
    for function in functions:
        description = function.get('description', '')
        effect = effect_in(description)
        if effect is None:
            continue
        schema = dict(function.get('parameters', {}))
        schema['properties'] = {name: value for name, value in schema.get('properties', {}).items()
                                if name not in NOTES}
        roles = (effect.object, effect.target)
        held, fits = _needs(description)
        yield SkillSpec(function['name'], description, schema, tuple(filter(None, roles)), held,
                        effect, must_be=fits)


def _needs(description: str) -> tuple[bool | None, dict[str, Fit]]:
    match = _NEEDS.search(description)
    needs: Sequence[str] = match['needs'].split('; ') if match else ()
    held = (True if 'something in the gripper' in needs else
            False if 'an empty gripper' in needs else None)
    fits = {argument: fit for need in needs for fit, words in FIT_WORDS.items()
            for argument, _, rest in [need.partition(' must be ')] if rest == words}
    return held, fits


def _completed(told: Mapping[str, Any]) -> CompletedStep:
    return CompletedStep(Step(1, told['skill'], told['args']), told.get('held'))


def _attempt(told: Mapping[str, Any]) -> Attempt:
    found = told.get('diagnosis') or {}
    return Attempt(told['step_idx'], told['skill'], told['args'], told['reason'],
                   told['reason_detail'], AttemptStage(told.get('stage', 'execute')),
                   told.get('plan_version', 1),
                   evidence={'proved_impossible': bool(found.get('proved')),
                             'passing': found.get('kind') == Kind.TRANSIENT.value},
                   cause=Cause(found['cause']) if found.get('cause') else None,
                   blockers=tuple(told.get('blockers', ())))
