"""What a person sees while a task runs: PLAN / EXECUTE / VERIFY lines and the verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from replan_agent.domain import event as events
from replan_agent.domain.local_planning import DECISION_WORDS
from replan_agent.domain.plan import PlanCause, Step
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.domain.task_result import GOALS_OF_THE_TASK, TaskResult
from replan_agent.domain.text import in_words, printable, rounded, told
from replan_agent.record.what_helped import IN_WORDS

from .streams import unfiltered

LOCAL_PLANNING = 'local_planning'  # the state of the agent
ERROR = PlanCause.ERROR.value


def plain_console() -> Console:
    """A console that prints printable text as it is: no markup, no emoji, no highlighting."""
    return _PlainConsole(highlight=False, markup=False, emoji=False, file=unfiltered(sys.stdout))


class _PlainConsole(Console):
    """Its styles reach the terminal. Escape sequences in the text do not."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None
               ) -> Iterable[Segment]:
        for part in super().render(renderable, options):
            yield part if part.control else Segment(printable(part.text), part.style)


class ConsoleRecorder:
    """Prints events as they happen; without `notes` only the headings and the verdict.

    With `robot_time` a step takes so long as the arm needs. Without it, it takes so long as a
    person waits, which in simulation is less, or more if the run is filmed.
    """

    def __init__(self, console: Console, notes: bool = True,
                 robot_time: Callable[[], float] | None = None) -> None:
        self._console = console
        self._notes = notes
        self._robot_time = robot_time
        self._step_began_s = 0.0
        self._phases: list[str] = []
        self._replan: int | None = None  # the plan that is being made; None: there is one

    def record(self, event: events.Event) -> None:
        match event:
            case events.StepStarted():
                self._phases = []
                self._step_began_s = self._robot_time() if self._robot_time else 0.0
                again = f'  (retry {event.retry})' if event.retry else ''
                self._head('EXECUTE', _executed(event.step) + again)
            case events.PhaseStarted():
                self._phases.append(in_words(event.phase))
            case events.StepFinished():
                self._step_finished(event)
            case events.RepeatGuarded() | events.StepSkipped():
                self._head('SKIP', f'{event.step.told}: {event.detail}')
            case events.PolicyDecided():
                then = IN_WORDS.get(event.response, event.response)
                self._note(f'→ {then}' + (f', because {event.why}' if event.why else ''))
            case events.ReplanStarted() if event.cause != ERROR and event.reason:
                self._note(f'→ replan: {event.reason}')  # after an error the policy said why
            case events.StepAdapted():
                changes = ', '.join(f'{k}={told(v)}' for k, v in event.fix.changes.items())
                self._note(f'with {changes}: {event.fix.message}{_from(event.fix.source)}')
            case events.StateChanged() if event.state == LOCAL_PLANNING:
                self._head('LOCAL', 'looking for a way around it; this can take half a minute')
            case events.LocalPlanningStarted():
                self._head('LOCAL', f'to reach: {event.goal}; {event.score:.1f} of 10 points now')
            case events.LocalActionJudged():
                node = event.node
                self._head('LOCAL', f'{node.number} {node.option.name}: {node.score_before:.1f} → '
                                    f'{node.score_after:.1f} points, '
                                    f'{DECISION_WORDS[node.decision]}')
            case events.HumanAsked():
                self._head('HUMAN', event.question, 'bold yellow')
            case events.GuidanceGiven():
                self._head('MONITOR', f'{in_words(event.problem)}: {event.guidance}', 'yellow')
            case events.ProgressSeen() if len(event.goals) > 1:
                self._head('PROGRESS', _progress(event))
            case events.GoalJudged() if event.goals:
                goals = ', '.join(map(str, event.goals))
                self._head('VERIFY', f'{goals}: {_verdict_word(event.verified)}')
            case events.WarningRaised():
                self._head('WARNING', event.message, 'yellow')
            case events.TaskFinished() if not event.success and self._replan is not None:
                self._note('no other plan: nothing more is tried' if self._replan
                           else 'no plan: nothing is tried')
            case _:
                self._record_plan(event)

    def _record_plan(self, event: events.Event) -> None:
        match event:
            case events.PlanRequested():
                self._replan = event.replan
                self._head('PLAN', f'task={event.task!r} replan={event.replan}')
            case events.ModelThinking():
                self._note(event.message)
            case events.PlanMade():
                self._replan = None
                calls = ' → '.join(step.told for step in event.plan.steps)
                self._note(f'{calls}  ({event.duration_s:.3f} s)')
            case events.PlanAdapted():
                self._note(' → '.join(step.told for step in event.plan.adaptations[-1].steps))
            case events.RehearsalFinished():
                self._rehearsed(event)
            case events.ApprovalPending():
                self._head('APPROVE', f'plan {event.plan_version} waits for a person'
                                      f'{_risk(event)}', 'yellow')
            case events.ApprovalDecided() if event.risk is not None or not event.approved:
                word = 'approved' if event.approved else 'denied'
                self._head('APPROVE', f'plan {event.plan_version} {word} by {event.approver}'
                                      f'{_risk(event)}')
                if not event.approved and event.detail:
                    self._note(event.detail)
                for reason in event.reasons:
                    self._note(reason)
            case _:
                pass

    def finish(self, result: TaskResult) -> None:
        print_verdict(self._console, result)

    def _rehearsed(self, event: events.RehearsalFinished) -> None:
        head, spent = f'plan {event.plan_version} in the twin', f'{event.duration_s:.2f} s'
        if event.ok or event.step is None or event.result is None:
            self._head('REHEARSE', f'{head}: ok in {spent}')
            return
        self._head('REHEARSE', f'{head}: {event.step.told} failed in {spent}: '
                               f'{_why(event.result)}')

    def _step_finished(self, event: events.StepFinished) -> None:
        if self._phases:
            self._note(' · '.join(self._phases))
        result = event.result
        spent = (f'{self._robot_time() - self._step_began_s:.2f} s of robot time'
                 if self._robot_time else f'{event.duration_s:.2f} s')
        if result.success:
            self._note(f'ok in {spent}'
                       + (f': {result.reason_detail}' if result.reason_detail else ''), 'green')
        else:
            word = 'stopped' if result.reason is Reason.STOPPED else 'failed'
            self._note(f'{word} in {spent}: {_why(result)}', 'red')

    def _head(self, word: str, text: str, style: str = 'bold cyan') -> None:
        _print(self._console, Text.assemble((f'{word}:', style), f' {_on_one_line(text)}'))

    def _note(self, text: str, style: str = 'dim') -> None:
        if self._notes:
            _print(self._console, Text(f'         {_on_one_line(text)}', style=style))


def print_verdict(console: Console, result: TaskResult) -> None:
    """Print the verdict block."""
    verdict = 'not judged' if result.goal_verified is None else _verdict_word(result.goal_verified)
    goal = verdict if result.goals else 'not judged, because no goal was named'
    judged = result.goal_verified is not None
    if result.goals and judged and result.goals_named_by != GOALS_OF_THE_TASK:
        goal += f' (named by {result.goals_named_by}, not by the words of the task)'
    rows = [
        ('success:    ', str(result.success)),
        *([('why:        ', result.why)] if result.why else []),
        *([('would help: ', result.would_help)] if result.would_help else []),
        ('replans:    ', _replans(result)),
        ('steps:      ', str(len(result.steps))),
        ('final reason:', result.final_reason.value),
        ('detail:     ', result.final_detail),
        ('goal:       ', goal),
        *(('            ', str(line)) for line in result.extra.get('verdicts', ())),
        *([('in the hand:', str(result.extra['held']))] if result.extra.get('held') else []),
        ('perception: ', result.perception),
        ('wall:       ', f'{result.timings.get("total", 0.0):.1f}s'),
    ]
    style = 'bold green' if result.success else 'bold red'
    _print(console, Text('\nFINAL VERDICT', style=style))
    for name, value in rows:
        _print(console, Text(f'  {name} {_on_one_line(value)}'))


def _executed(step: Step) -> str:
    """The call as its line has always shown it, with rounded numbers."""
    if step.is_replan or not step.args:
        return step.told
    args = {name: rounded(value) for name, value in step.args.items()}
    return f'{step.skill}({args})'


def _from(source: str) -> str:
    return {'rules': '', 'memory': ' (remembered)', 'model': ' (from the model)'}.get(
        source, f' ({source})')


def _why(result: SkillResult) -> str:
    if result.reason is Reason.STOPPED:
        return result.reason_detail
    reason = in_words(result.reason.value) if result.reason else ''
    return f'{reason} — {result.reason_detail}'


def _replans(result: TaskResult) -> str:
    """How often a new plan was made, and how often for a failure if that is not the same."""
    if result.total_replans == result.replans:
        return str(result.replans)
    return f'{result.total_replans}, of these {result.replans} after a failure'


def _risk(event: events.ApprovalPending | events.ApprovalDecided) -> str:
    if event.risk is None or event.threshold is None:
        return ''
    return f': risk {event.risk:.2f}, threshold {event.threshold:.2f}'


def _progress(event: events.ProgressSeen) -> str:
    step, goals = event.progress_step, event.goals
    if step > len(goals):
        return f'all {len(goals)} goals of the suggested plan are met'
    return f'step {step} of {len(goals)} of the suggested plan: {goals[step - 1]}'


def _verdict_word(verified: bool | None) -> str:
    return {True: 'met', False: 'not met', None: 'unknown'}[verified]


def _on_one_line(text: str) -> str:
    """A text from outside must not look like a line of ours."""
    return ' '.join(text.splitlines())


def _print(console: Console, text: Text) -> None:
    console.print(text, soft_wrap=True)
