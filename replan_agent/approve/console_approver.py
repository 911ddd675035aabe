# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The person at the console: approves plans, and helps if the agent is stuck."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from replan_agent.domain.approval_request import Approval, ApprovalRequest, RiskAssessment
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.plan import Step
from replan_agent.text.refusal import is_refusal
from replan_agent.text.shown_text import told_call

from .terminal import NoAnswer, Terminal, TooLate

NAME = 'console'
YES = ('y', 'yes')
EDITS = ('slower',)
CHOICES = '[y, n, or what to change, such as: without step 2, slower]'


class ConsoleApprover:
    """Shows the plan and its risk and asks. No answer in time means denied.

    An answer that begins or ends with a word of refusal is a no. An answer other than yes and no
    says what to change. Nothing moves before a yes. `corrects` says whether a no says more: "no,
    the blue one".
    """

    def __init__(self, timeout_s: float, terminal: Terminal | None = None,
                 corrects: Callable[[str], bool] = lambda _: False) -> None:
        self._timeout_s, self._corrects = timeout_s, corrects
        self._terminal = terminal or Terminal()

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        request.on_pending(request.assessment)
        for line in (*_plan_lines(request), *_risk_lines(request.assessment)):
            self._terminal.say(line)
        version = request.plan.version
        try:
            limit = f'no answer within {self._timeout_s:g} s means no'
            answer = self._answer(f'Run plan {version}? {CHOICES} ({limit}) ', ctx)
        except TooLate:
            return Approval(False, NAME, f'nobody approved plan {version} within '
                            f'approval.timeout={self._timeout_s:g}s')
        except NoAnswer as error:
            return Approval(False, NAME, f'plan {version} was not approved: {error}')
        if answer.lower() in YES:
            return Approval(True, NAME)
        if is_refusal(answer):
            return Approval(False, NAME, f'plan {version} was denied at the console',
                            edit=answer if self._corrects(answer) else '')
        return Approval(False, NAME, f'a person wants plan {version} changed: {answer}',
                        edit=answer)

    def report_outcome(self, success: bool) -> None:
        """Ignored: the person sees the outcome."""

    def _answer(self, prompt: str, ctx: Context) -> str:
        """Yes, no, or what to change: several words, or one that the agent knows."""
        until = time.monotonic() + self._timeout_s
        while True:
            left = until - time.monotonic()
            answer = self._terminal.ask(prompt, max(left, 0.0), ctx)
            known = answer.lower() in (*YES, *EDITS) or is_refusal(answer)
            if known or len(answer.split()) > 1:
                return answer
            prompt = 'Please answer y or n, or say what to change in a few words: '


class ConsoleHuman:
    """Asks for a hint for the next plan. An empty line means no hint."""

    def __init__(self, terminal: Terminal | None = None) -> None:
        self._terminal = terminal or Terminal()

    def hint(self, question: str, ctx: Context) -> str | None:
        self._terminal.say(f'\nA person is needed: {question}')
        try:
            left = ctx.remaining_s()
            limit = f', or no answer within {left:.0f} s' if math.isfinite(left) else ''
            return self._terminal.ask(f'What should it know, or do? (empty{limit}: end the task) ',
                                      left, ctx) or None
        except (NoAnswer, DeadlineExceeded) as error:
            self._terminal.say(f'No hint: {error}.')
            return None


def _plan_lines(request: ApprovalRequest) -> list[str]:
    plan = request.plan
    why = f' ({plan.cause.value}: {plan.reason})' if plan.reason else ''
    return [f'\nPlan {plan.version}{why}',
            *(f'  {step.step_number}. {_whole(step)}' for step in plan.steps),
            *(f'  {remark}' for remark in request.remarks)]


def _whole(step: Step) -> str:
    """The call with every value in full: nobody approves what is not shown."""
    return step.told if step.is_replan else told_call(step.skill, step.args, whole=True)


def _risk_lines(assessment: RiskAssessment) -> list[str]:
    if assessment.risk is None or assessment.threshold is None:
        return []
    return [f'Risk {assessment.risk:.2f}, a person is asked from {assessment.threshold:.2f} on:',
            *(f'  - {reason}' for reason in assessment.reasons)]
