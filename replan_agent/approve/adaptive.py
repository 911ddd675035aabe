# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Adaptive approval: low risk runs, high risk needs a person, and the threshold is learned."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.agent.ports import Approver
from replan_agent.domain.approval_request import Approval, ApprovalRequest, RiskAssessment
from replan_agent.domain.config import ApprovalConfig
from replan_agent.domain.context import Context

from .risk import PlanRisk


class Threshold:
    """The risk from which a person is asked. It counts what moved it."""

    def __init__(self, config: ApprovalConfig) -> None:
        self.value, self._config = config.threshold, config
        self.use(config)
        self._failed = self._succeeded = 0

    def use(self, config: ApprovalConfig) -> None:
        """Use these settings. The value may fall at once; only successes let it rise."""
        before, self._config = self._config, config
        self._lowest = min(config.threshold_min, config.threshold)
        self._highest = max(config.threshold_max, config.threshold)
        changed = config.threshold != before.threshold
        self.value = min(self.value, config.threshold if changed else self._highest)

    def tighten(self) -> None:
        """A plan failed: allow less risk from now on."""
        self._failed += 1
        self.value = max(self._lowest, self.value - self._config.tighten)

    def continue_from(self, earlier: float) -> None:
        """Allow no more risk than after the last plan of an earlier run, which failed."""
        self.value = min(self.value, earlier, max(self._lowest, earlier - self._config.tighten))

    def relax(self, by_a_person: bool) -> None:
        """A plan succeeded: allow more; above the start value only if a person approved it."""
        self._succeeded += 1
        top = self._highest if by_a_person else max(self.value, self._config.threshold)
        self.value = min(top, self.value + self._config.relax)

    def __str__(self) -> str:
        text = f'threshold {self.value:.2f}'
        if self._failed or self._succeeded:
            text += (f': started at {self._config.threshold:.2f}, since then {self._failed} '
                     f'failed and {self._succeeded} succeeded')
        return text


class AdaptiveApprover:
    """Allows a plan below the threshold. Otherwise it asks `ask`; without one the plan is denied.

    The threshold may outlive it: what failed or succeeded counts for the next task.
    """

    name = 'adaptive'

    def __init__(self, risk: PlanRisk, config: ApprovalConfig, ask: Approver | None,
                 threshold: Threshold | None = None) -> None:
        self._risk, self._ask, self._ask_below = risk, ask, config.ask_below
        self.threshold = threshold or Threshold(config)
        self._is_running = self._by_a_person = False  # approved, its outcome is not known yet

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        risk = self._risk.assess(request)
        at_mark = not self._ask_below or request.chance.get('at_mark')
        told = 'not known' if at_mark is None else f'below {self._ask_below:g}'
        told += ' after a failure' * (at_mark is None and bool(request.attempts))
        why = () if at_mark else (f'its chance is {told}',)
        assessment = RiskAssessment(risk.score, round(self.threshold.value, 3),
                                    (*why, *risk.reasons, str(self.threshold)))
        low = not (why or request.ask_person) and risk.score < self.threshold.value
        answer = (Approval(True, 'adaptive', f'risk {risk.score:.2f} is below the threshold '
                                             f'{self.threshold.value:.2f}') if low
                  else self._asked(replace(request, assessment=assessment), ctx))
        answer = replace(answer, risk=assessment.risk, threshold=assessment.threshold,
                         reasons=assessment.reasons)
        if answer.approved:
            self._is_running, self._by_a_person = True, not low
        return answer

    def report_outcome(self, success: bool) -> None:
        """Tighten or relax. Only plans approved here count, and each only once."""
        if self._is_running and success:
            self.threshold.relax(self._by_a_person)
        elif self._is_running:
            self.threshold.tighten()
        self._is_running = False

    def _asked(self, request: ApprovalRequest, ctx: Context) -> Approval:
        if self._ask is not None:
            return self._ask.approve(request, ctx)
        why = ('a person denied a plan or wanted it changed' if request.ask_person else
               f'the risk is {request.assessment.risk:.2f}')
        return Approval(False, 'adaptive', f'{why}, and there is nobody to ask: '
                                           f'{"; ".join(request.assessment.reasons)}')
