# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Says what each event of a run means. All who tell a run use these words: console, report, page,
exports.

It reads events as they are in events.jsonl. A stored one of another version says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from replan_agent.domain.goal import Goal
from replan_agent.domain.local_planning import DECISION_WORDS
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.scene_changes import SceneChanges
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.goal_words import YES, goal_in_words, verdicts_in_words
from replan_agent.text.shown_text import in_words, rounded, told

from .plan_diff import PlanDiff, difference
from .run_json import OTHER_VERSION, Json

GOOD, BAD, WARN = 'good', 'bad', 'warn'
LIVE, LATER = 'live', 'later'
MET = {True: 'met', False: 'not met', None: 'unknown'}
IN_WORDS = {'retry': 'the same step again', 'recapture': 'a fresh look and the same step again',
            'local': 'a way around it', 'replan': 'a new plan', 'human': 'a hint from a person',
            'continue': 'going on', 'stop': 'the task ends'}
THEN = {**IN_WORDS, 'replan': 'another plan is looked for'}  # there may be none
SOURCES = {'rules': '', 'memory': ' (remembered)', 'model': ' (from the model)'}
# If a plan was asked for, these mean that there is none; others ended the asking.
WITHOUT_A_PLAN = frozenset(reason.value for reason in (
    FinalReason.REPLAN_EXHAUSTED, FinalReason.NO_PLAN, FinalReason.GAVE_UP,
    FinalReason.UNRECOGNIZED_PROMPT, FinalReason.CONFLICTING_GOALS))
UNMET = {'plan': 'no plan that can run', 'goal': 'the goal is not met'}


@dataclass(frozen=True)
class Said:
    """A sentence about an event. With a `head` it opens a subject, without one it adds to it.

    `lines` are details for those who read it later. `only` names who needs it: those who watch
    (LIVE), those who read it (LATER), or '' for both.
    """

    head: str
    text: str
    tone: str = ''  # GOOD, BAD, WARN or ''
    lines: tuple[str, ...] = ()
    only: str = ''

    @property
    def line(self) -> str:
        return f'{self.head}: {self.text}' if self.head else self.text


# Events that are told with their own fields.
PLAIN = {
    'task_started': Said('TASK', '{task}', only=LATER),
    'model_thinking': Said('', '{message}', only=LIVE),
    'local_planning_started': Said('LOCAL', 'to reach: {goal}; {score:.1f} of 10 points now'),
    'human_asked': Said('HUMAN', '{question}', WARN),
    'human_answered': Said('HUMAN', 'a person says: {hint}', only=LATER),
    'warning_raised': Said('WARNING', '{message}', WARN),
    'internal_error': Said('WARNING', 'a bug: {error}', BAD, only=LATER),
}


class Narrator:
    """Tells one run event by event, and knows what was before to say what changed.

    `is_live`: the events are of this version, so it is said if one of them cannot be told.
    """

    def __init__(self, is_live: bool = False) -> None:
        self._is_live = is_live
        self.goals: tuple[str, ...] = ()  # each with its verdict at the last judgement
        self.changed: PlanDiff | None = None  # from the plan before to the last one
        self._scene: Scene | None = None
        self._plan: Plan | None = None
        self._asked: int | None = None  # the plan that is being made; None: there is one
        self._done = set[int]()  # steps of this plan, by their index
        self._is_own = False  # the step is the agent's own, not one of the plan
        self._began_s: float | None = None  # of the step, in robot time
        self._phases: list[str] = []
        self._understood = ''
        self._why = ''  # the last sentence about why, which is not said twice

    def said(self, event: Json) -> tuple[Said, ...]:
        """What the event means, in words."""
        found: tuple[Said, ...] = ()
        tell: Callable[[Json], Iterable[Said] | None] = getattr(
            self, f'_on_{event.get("event")}', _plain)
        try:
            found = tuple(replace(one, text=str(one.text)) for one in tell(event) or ())
        except OTHER_VERSION as error:
            if self._is_live:
                found = untold(event, error),
        if event.get('unrecorded'):
            found += Said('WARNING', f'not recorded: {event["unrecorded"]}', BAD, only=LATER),
        return found

    def _on_scene_perceived(self, event: Json) -> Iterator[Said]:
        scene, before = Scene.from_dict(event['scene']), self._scene
        self._scene = scene
        if before is None:
            yield Said('PERCEIVE', 'what is seen first', lines=tuple(map(_thing, scene.objects)),
                       only=LATER)
            return
        changes = SceneChanges.between(before, scene)
        lines = [*(f'{name} moved {far * 100:.0f} cm' for name, far in changes.moved.items()),
                 *(f'{name} is new' for name in changes.arrived),
                 *(f'{name} is not seen any more' for name in changes.gone)]
        if scene.held != before.held:
            lines.append(f'in the hand: {scene.held or "nothing"}')
        if lines:
            yield Said('PERCEIVE', 'what has changed', lines=tuple(lines), only=LATER)

    def _on_plan_requested(self, event: Json) -> Iterator[Said]:
        self._asked = int(event['replan'])
        yield Said('PLAN', f'task={event["task"]!r} replan={self._asked}')

    def _on_plan_made(self, event: Json) -> Iterator[Said]:
        self._asked = None
        plan = Plan.from_dict(event['plan'])
        self.changed = difference(self._plan, plan, self._done) if self._plan else None
        self._plan, self._done = plan, set()
        changes = self.changed.lines() if self.changed else []
        if (said := event.get('understood', '')) not in ('', self._understood):
            self._understood = said
            yield Said('PLAN', f'understood: {said}')
        yield Said('', f'plan {plan.version} by {plan.planner}', only=LATER)
        yield Said('', f'{_calls(plan.steps)}  ({event["duration_s"]:.3f} s)',
                   lines=(*(['changed from the plan before:'] if changes else []),
                          *(f'  {line}' for line in changes)))

    def _on_plan_adapted(self, event: Json) -> Iterator[Said]:
        own = Plan.from_dict(event['plan']).adaptations[-1]
        said, self._why = own.reason == self._why, own.reason
        yield Said('', _calls(own.steps), lines=() if said or not own.reason else (own.reason,))

    def _on_rehearsal_finished(self, event: Json) -> Iterator[Said]:
        step, result = event['step'], event['result']
        head, spent = f'plan {event["plan_version"]} tried ahead', f'{event["duration_s"]:.2f} s'
        ok = f'ok in {spent}' if not event.get('chance') else event['chance']['said']
        yield Said('REHEARSE', f'{head}: {ok}' if event['ok'] or not (step and result)
                   else f'{head}: {Step.from_dict(step).told} failed in {spent}: '
                        f'{_failure(result)}')

    def _on_approval_pending(self, event: Json) -> Iterator[Said]:
        yield Said('APPROVE', f'plan {event["plan_version"]} waits for a person{_risk(event)}',
                   WARN)

    def _on_approval_decided(self, event: Json) -> Iterator[Said]:
        yes, risk = event['approved'], event.get('risk')
        if yes and risk is None and event['approver'] == 'auto':
            return  # that everything is allowed is no news
        yield Said('APPROVE', f'plan {event["plan_version"]} {"approved" if yes else "denied"} by '
                   f'{event["approver"]}{_risk(event)}', '' if yes else BAD,
                   only=LATER if yes and risk is None else '')  # who watches has just said so
        if not yes and event['detail']:
            yield Said('', event['detail'])
        for reason in event.get('reasons', ()):
            yield Said('', reason)

    def _on_state_changed(self, event: Json) -> Iterator[Said]:
        if event['state'] == 'local_planning':
            yield Said('LOCAL', 'looking for a way around it; this can take half a minute',
                       only=LIVE)

    def _on_step_started(self, event: Json) -> Iterator[Said]:
        self._is_own, self._phases = bool(event.get('local_state')), []
        self._began_s = event.get('robot_s')
        again = f'  (retry {event["retry"]})' if event.get('retry') else ''
        yield Said('EXECUTE', _executed(Step.from_dict(event['step'])) + again)

    def _on_phase_started(self, event: Json) -> None:
        self._phases.append(in_words(event['phase']))

    def _on_step_finished(self, event: Json) -> Iterator[Said]:
        result, detail = event['result'], event['result']['reason_detail']
        if result['success'] and not self._is_own:
            self._done.add(event['step_idx'])
        if self._phases:
            yield Said('', ' · '.join(self._phases), only=LIVE)
        spent, self._why = self._spent(event), detail
        if result['success']:
            yield Said('', f'ok in {spent}' + (f': {detail}' if detail else ''), GOOD)
        else:
            yield Said('', f'{outcome(result)} in {spent}: {_failure(result)}', BAD)

    def _spent(self, event: Json) -> str:
        """How long the arm needed for the step; how long it took, if its clock is not known."""
        if self._began_s is None or event.get('robot_s') is None:
            return f'{event["duration_s"]:.2f} s'
        return f'{event["robot_s"] - self._began_s:.2f} s of robot time'

    def _on_step_skipped(self, event: Json) -> Iterator[Said]:
        yield Said('SKIP', f'{Step.from_dict(event["step"]).told}: {event["detail"]}')

    _on_repeat_guarded = _on_step_skipped

    def _on_attempt_recorded(self, event: Json) -> Iterator[Said]:
        attempt = event['attempt']
        if attempt['stage'] in UNMET:  # of a step, its end says it
            yield Said('', f'{UNMET[attempt["stage"]]}: {attempt["reason_detail"]}', BAD,
                       only=LATER)

    def _on_policy_decided(self, event: Json) -> Iterator[Said]:
        then, why = THEN.get(event['response'], event['response']), event.get('why')
        yield Said('', f'→ {then}' + (f', because {why}' if why and why != self._why else ''))

    def _on_replan_started(self, event: Json) -> Iterator[Said]:
        if event['cause'] != PlanCause.ERROR and event['reason']:  # there the policy said why
            yield Said('', f'→ replan: {event["reason"]}')

    def _on_step_adapted(self, event: Json) -> Iterator[Said]:
        fix = event['fix']
        changes = ', '.join(f'{name}={told(value)}' for name, value in fix['changes'].items())
        yield Said('', f'with {changes}: {fix["message"]}'
                   + SOURCES.get(fix['source'], f' ({fix["source"]})'))

    def _on_local_action_judged(self, event: Json) -> Iterator[Said]:
        node = event['node']
        yield Said('LOCAL', f'{node["number"]} {node["option"]["name"]}: '
                   f'{node["goal_score_before"]:.1f} → {node["goal_score_after"]:.1f} points, '
                   f'{worded(node["decision"], DECISION_WORDS)}'
                   + (', undone' if node.get('reverted') else ''))

    def _on_local_planning_finished(self, event: Json) -> Iterator[Said]:
        done = event['record']
        yield Said('LOCAL', done['detail'], GOOD if done['solved'] else BAD, only=LATER)

    def _on_guidance_given(self, event: Json) -> Iterator[Said]:
        yield Said('MONITOR', f'{in_words(event["problem"])}: {event["guidance"]}', WARN)

    def _on_progress_seen(self, event: Json) -> Iterator[Said]:
        step, goals = event['progress_step'], event['goals']
        if len(goals) > 1:
            yield Said('PROGRESS', f'all {len(goals)} goals of the suggested plan are met'
                       if step > len(goals) else
                       f'step {step} of {len(goals)} of the suggested plan: {goals[step - 1]}')

    def _on_goal_judged(self, event: Json) -> Iterator[Said]:
        goals, verified = list(map(Goal.from_dict, event['goals'])), event['verified']
        if verified is False and self._scene is not None:  # some of them may be met
            self.goals = tuple(verdicts_in_words(goals, self._scene))
        else:
            self.goals = tuple(f'{goal_in_words(goal)}: {YES[verified]}' for goal in goals)
        if goals:
            yield Said('VERIFY', f'{", ".join(map(str, goals))}: {MET[verified]}',
                       {True: GOOD, False: BAD}.get(verified, ''), self.goals)

    def _on_task_finished(self, event: Json) -> Iterator[Said]:
        if event['success']:
            yield Said('END', 'the task succeeded', GOOD, only=LATER)
            return
        if self._asked is not None and event['final_reason'] in WITHOUT_A_PLAN:
            yield Said('', 'no other plan: nothing more is tried' if self._asked
                       else 'no plan: nothing is tried')
        yield Said('END', 'the task failed', BAD, only=LATER)  # the verdict says why


def _plain(event: Json) -> Iterator[Said]:
    if event['event'] in PLAIN:
        said = PLAIN[event['event']]
        yield replace(said, text=said.text.format_map(event))


def outcome(result: Json) -> str:
    """How a step ended, in a word: 'done', 'stopped' or 'failed'."""
    if result['success']:
        return 'done'
    return 'stopped' if result['reason'] == Reason.STOPPED else 'failed'


def untold(event: Json, error: Exception) -> Said:
    """That an event has no words, which is a bug of this version."""
    return Said('WARNING', f'{event.get("event")} cannot be told: '
                f'{type(error).__name__}: {error}', WARN)


def worded(slug: str, words: Mapping[str, str]) -> str:
    """The words for a slug; its own if it has none."""
    return words.get(slug, in_words(slug))


def _failure(result: Json) -> str:
    if result['reason'] == Reason.STOPPED:
        return str(result['reason_detail'])
    return f'{in_words(result["reason"] or "")} — {result["reason_detail"]}'


def _executed(step: Step) -> str:
    """The call as its line has always shown it, with rounded numbers."""
    if step.is_replan or not step.args:
        return step.told
    args = {name: rounded(value) for name, value in step.args.items()}
    return f'{step.skill}({args})'


def _calls(steps: tuple[Step, ...]) -> str:
    return ' → '.join(step.told for step in steps)


def _risk(event: Json) -> str:
    if event.get('risk') is None or event.get('threshold') is None:
        return ''
    return f': risk {event["risk"]:.2f}, threshold {event["threshold"]:.2f}'


def _thing(thing: SceneObject) -> str:
    x, y, _ = thing.position
    looks = ' '.join(filter(None, (thing.colour, thing.shape.value)))
    return f'{thing.name} ({looks}) at ({x:.2f}, {y:.2f}) m'
