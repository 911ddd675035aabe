"""One narrator: the same words at the console and later in `show`."""

from __future__ import annotations

import io

from rich.console import Console

from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.skill import Reason, failed
from replan_agent.record.narrator import PLAIN, Narrator
from replan_agent.record.run_story import told

PICK = Step(1, 'pick', {'object': 'cup'})
RUN = (events.PlanRequested('take the cup', 0, 0),
       events.PlanMade(Plan(1, 'take the cup', (PICK,), (), PlanCause.INITIAL, None, 's',
                            'search'), 0.1),
       events.StepStarted(0, 1, PICK), events.PhaseStarted(0, 'pick', 'take_up'),
       events.StepFinished(0, 1, PICK, failed(Reason.GRASP_MISSED, 'it closed to 0 mm'), 0.1),
       events.PolicyDecided(0, 'retry', 'grasp_missed', 'it slid away'),
       events.WarningRaised('it is dark'))


def test_it_tells_only_of_events_that_exist() -> None:
    kinds = {kind.__new__(kind).kind for kind in events.Event.__subclasses__()}
    told_of = {name[4:] for name in dir(Narrator) if name.startswith('_on_')}
    assert told_of | set(PLAIN) <= kinds


def test_a_story_has_the_words_of_the_console() -> None:
    out = io.StringIO()
    console = ConsoleRecorder(Console(file=out, width=200))
    for event in RUN:
        console.record(event)
    live = [line.strip() for line in out.getvalue().splitlines()]
    story = told([{'event': event.kind, 'wall_s': 0.0, **event.as_dict()} for event in RUN])
    later = [line for one in story.moments for line in (one.title, *one.lines)]
    assert [line for line in live if line != 'take up'] == later


def test_what_is_no_text_is_told_as_text() -> None:
    (said,) = Narrator().said({'event': 'warning_raised', 'message': 5})
    assert said.line == 'WARNING: 5'
