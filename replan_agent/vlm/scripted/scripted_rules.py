"""The rules of the scripted model: a request in, tool calls out. There is no intelligence here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain.skill_effect import EffectKind

from .scripted_tools import Call, Hopeless, Tools, read_tools

LOOK_AGAIN_AFTER = frozenset({'grasp_missed', 'grasp_slipped', 'verification_failed', 'timeout',
                              'stale_scene', 'controller_aborted'})
HOPELESS = frozenset({'unreachable', 'in_collision', 'path_blocked', 'workspace_violation'})
IN_THE_WAY = frozenset({'in_collision', 'path_blocked'})
ELSEWHERE_M = 0.08

_SPLIT = re.compile(r'\s*(?:,?\s*\band then\b|,?\s*\bthen\b|;|\.\s|,?\s*\band\b(?=\s+(?:'
                    r'put|place|drop|move|stack|pick|go|look|open|set)\b))\s*')
_AT = re.compile(r'(?:put|place|move|drop|set)\s+(?P<x>.+?)\s+(?:at|to)\s*'
                 r'\(?\s*(?P<px>-?[\d.]+)\s*,\s*(?P<py>-?[\d.]+)\s*\)?')
_PLACE = re.compile(r'(?P<verb>put|place|drop|move|stack|set|bring)\s+(?P<x>.+?)\s+'
                    r'(?:into|in|onto|on top of|on|to)\s+(?P<y>.+)')
_PICK = re.compile(r'(?:pick|grasp|grab|lift|take|hold)(?:\s+up)?\s+(?P<x>.+)')
_STOP_WORDS = frozenset({'the', 'a', 'an', 'up', 'please', 'some', 'any'})
_KINDS = {'cube': 'box', 'block': 'box', 'bar': 'box', 'can': 'cylinder', 'ball': 'sphere'}


@dataclass(frozen=True)
class Situation:
    """The content of the request: the task, the scene, what is done and what failed."""

    task: str
    objects: Sequence[Mapping[str, Any]]
    held: str | None
    completed: Sequence[str] = ()
    attempts: Sequence[Mapping[str, Any]] = ()
    tools: Tools = Tools({})
    has_suggested_plan: bool = False
    is_guided: bool = False

    def thing(self, name: str | None) -> Mapping[str, Any] | None:
        return next((o for o in self.objects if o['name'] == name), None)


@dataclass
class Clause:
    """One part of the task: the calls that serve it, its goal, and whether it holds already."""

    calls: list[Call] = field(default_factory=list)
    goal: dict[str, Any] | None = None
    holds: bool = False
    text: str = ''


def read_request(body: Mapping[str, Any]) -> Situation:
    """The situation in the messages of a request."""
    texts = [part['text'] for message in body['messages'] if isinstance(message['content'], list)
             for part in message['content'] if part.get('type') == 'text']
    scene = next(json.loads(text) for text in texts if text.startswith('{"task"'))
    done = [re.sub(r'^\s*DONE \d+\. ', '', line) for text in texts for line in text.splitlines()
            if re.match(r'\s*DONE \d+\. ', line)]
    failed = [texts[i + 1] for i, text in enumerate(texts[:-1])
              if text.startswith('Previously-failed steps')]
    return Situation(scene['task'], scene['objects'], scene.get('held'), done,
                     json.loads(failed[0]) if failed else (), read_tools(body),
                     any(text.startswith('**SUGGESTED PLAN:**') for text in texts),
                     any(text.startswith('Optimization guidance') for text in texts))


def answer(body: Mapping[str, Any]) -> list[Call]:
    """The calls of a plan for the request: goal, steps as far as predictable, or why not."""
    situation = read_request(body)
    try:
        clauses = list(_clauses(situation))
    except Hopeless as why:
        return [('give_up', {'reason': str(why)})]
    goals = [clause.goal for clause in clauses if clause.goal]
    calls: list[Call] = [('set_goal', {'goals': goals})] if goals else []
    calls += _suggested_plan(clauses, situation)
    open_clauses = [clause for clause in clauses if not clause.holds]
    if not open_clauses:
        return [*calls, ('done', {})]
    calls += [situation.tools.call(EffectKind.OBSERVE)] if _should_look(situation) else []
    calls += open_clauses[0].calls
    if len(open_clauses) > 1:
        calls.append(('__replan__', {}))
    return calls


def _suggested_plan(clauses: Sequence[Clause], situation: Situation) -> list[Call]:
    """The whole task in words with the first plan; only the rest of it after guidance."""
    goals = [{'text': clause.text, **({'done_when': clause.goal} if clause.goal else {})}
             for clause in clauses if not (situation.is_guided and clause.holds)]
    is_asked = situation.is_guided or not situation.has_suggested_plan
    wanted = 'suggest_plan' in situation.tools and is_asked and goals
    return [('suggest_plan', {'goals': goals})] if wanted else []


def _should_look(situation: Situation) -> bool:
    last = situation.attempts[-1] if situation.attempts else {}
    return (last.get('reason') in LOOK_AGAIN_AFTER
            and situation.tools.that(EffectKind.OBSERVE) is not None)


def _clauses(situation: Situation) -> Iterator[Clause]:
    texts = [text for text in _SPLIT.split(situation.task.lower().strip(' .!')) if text]
    mentioned: str | None = situation.held
    for text, following in zip(texts, [*texts[1:], '']):
        at, place, pick = _AT.fullmatch(text), _PLACE.fullmatch(text), _PICK.fullmatch(text)
        match = at or place or pick
        if match is None:
            yield replace(_simple(text, situation), text=text)
            continue
        mentioned = _chosen(match['x'], situation, mentioned)
        if at:
            yield replace(_put_at(mentioned, float(at['px']), float(at['py']), situation),
                          text=f'Bring the {mentioned} to its place')
        elif place:
            target = _chosen(place['y'], situation, None, other_than=mentioned)
            yield replace(_put_on(mentioned, target, place['verb'] == 'stack', situation),
                          text=f'Bring the {mentioned} and the {target} together')
        elif not re.search(r'\b(?:put|place|drop|move|stack|set) it\b', following):
            yield Clause(_fetch(mentioned, situation), _goal('holding', mentioned),
                         situation.held == mentioned, f'Get hold of the {mentioned}')


def _simple(text: str, situation: Situation) -> Clause:
    for word, kind, goal in (('home', EffectKind.GO_HOME, {'predicate': 'home'}),
                             ('look', EffectKind.OBSERVE, None),
                             ('gripper', EffectKind.RELEASE, None)):
        if word in text:
            said = f'{word.capitalize()}, as asked'
            tool, _ = situation.tools.call(kind)
            return Clause([(tool, {'description': said})], goal, said in situation.completed)
    raise Hopeless(f'the scripted model does not understand {text!r}')


def _put_on(thing: str, target: str, stack: bool, situation: Situation) -> Clause:
    below, above = situation.thing(target), situation.thing(thing)
    assert below is not None and above is not None  # both were chosen from the scene
    predicate = 'in' if below.get('container') else 'stacked' if stack else 'on'
    holds = situation.held != thing and _is_on(above, below)
    calls: list[Call] = []
    place = _onto(target, situation)
    if _failed(situation, place) == 'target_occupied':
        if below['shape'] == 'table':
            x, y = above['position_m'][0], above['position_m'][1]
            spot = _at(x, round(y + ELSEWHERE_M, 3), situation)
            return Clause([*_fetch(thing, situation), spot], _goal('on', thing, target), holds)
        calls = _clear(target, thing, situation)
    fetch = _fetch(thing, situation) if not calls else [_take(thing, situation)]
    return Clause([*calls, *fetch, place], _goal(predicate, thing, target), holds)


def _put_at(thing: str, x: float, y: float, situation: Situation) -> Clause:
    goal = {'predicate': 'at', 'object': thing, 'x': x, 'y': y}
    above = situation.thing(thing)
    assert above is not None  # it was chosen from the scene
    holds = situation.held != thing and math.dist(above['position_m'][:2], (x, y)) < 0.02
    calls = _fetch(thing, situation)
    place = _at(x, y, situation)
    if _failed(situation, place) == 'target_occupied':
        there = [o['name'] for o in situation.objects if o['name'] != thing and o['movable']
                 and math.dist(o['position_m'][:2], (x, y)) < ELSEWHERE_M]
        away = _at(x, round(y - math.copysign(2 * ELSEWHERE_M, y), 3), situation)
        calls = [*_aside([], situation),
                 *(c for n in there for c in (_take(n, situation), away)),
                 _take(thing, situation)] if there else calls
    return Clause([*calls, place], goal, holds)


def _clear(target: str, thing: str, situation: Situation) -> list[Call]:
    """Move everything off the target. A held object goes first: the gripper is needed."""
    table = next((o['name'] for o in situation.objects if o['shape'] == 'table'), None)
    below = situation.thing(target)
    assert below is not None
    on_it = [o['name'] for o in situation.objects
             if o['name'] not in (thing, target) and o['movable'] and _is_on(o, below)]
    if table is None or not on_it:
        raise Hopeless(f'{target} is occupied and the scripted model cannot tell by what')
    return _aside(on_it, situation)


def _aside(names: Sequence[str], situation: Situation) -> list[Call]:
    """Put the held object and then each of the named ones somewhere on the table."""
    table = next((o['name'] for o in situation.objects if o['shape'] == 'table'), 'table')
    calls: list[Call] = [_onto(table, situation)] if situation.held else []
    for name in names:
        calls += [_take(name, situation), _onto(table, situation)]
    return calls


def _take(name: str, situation: Situation) -> Call:
    return situation.tools.call(EffectKind.TAKE, object=name)


def _onto(target: str, situation: Situation) -> Call:
    return situation.tools.call(EffectKind.PUT_ON, target=target)


def _at(x: float, y: float, situation: Situation) -> Call:
    return situation.tools.call(EffectKind.PUT_AT, x=x, y=y)


def _fetch(thing: str, situation: Situation) -> list[Call]:
    if situation.held == thing:
        return []
    blocker = _blocker(thing, situation)
    return [*_aside([blocker] if blocker else [], situation), _take(thing, situation)]


def _blocker(thing: str, situation: Situation) -> str | None:
    """What the last pick of the object would have hit, unless moving that was tried."""
    failed = [a for a in situation.attempts if thing in a['args'].values()]
    if not failed or failed[-1]['reason'] not in IN_THE_WAY:
        return None
    tried = {v for a in situation.attempts for v in a['args'].values()}
    moved = ' '.join(situation.completed)
    named = [o['name'] for o in situation.objects if o['movable'] and o['name'] not in tried
             and o['name'] not in moved and o['name'] in failed[-1].get('blockers', ())]
    return str(named[0]) if named else None


def _chosen(phrase: str, situation: Situation, mentioned: str | None,
            other_than: str | None = None) -> str:
    """The first object that fits a phrase and has not failed for good. Raises Hopeless."""
    words = [word for word in re.findall(r'[\w-]+', phrase) if word not in _STOP_WORDS]
    if words in (['it'], ['this'], ['that']) and mentioned:
        return mentioned
    fitting = [o['name'] for o in situation.objects
               if o['name'] != other_than and all(_fits(word, o) for word in words)]
    why: Mapping[str, Any] = {}
    for name in fitting:
        bad = [a for a in situation.attempts if name in a['args'].values()
               and a['reason'] in {*HOPELESS, 'object_not_found', 'ambiguous_object'}]
        if not bad or _blocker(name, situation):
            return str(name)
        why = bad[-1]
    if why:
        raise Hopeless(f'{why["skill"]} of {phrase} failed: {why["reason"]}: '
                       f'{why["reason_detail"]}')
    raise Hopeless(f'there is no {" ".join(words) or phrase} in the scene')


def _fits(word: str, thing: Mapping[str, Any]) -> bool:
    known = {thing['name'].lower(), thing['colour'], thing['shape'],
             *re.split(r'[_\s]+', thing['name'].lower())}
    return word in known or _KINDS.get(word) == thing['shape']


def _is_on(thing: Mapping[str, Any], below: Mapping[str, Any]) -> bool:
    """Roughly: above its footprint, or for a container within it."""
    (x, y, z), (bx, by, bz) = thing['position_m'], below['position_m']
    within = abs(x - bx) <= below['size_m'][0] / 2 and abs(y - by) <= below['size_m'][1] / 2
    if below.get('container'):
        return within and z < bz + below['size_m'][2]
    rests = abs((z - thing['size_m'][2] / 2) - (bz + below['size_m'][2] / 2)) < 0.015
    return within and rests


def _failed(situation: Situation, call: Call) -> str:
    """The reason why this call failed last; empty if it did not."""
    skill, args = call
    reasons = [a['reason'] for a in situation.attempts
               if a['skill'] == skill and args.items() <= a['args'].items()]
    return str(reasons[-1]) if reasons else ''


def _goal(predicate: str, thing: str, target: str | None = None) -> dict[str, Any]:
    goal = {'predicate': predicate, 'object': thing}
    return {**goal, 'target': target} if target else goal
