# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model's habits of form, met half-way: only what has one meaning is mended, and said.

"0.4" for a number, "red cube" for red_cube, `object_name` for `object`. What may mean two things
stays as it is, and the validation refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.chat import ToolCall
from replan_agent.domain.goal import FOR_MODELS
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec
from replan_agent.text.shown_text import shown

from ..prompts import ASK, DONE, GIVE_UP, SET_GOAL, SUGGEST_PLAN, note_schemas, own_arguments
from .matching import flag, letters, named_object, object_name, only_match, parsed, read_number

WRAPPERS = ('arguments', 'args', 'parameters', 'params', 'input', 'kwargs')
# Remarks next to the arguments: they change nothing about a step.
REMARKS = ('reason', 'reasoning', 'thought', 'thoughts', 'explanation', 'comment', 'why', 'note',
           'step', 'step_number', 'number', 'id', 'index', 'expected_result')
# Other names that models use for the argument of a role.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    'object': ('object', 'object_name', 'object_id', 'obj', 'item', 'thing', 'name', 'target',
               'target_object'),
    'target': ('target', 'target_name', 'target_object', 'destination', 'location', 'container',
               'surface', 'receptacle', 'place', 'object', 'object_name', 'on', 'in', 'onto',
               'into', 'to'),
    'yaw': ('yaw', 'angle', 'rotation', 'degrees'),
    'distance': ('distance', 'length', 'amount'),
    'direction': ('direction', 'dir'),
}
POINTS = ('position', 'point', 'location', 'coordinates', 'xy', 'pos')
UNIT = re.compile(r'_(?:m|meters|metres|deg|degrees|n|newton|newtons)$')
_GOAL = re.compile(r'\s*(?P<negated>not\s+)?(?P<predicate>\w+)\((?P<names>[^(),]+'
                   r'(?:,[^(),]+){0,2})\)\s*', re.IGNORECASE)
PREDICATES = {'inside': 'in', 'into': 'in', 'ontopof': 'on', 'onto': 'on', 'held': 'holding',
              'infront': 'in_front_of', 'nextto': 'near', 'left': 'left_of', 'right': 'right_of',
              'stackedon': 'stacked'}


@dataclass(frozen=True)
class Mended:
    """Calls without slips of form, and what was changed."""

    calls: tuple[ToolCall, ...]
    changes: list[str]

    @property
    def remark(self) -> str:
        """One sentence about the changes; empty if there are none."""
        listed = '; '.join(dict.fromkeys(self.changes))
        return f"the model's reply was mended: {listed}" if listed else ''


def mended(calls: Iterable[ToolCall], request: PlanRequest) -> Mended:
    """The calls as the tools want them, as far as that is certain."""
    mender = _Mender(request)
    return Mended(tuple(map(mender.call, calls)), mender.changes)


class _Mender:
    """Mends the calls of one reply in order: `held` is what the gripper holds by then."""

    def __init__(self, request: PlanRequest) -> None:
        self._scene = request.scene
        self._skills = {spec.name: spec for spec in request.skills}
        self._tools = (*self._skills, REPLAN_STEP, DONE, GIVE_UP, ASK, SET_GOAL,
                       SUGGEST_PLAN)
        self.changes: list[str] = []
        self._held = request.scene.held

    def call(self, call: ToolCall) -> ToolCall:
        name = only_match(call.name.rsplit('.', 1)[-1], self._tools) or call.name
        if name != call.name:
            self._note(name, f'{shown(call.name)} is {name}')
        args = dict(call.arguments)
        if name in (SET_GOAL, SUGGEST_PLAN):
            return ToolCall(name, self._goals(name, args))
        spec = self._skills.get(name)
        if spec is None:
            return ToolCall(name, args)
        args = self._arguments(spec, self._unwrapped(spec, args))
        self._held = spec.effect.held_after(args, self._held)
        return ToolCall(name, args)

    def _note(self, where: str, what: str) -> None:
        self.changes.append(f'{where}: {what}')

    def _unwrapped(self, spec: SkillSpec, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments that are inside another object, {"arguments": {...}}."""
        keys = [key for key in args if key not in note_schemas(spec)]
        if len(keys) != 1 or keys[0] not in WRAPPERS or keys[0] in own_arguments(spec):
            return args
        inner = parsed(args[keys[0]])
        if not isinstance(inner, dict):
            return args
        self._note(spec.name, f'the arguments were inside {keys[0]!r}')
        return {**{k: v for k, v in args.items() if k != keys[0]}, **inner}

    def _arguments(self, spec: SkillSpec, args: dict[str, Any]) -> dict[str, Any]:
        own, notes = own_arguments(spec), note_schemas(spec)
        required = spec.arguments.get('required', ())
        args = {n: v for n, v in args.items()  # null for "not given": nothing is lost
                if (v is not None or n in required) and (n not in notes or isinstance(v, str))}
        self._split_point(spec, args)
        for name in [n for n in args if n not in own and n not in notes]:
            self._rename(spec, args, name)
        for name in [n for n in args if n in own]:
            value = self._value(spec, name, args[name])
            if value is not args[name]:
                self._note(spec.name, f'{name} {shown(args[name])} is {shown(value)}')
                args[name] = value
        return args

    def _split_point(self, spec: SkillSpec, args: dict[str, Any]) -> None:
        """`position: [0.4, 0.1]` as x and y."""
        x, y = spec.effect.x, spec.effect.y
        name = next((n for n in POINTS if n in args and n not in own_arguments(spec)), None)
        if not (x and y and name) or x in args or y in args:
            return
        value = parsed(args[name])
        pair = [value.get('x'), value.get('y')] if isinstance(value, dict) and \
            set(value) == {'x', 'y'} else value
        if isinstance(pair, list) and len(pair) == 2:
            args |= {x: pair[0], y: pair[1]}
            del args[name]
            self._note(spec.name, f'{name} {shown(value)} is {x} and {y}')

    def _rename(self, spec: SkillSpec, args: dict[str, Any], name: str) -> None:
        """Give an argument its right name, or leave out what adds nothing."""
        value = args[name]
        right = self._right_name(spec, args, name)
        if right is not None:
            args[right] = args.pop(name)
            self._note(spec.name, f'{name!r} is the argument {right!r}')
        elif self._says_what_is_held(spec, name, value) or (
                name.lower() in REMARKS and not isinstance(value, (list, dict))):
            del args[name]
            self._note(spec.name, f'{name}={shown(value)} was left out, it changes nothing')

    def _right_name(self, spec: SkillSpec, args: Mapping[str, Any], name: str) -> str | None:
        free = [n for n in own_arguments(spec) if n not in args]
        exact = only_match(UNIT.sub('', name.lower()), free)  # `distance_m` is `distance`
        if exact is not None:
            return exact
        fitting = [argument for role, argument in spec.effect.roles().items()
                   if argument in free and name.lower() in SYNONYMS.get(role, ())]
        if len(fitting) != 1 or self._says_what_is_held(spec, name, args[name]):
            return None
        # Two other arguments that could be this one: nobody can tell which is meant.
        rivals = [n for n in args if n != name and n not in own_arguments(spec) and any(
            n.lower() in words for role, words in SYNONYMS.items()
            if spec.effect.roles().get(role) == fitting[0])
            and not self._says_what_is_held(spec, n, args[n])]
        return None if rivals else fitting[0]

    def _says_what_is_held(self, spec: SkillSpec, name: str, value: Any) -> bool:
        """Whether a placement only repeats the object that is in the gripper by then."""
        return (spec.effect.puts and self._held is not None
                and name.lower() in SYNONYMS['object']
                and isinstance(value, str) and object_name(value, self._scene) == self._held)

    def _value(self, spec: SkillSpec, name: str, value: Any) -> Any:
        schema = spec.argument_schema(name)
        if name in spec.object_arguments:
            return named_object(value, self._scene)
        kind = schema.get('type')
        if isinstance(value, str) and kind in ('number', 'integer'):
            role = next((r for r, a in spec.effect.roles().items() if a == name), '')
            number = read_number(value, role)
            whole = number is not None and number == int(number)
            return value if number is None or (kind == 'integer' and not whole) else (
                int(number) if kind == 'integer' else number)
        if isinstance(value, str) and kind == 'boolean':
            return flag(value)
        choices = schema.get('enum')
        if isinstance(value, str) and isinstance(choices, list) and value not in choices:
            return only_match(value, [c for c in choices if isinstance(c, str)], begins=True
                              ) or value
        return value

    def _goals(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """The goals as a list of objects with the names and numbers that they mean."""
        goals = parsed(args.get('goals', args.get('goal')))
        if goals is None and 'predicate' in args:
            goals = [args]
        if isinstance(goals, dict):
            goals = [goals]
        if not isinstance(goals, list):
            return args
        better = self._suggested if tool == SUGGEST_PLAN else self._goal
        return {'goals': list(map(better, goals))}

    def _suggested(self, entry: Any) -> Any:
        if not isinstance(entry, dict) or not isinstance(entry.get('done_when'), dict):
            return entry
        return {**entry, 'done_when': self._goal(entry['done_when'])}

    def _goal(self, entry: Any) -> Any:
        if isinstance(entry, str):
            entry = _written_goal(entry) or entry
        if not isinstance(entry, dict):
            return entry
        given = {key: value for key, value in entry.items() if value is not None}
        better = {key: self._goal_value(key, value) for key, value in given.items()}
        for key, value in better.items():
            if value is not given[key]:
                self._note(SET_GOAL, f'{key} {shown(given[key])} is {shown(value)}')
        return better

    def _goal_value(self, key: str, value: Any) -> Any:
        if key in ('object', 'target', 'second'):
            return named_object(value, self._scene)
        if not isinstance(value, str):
            return value
        if key == 'predicate':
            return only_match(value, [p.value for p in FOR_MODELS]) or PREDICATES.get(
                letters(value), value)
        if key in ('x', 'y', 'degrees', 'distance'):
            number = read_number(value, 'yaw' if key == 'degrees' else key)
            return value if number is None else number
        return flag(value) if key == 'negated' else value


def _written_goal(text: str) -> dict[str, Any] | None:
    """A goal written as `in(red_cube, bowl)`, `not on(cup, bin)` or `near(cup, bin, 3 cm)`."""
    match = _GOAL.fullmatch(text)
    if match is None:
        return None
    names = [name.strip(' \'"') for name in match['names'].split(',')]
    last = 'second' if read_number(names[-1], 'distance') is None else 'distance'
    entry = {'predicate': match['predicate'], **dict(zip(('object', 'target', last), names))}
    return {**entry, 'negated': True} if match['negated'] else entry
