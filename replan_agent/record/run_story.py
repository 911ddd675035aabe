"""What a run was, for people who read it later: asked, seen, planned, failed, helped, ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from replan_agent.domain.goal import Goal
from replan_agent.domain.goal_words import goal_in_words, verdicts_in_words
from replan_agent.domain.local_planning import DECISION_WORDS, Decision
from replan_agent.domain.plan import Plan
from replan_agent.domain.plan_diff import difference
from replan_agent.domain.scene import Scene
from replan_agent.domain.scene_changes import scene_changes
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.text import in_words

from .parsing import plan_from, scene_from, step_from
from .run_json import EVENTS, Json, json_lines
from .what_helped import IN_WORDS, what_helped

GOOD, BAD = 'good', 'bad'
OTHER_VERSION = (KeyError, TypeError, ValueError, AttributeError, IndexError)
MET = {True: 'yes', False: 'no', None: 'not known'}
# If a plan was asked for, these mean that there is none; others ended the asking.
WITHOUT_A_PLAN = frozenset(reason.value for reason in (
    FinalReason.REPLAN_EXHAUSTED, FinalReason.NO_PLAN, FinalReason.GAVE_UP,
    FinalReason.UNRECOGNIZED_PROMPT, FinalReason.CONFLICTING_GOALS))
FACTS = ('scene', 'seed', 'robot', 'planner', 'perception', 'approver')


@dataclass(frozen=True)
class Moment:
    """Something that happened: when (s since the start), in words, and what the camera saw."""

    at_s: float
    title: str
    lines: Sequence[str] = ()
    tone: str = ''  # GOOD, BAD or ''
    picture: str = ''  # a file in the run folder


@dataclass(frozen=True)
class RunStory:
    """A run in the order it happened. `success` is None if it did not end."""

    task: str
    started: datetime | None
    facts: Mapping[str, str]
    moments: tuple[Moment, ...]
    success: bool | None
    verdict: tuple[tuple[str, str], ...]

    def when(self, at_s: float) -> str:
        """The time of day, or the seconds since the start in runs of earlier versions."""
        if self.started is None:
            return f'+{at_s:.1f} s'
        return f'{self.started + timedelta(seconds=at_s):%H:%M:%S}'

    @property
    def date(self) -> str:
        return '' if self.started is None else f'{self.started:%Y-%m-%d %H:%M:%S %Z}'.strip()


def story_of(folder: Path) -> RunStory:
    """The story of a run folder. Raises RunUnreadable if there is none."""
    return told([event for _, event in json_lines(folder / EVENTS)])


def told(events: Sequence[Json]) -> RunStory:
    """The story that the events tell. An event of another version is left out."""
    first = events[0] if events else {}
    teller, moments = _Teller(), list[Moment]()
    for event in events:
        try:
            moments += teller.told(event)
            if event.get('unrecorded'):
                moments.append(Moment(float(event['wall_s']),
                                      f'Not recorded: {event["unrecorded"]}', (), BAD))
        except OTHER_VERSION:
            continue
    end = next((e for e in reversed(events) if e.get('event') == 'task_finished'), None)
    given = {**_mapping(first.get('facts')), **first}
    return RunStory(str(first.get('task', '')), _started(first),
                    {name: str(given[name]) for name in FACTS if given.get(name) is not None},
                    tuple(moments), None if end is None else end.get('success') is True,
                    _verdict(end, teller.goals, what_helped(events)))


def _verdict(end: Json | None, goals: Sequence[str], helped: Iterable[str],
             ) -> tuple[tuple[str, str], ...]:
    if end is None:
        return (('ended', 'the record ends here: the run was interrupted'),)
    rows = [('ended', 'the task succeeded' if end.get('success') else 'the task failed'),
            ('why', end.get('why')), ('would help', end.get('would_help')),
            *(('goal', goal) for goal in goals), *(('what helped', line) for line in helped),
            ('final reason', end.get('final_reason')),
            ('detail', _without(end.get('final_detail'), end.get('why')))]
    return tuple((name, str(value)) for name, value in rows if value)


def _without(detail: Any, why: Any) -> str:
    """The detail without the reason that stands above it."""
    return str(detail or '').replace(f' — {why}', '') if why else str(detail or '')


def _started(first: Json) -> datetime | None:
    try:
        return datetime.fromisoformat(str(first.get('started_at')))
    except ValueError:
        return None


def _mapping(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


class _Teller:
    """Tells event by event, and knows the last scene and plan to say what changed."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._plan: Plan | None = None
        self._asked: int | None = None  # the plan that is being made; None: there is one
        self._done = set[int]()  # steps of this plan, by their index
        self._is_own = False  # the step is the agent's own, not one of the plan
        self._said = ''  # the last sentence about why, which is not said twice
        self.goals: list[str] = []  # each with its verdict at the last judgement

    def told(self, event: Json) -> Iterable[Moment]:
        tell: Callable[[Json], tuple[Any, ...] | None] | None = getattr(
            self, f'_{event["event"]}', None)
        words = tell(event) if tell else None
        if words:
            title, lines, tone = words
            yield Moment(float(event['wall_s']), title, tuple(map(str, lines)), tone,
                         str(event.get('picture', '')))

    def _task_started(self, event: Json) -> tuple[Any, ...]:
        return f'Asked: {event["task"]}', (), ''

    def _scene_perceived(self, event: Json) -> tuple[Any, ...] | None:
        scene, before = scene_from(event['scene']), self._scene
        self._scene = scene
        if before is None:
            return 'Seen', [_thing(o) for o in scene.objects], ''
        changes = scene_changes(before, scene)
        lines = [*(f'{name} moved {far * 100:.0f} cm' for name, far in changes.moved.items()),
                 *(f'{name} is new' for name in changes.arrived),
                 *(f'{name} is not seen any more' for name in changes.gone)]
        if scene.held != before.held:
            lines.append(f'in the hand: {scene.held or "nothing"}')
        return ('Seen again', lines, '') if lines else None

    def _plan_requested(self, event: Json) -> None:
        self._asked = int(event['replan'])

    def _plan_made(self, event: Json) -> tuple[Any, ...]:
        self._asked = None
        plan, before = plan_from(event['plan']), self._plan
        self._plan = plan
        lines = [f'{step.step_number}. {step.told}' for step in plan.steps]
        if before is not None:
            lines += ['changed from the plan before:',
                      *(f'  {line}' for line in difference(before, plan, self._done).lines())]
        self._done = set()
        return f'Plan {plan.version} by {plan.planner}', lines, ''

    def _plan_adapted(self, event: Json) -> tuple[Any, ...]:
        own = plan_from(event['plan']).adaptations[-1]
        self._said = own.reason
        return (f'Steps of the agent itself: {own.reason}' if own.reason
                else 'Steps of the agent itself', [step.told for step in own.steps], '')

    def _approval_decided(self, event: Json) -> tuple[Any, ...] | None:
        if event['approved'] and event['approver'] == 'auto':
            return None
        word = 'approved' if event['approved'] else 'not approved'
        return (f'Plan {event["plan_version"]} {word} by {event["approver"]}',
                [event['detail']] if event['detail'] else (), '' if event['approved'] else BAD)

    def _step_started(self, event: Json) -> None:
        self._is_own = bool(event.get('local_state'))

    def _step_finished(self, event: Json) -> tuple[Any, ...]:
        if event['result']['success'] and not self._is_own:
            self._done.add(event['step_idx'])
        result, call = event['result'], step_from(event['step']).told
        detail = [result['reason_detail']] if result['reason_detail'] else []
        self._said = result['reason_detail']
        why = in_words(str(result['reason']))
        word = 'done' if result['success'] else why if why == 'stopped' else f'failed: {why}'
        return f'{call}: {word}', detail, GOOD if result['success'] else BAD

    def _attempt_recorded(self, event: Json) -> tuple[Any, ...] | None:
        attempt = event['attempt']
        names = {'plan': 'No plan that can run', 'goal': 'The goal is not met'}
        title = names.get(attempt['stage'])
        return (title, [attempt['reason_detail']], BAD) if title else None

    def _repeat_guarded(self, event: Json) -> tuple[Any, ...]:
        return f'Not tried again: {step_from(event["step"]).told}', [event['detail']], BAD

    def _policy_decided(self, event: Json) -> tuple[Any, ...]:
        said = event.get('why') or ''
        why = [f'because: {said}'] if said not in ('', self._said) else []
        words = {**IN_WORDS, 'replan': 'another plan is looked for'}  # there may be none
        return f'Then: {words.get(event["response"], event["response"])}', why, ''

    def _step_adapted(self, event: Json) -> tuple[Any, ...] | None:
        message = event['fix']['message']
        return None if message == self._said else (f'Changed: {message}', (), '')

    def _local_planning_finished(self, event: Json) -> tuple[Any, ...]:
        done = event['record']
        return (f'A way around it: {done["goal"]}',
                [*(f'{node["number"]} {node["option"]["name"]}: '
                   f'{DECISION_WORDS[Decision(node["decision"])]}' for node in done['nodes']),
                 done['detail']], GOOD if done['solved'] else BAD)

    def _human_asked(self, event: Json) -> tuple[Any, ...]:
        return 'A person is asked', [event['question']], ''

    def _human_answered(self, event: Json) -> tuple[Any, ...]:
        return f'A person says: {event["hint"]}', (), ''

    def _guidance_given(self, event: Json) -> tuple[Any, ...]:
        return 'The plan monitor objects', [event['guidance']], BAD

    def _replan_started(self, event: Json) -> tuple[Any, ...] | None:
        if event['cause'] == 'error':  # the policy said why
            return None
        return 'Another plan', [event['reason']], ''

    def _warning_raised(self, event: Json) -> tuple[Any, ...]:
        return f'Warning: {event["message"]}', (), ''

    def _internal_error(self, event: Json) -> tuple[Any, ...]:
        return f'A bug: {event["error"]}', (), BAD

    def _goal_judged(self, event: Json) -> tuple[Any, ...] | None:
        goals, verified = list(map(Goal.from_dict, event['goals'])), event['verified']
        if verified is False and self._scene is not None:  # some of them may be met
            self.goals = verdicts_in_words(goals, self._scene)
        else:
            self.goals = [f'{goal_in_words(goal)}: {MET[verified]}' for goal in goals]
        return ('Checked', self.goals, GOOD if verified else BAD) if goals else None

    def _task_finished(self, event: Json) -> tuple[Any, ...]:
        if event['success']:
            return 'The task succeeded', (), GOOD
        lines = []  # the verdict says why
        if self._asked is not None and event['final_reason'] in WITHOUT_A_PLAN:
            lines = ['no other plan: nothing more is tried' if self._asked
                     else 'no plan: nothing is tried']
        return 'The task failed', lines, BAD


def _thing(thing: Any) -> str:
    x, y, _ = thing.position
    looks = ' '.join(filter(None, (thing.colour, thing.shape.value)))
    return f'{thing.name} ({looks}) at ({x:.2f}, {y:.2f}) m'
