# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person sees while a task runs: PLAN / EXECUTE / VERIFY lines and the verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from replan_agent.domain.event import Event
from replan_agent.domain.task_result import GOALS_OF_THE_TASK, TaskResult
from replan_agent.record.narrator import BAD, GOOD, LATER, MET, WARN, Narrator
from replan_agent.text.shown_text import printable

from .streams import unfiltered

STYLES = {GOOD: 'green', BAD: 'red', WARN: 'yellow'}


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

    With `robot_time` a step takes as long as the arm needs. Without it, it takes as long as a
    person waits, which in simulation is less, or more if the run is filmed.
    """

    def __init__(self, console: Console, notes: bool = True,
                 robot_time: Callable[[], float] | None = None) -> None:
        self._console = console
        self._notes = notes
        self._robot_time = robot_time
        self._narrator = Narrator(is_live=True)

    def record(self, event: Event) -> None:
        times = {'robot_s': self._robot_time()} if self._robot_time else {}
        for said in self._narrator.said({'event': event.kind, **times, **event.as_dict()}):
            if said.only == LATER:
                continue
            if said.head:
                print_line(self._console, f' {said.text}', head=f'{said.head}:',
                           head_style=STYLES.get(said.tone, 'bold cyan'))
            elif self._notes:
                print_line(self._console, f'         {said.text}', STYLES.get(said.tone, 'dim'))

    def finish(self, result: TaskResult) -> None:
        print_verdict(self._console, result)


def print_verdict(console: Console, result: TaskResult) -> None:
    """Print the verdict block."""
    verdict = 'not judged' if result.goal_verified is None else MET[result.goal_verified]
    goal = verdict if result.goals else 'not judged, because no goal was named'
    judged = result.goal_verified is not None
    if result.goals and judged and result.goals_named_by != GOALS_OF_THE_TASK:
        goal += f' (named by {result.goals_named_by}, not by the words of the task)'
    rows = [
        ('success:    ', str(result.success)),
        *([('why:        ', result.why)] if result.why else []),
        *([('would help: ', result.would_help)] if result.would_help else []),
        *(('chance:     ', f'plan {version} {chance["said"]}')
          for version, chance in result.extra.get('chances', {}).items()),
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
    console.print()
    print_line(console, 'FINAL VERDICT', style)
    for name, value in rows:
        print_line(console, f'  {name} {value}')


def _replans(result: TaskResult) -> str:
    """How often a new plan was made, and how often for a failure if that is not the same."""
    if result.total_replans == result.replans:
        return str(result.replans)
    return f'{result.total_replans}, of these {result.replans} after a failure'


def print_line(console: Console, text: str, style: str = '', head: str = '',
               head_style: str = '') -> None:
    """Print a text as one line: one from outside must not look like a line of ours."""
    line = Text.assemble((head, head_style), (' '.join(text.splitlines()), style))
    console.print(line, soft_wrap=True)
