# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person sees of approval, monitor and progress while a task runs."""

from __future__ import annotations

import io

from rich.console import Console

from replan_agent.app.terminal.console import ConsoleRecorder, plain_console, print_verdict
from replan_agent.domain.event import (
    ApprovalDecided,
    ApprovalPending,
    Event,
    GuidanceGiven,
    LocalActionJudged,
    LocalPlanningStarted,
    PhaseStarted,
    PlanMade,
    PlanRequested,
    PolicyDecided,
    ProgressSeen,
    ReplanStarted,
    StateChanged,
    StepFinished,
    StepStarted,
    TaskFinished,
)
from replan_agent.domain.goal import Goal
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason, TaskResult


def shown(*events: Event) -> str:
    out = io.StringIO()
    recorder = ConsoleRecorder(Console(file=out, highlight=False, width=200))
    for event in events:
        recorder.record(event)
    return out.getvalue()


def test_an_adaptive_decision_is_shown_with_risk_threshold_and_reasons():
    text = shown(ApprovalDecided(2, True, 'adaptive', '', 0.15, 0.4,
                                 ('1 attempt failed before (+0.15)', 'threshold 0.40')))
    assert 'APPROVE: plan 2 approved by adaptive: risk 0.15, threshold 0.40' in text
    assert '1 attempt failed before (+0.15)' in text


def test_a_plan_that_waits_says_so():
    text = shown(ApprovalPending(1, 0.5, 0.5, ('handles glass',)))
    assert 'plan 1 waits for a person: risk 0.50, threshold 0.50' in text


def test_a_denial_is_shown_with_its_reason():
    late = 'nobody approved plan 1 within approval.timeout=60s'
    assert shown(ApprovalDecided(1, False, 'console', late)) == (
        f'APPROVE: plan 1 denied by console\n         {late}\n')


def test_each_replan_says_why():
    far = 'the target is 1.20 m from the base'
    decided = PolicyDecided(0, 'replan', 'beyond_reach', far)
    assert shown(decided) == f'         → another plan is looked for, because {far}\n'
    looks = ReplanStarted('adaptive', 0, 1, 'the plan asked for another look')
    assert shown(looks) == '         → replan: the plan asked for another look\n'


def test_a_failure_is_said_in_words():
    slipped = failed(Reason.GRASP_SLIPPED, 'red_cube slipped out')
    text = shown(PhaseStarted(0, 'pick', 'take_up'),
                 StepFinished(0, 1, Step(1, 'pick', {'object': 'red_cube'}), slipped, 0.5))
    assert text == ('         take up\n'
                    '         failed in 0.50 s: grasp slipped — red_cube slipped out\n')


def test_it_is_said_that_nothing_more_is_tried():
    end = TaskFinished(False, 'replan_exhausted', 'no other plan was found')
    assert shown(PlanRequested('go', 1, 1), end).endswith('nothing more is tried\n')
    made = PlanMade(Plan(1, 'go', (Step(1, 'home', {}),), (), PlanCause.INITIAL, None, 's',
                         'search'), 0.1)
    assert 'is tried' not in shown(PlanRequested('go', 0, 0), made, end)


def test_that_everything_is_allowed_is_no_news():
    assert shown(ApprovalDecided(1, True, 'auto', '')) == ''


def test_guidance_of_the_monitor_is_shown_with_its_problem():
    assert shown(GuidanceGiven(1, 'undone_work', 'leave it')) == 'MONITOR: undone work: leave it\n'


def test_progress_names_the_goal_that_is_next():
    assert shown(ProgressSeen(2, ('a', 'b'))) == (
        'PROGRESS: step 2 of 2 of the suggested plan: b\n')


def test_a_suggested_plan_of_one_goal_is_no_news():
    assert shown(ProgressSeen(1, ('a',))) == ''


def test_a_search_for_local_actions_is_announced_before_it_takes_its_time():
    assert shown(StateChanged('local_planning')).startswith('LOCAL: looking for a way around it')
    assert shown(StateChanged('executing')) == ''


def verdict(**more) -> str:
    out = io.StringIO()
    given = {'goal_verified': None, 'goals': (Goal('in', 'red_cube', 'bowl'),),
             'replans': 0, 'total_replans': 0, **more}
    print_verdict(Console(file=out, highlight=False, width=200), TaskResult(
        'a task', False, FinalReason.REPLAN_EXHAUSTED, 'why', steps=(), attempts=(), plans=(),
        planner='search', perception='fake', api_calls=0, recaptures=0,
        **{'goals_named_by': 'task', **given}))
    return out.getvalue()


def test_the_verdict_of_a_failure_begins_with_why_and_what_would_help():
    said = verdict(why='it is 0.40 m too far', would_help='any point within 0.78 m').splitlines()
    assert said[2:5] == ['  success:     False', '  why:         it is 0.40 m too far',
                         '  would help:  any point within 0.78 m']
    assert '  detail:      why' in said and 'would help' not in verdict()


def test_a_goal_that_was_not_judged_is_not_called_unknown():
    assert 'goal:        not judged\n' in verdict()
    assert 'goal:        not met\n' in verdict(goal_verified=False)
    assert 'not judged, because no goal was named' in verdict(goals=())


def test_the_verdict_says_in_plain_words_what_is_true():
    said = verdict(goal_verified=True, extra={'verdicts': ['the red cube is in the bowl: yes']})
    assert 'goal:        met\n' in said and 'the red cube is in the bowl: yes\n' in said


def test_who_named_a_goal_is_said_only_if_it_was_judged():
    named = {'goals_named_by': 'vlm', 'goals': (Goal('in', 'red_cube', 'bowl'),)}
    assert 'not by the words' in verdict(goal_verified=True, **named)
    assert 'not by the words' not in verdict(**named)


def test_the_verdict_says_what_is_still_in_the_hand():
    assert 'in the hand: red_cube' in verdict(extra={'held': 'red_cube'})
    assert 'in the hand' not in verdict()


def test_text_of_others_is_printed_as_it_is(capsys):
    plain_console().print('[/red] [bold]x[/bold] :smile:')
    assert capsys.readouterr().out == '[/red] [bold]x[/bold] :smile:\n'


def test_new_plans_that_no_failure_led_to_are_counted_apart():
    assert '  replans:     2, of these 1 after a failure' in verdict(replans=1, total_replans=2)


def test_a_step_is_shown_with_rounded_numbers_and_local_planning_in_words():
    place = Step(1, 'place_at', {'x': 0.579555495773441, 'y': -0.1})
    again = Step(2, '__replan__')
    plan = Plan(1, 'go', (place, again), (), PlanCause.INITIAL, None, 's', 'search')
    node = LocalNode('0.1', LocalOption('clear blue', 'clear_obstacle'), 6.0, 7.1, True,
                     Decision.RETAIN)
    text = shown(PlanMade(plan, 0.1), StepStarted(0, 1, place, 0),
                 LocalPlanningStarted(0, place, 'red can be put there', 6.0),
                 LocalActionJudged(node))
    assert 'place_at(x=0.58, y=-0.1) → look again, then plan on' in text
    assert "EXECUTE: place_at({'x': 0.58, 'y': -0.1})" in text
    assert 'LOCAL: to reach: red can be put there; 6.0 of 10 points now' in text
    assert 'LOCAL: 0.1 clear blue: 6.0 → 7.1 points, kept' in text


def test_a_stopped_step_did_not_fail():
    stopped = failed(Reason.STOPPED, 'interrupted: anna pressed stop')
    text = shown(StepFinished(0, 1, Step(1, 'pick', {'object': 'cup'}), stopped, 0.5))
    assert 'stopped in 0.50 s: interrupted: anna pressed stop' in text and 'failed' not in text


def test_a_step_takes_so_long_as_the_robot_needs_if_its_clock_is_known():
    times, out = iter((1.0, 3.5)), io.StringIO()
    recorder = ConsoleRecorder(Console(file=out, width=200), robot_time=lambda: next(times))
    step = Step(1, 'pick', {'object': 'red_cube'})
    recorder.record(StepStarted(0, 1, step))
    recorder.record(StepFinished(0, 1, step, succeeded(), 0.26))
    assert 'ok in 2.50 s of robot time' in out.getvalue()
