# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that asks a model only for goals: the search plans for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.agent.ports import ChatModel, Planner, Reader, Snapshot
from replan_agent.domain.chat import MISSPOKEN, ChatReply, ModelError, ModelFailure
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import PlanProblem, PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.skill import Reason
from replan_agent.geometry.goal_check import meanings
from replan_agent.geometry.goal_words import goals_in_words
from replan_agent.geometry.judging import judge
from replan_agent.text.loose_json import values_in

from ..search.search_planner import SearchPlanner
from . import prompts
from .asking.explained import guessed, leaves_out, named_in, recoloured, unexplained, unused
from .asking.plain_english import (
    FORMS,
    NOTHING,
    ORDER,
    THING,
    WORDS,
    GoalsForm,
    PlainForm,
    meanings_in,
    naming,
)
from .asking.samples import MOST_SHOWN, Samples, question
from .asking.ways import Asking, Opening, Way, picture_of
from .goals import question_in_words
from .reply.draft import Draft, read_calls
from .reply.habits import mended
from .reply.text_calls import TwoPlans, calls_in_text, unfolded, without_thoughts

NO_GOALS = 'there are no goals in that'
NOTHING_MEANT = 'The model finds nothing here that is meant'
TRUE_NOW = 'all of that is true already'


@dataclass(frozen=True)
class NamedGoals:
    """The goals of one answer, and what it says that the words of the task mean.

    `reply` is the answer if it has no goals: a question, a refusal, a server that fails.
    """

    goals: tuple[Goal, ...] = ()
    words: tuple[Any, ...] = ()
    reply: PlanReply | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ends(self) -> bool:
        """Whether no other answer is needed: it asks, or the server fails."""
        return self.reply is not None and self.reply.kind in (ReplyKind.ASK, ReplyKind.TRANSPORT)


@dataclass(frozen=True)
class GoalsPlanner:
    """Reads a task with the grammar, else with a model; the search plans for the goals.

    A model that calls no tools says the task in plain English, which the grammar reads, in several
    forms (`Samples.opinions`). Where the answers differ, or name a thing that the words do not
    explain, a person is asked. With `steps`, a model that calls tools plans the steps itself.
    """

    model: ChatModel
    reader: Reader
    snapshot: Snapshot | None = None
    viewpoint: str = 'arm'
    uses_model: bool = True
    asking: Asking = field(default_factory=Asking)
    samples: Samples = Samples()
    steps: Planner | None = None

    @property
    def name(self) -> str:
        return f'vlm:{self.model.name}'

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.check()
        if self.steps is None or self.asking.way is not Way.TOOLS:
            return self._plan(request, ctx)
        reply = self.steps.plan(request, ctx)
        if self.asking.way is Way.TOOLS:
            return reply
        goals = self._plan(request, ctx)
        return replace(goals, warnings=(*reply.warnings, *goals.warnings))

    def _plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        asks = question_in_words(request, self.reader) if self.asking.asks else ''
        if asks:
            return PlanReply(ReplyKind.ASK, detail=asks, goals_certain=False)
        search = SearchPlanner(self.reader)
        if not request.goals_certain and request.new_hints:
            request = replace(request, goals=())  # the hint may be about them
        if self._is_clear(request, ctx):
            return search.plan(request, ctx)
        if request.goals:
            return search.plan_for(request.goals, request, ctx)
        said = self._by_model(request, ctx)
        if said.reply is not None:
            return replace(said.reply, warnings=(*said.warnings, *said.reply.warnings))
        reply = search.plan_for(said.goals, request, ctx)
        understood = f'I understood: {goals_in_words(said.goals)}'
        return replace(reply, warnings=(*said.warnings, understood, *reply.warnings))

    def _is_clear(self, request: PlanRequest, ctx: Context) -> bool:
        """Whether the grammar reads the task, or knows all of its words and what is missing."""
        read = SearchPlanner(self.reader).goals_read(request, ctx)
        wording = self.reader.wording(request.task, request.scene)
        known = wording.is_known and not request.context.get('hints')
        return not isinstance(read, Exception) or wording.asks_for_nothing or (
            known and isinstance(read, Unclear))

    def _by_model(self, request: PlanRequest, ctx: Context) -> NamedGoals:
        """What the answers agree on and the words explain; else a question."""
        number, has_tools = self.samples.number, self.asking.way is Way.TOOLS
        forms = FORMS[:self.samples.opinions] if number == 1 and not has_tools else (
            GoalsForm(self.asking.asks) if has_tools else FORMS[1],) * number
        needed = max(1, math.ceil(self.samples.agreement * number) if number > 1 else
                     len(forms) // 2 + 1)
        said: list[NamedGoals] = []
        for form in forms:
            said.append(self._ask(form, request, ctx))
            if has_tools and self.asking.way is not Way.TOOLS:
                again = self._by_model(request, ctx)
                return replace(again, warnings=(*said[-1].warnings, *again.warnings))
            if said[-1].ends:
                return said[-1]
            same = _largest_group(said, request)
            if len(same) >= needed:
                return self._sure(same, request, ctx)
            if len(same) + len(forms) - len(said) < needed:
                break
        return said[0] if len(forms) == 1 else _asked(request, _differ(said))

    def _sure(self, same: Sequence[NamedGoals], request: PlanRequest, ctx: Context) -> NamedGoals:
        """The answers that agree, if the words of the task explain them; else a question."""
        goals, words = same[0].goals, [entry for one in same for entry in one.words]
        if not goals:
            return _asked(request, NOTHING_MEANT)
        gaps = unexplained(goals, words, request, self.reader)
        why = f'nothing in it says {", ".join(gaps)}' if gaps else ''
        if not why and all(judge(goal, request.scene) is True for goal in goals):
            why = TRUE_NOW
        names = guessed(goals, words, request, self.reader)
        if not why and names and self.asking.way is not Way.TOOLS:
            why = self._doubt(names, request, ctx)
        if why:
            return _asked(request, f'I understood: {goals_in_words(goals)}; but {why}')
        agree = (f'{len(same)} answers of the model name the same goals',) * (len(same) > 1)
        return NamedGoals(goals, tuple(words), None, (*same[0].warnings, *agree))

    def _doubt(self, names: Sequence[str], request: PlanRequest, ctx: Context) -> str:
        """Why these may not be meant: without a list of things, the model names another."""
        opening = naming(request, self.viewpoint, self.asking.way)
        try:
            reply = self.model.complete(tuple(opening.messages), (), ctx,
                                        *filter(None, (opening.form,)))
        except ModelError as error:
            return str(error)
        said = ' and '.join(str(value[THING]) for _, value in values_in(
            without_thoughts(reply.text)) if isinstance(value, dict) and THING in value)
        fits = {thing.name for thing in named_in(said, request.scene, self.reader) or ()}
        return '' if {*names} <= fits else f'it may be something else: {said or "nothing"}'

    def _ask(self, form: GoalsForm | PlainForm, request: PlanRequest, ctx: Context) -> NamedGoals:
        """One answer of the model. What cannot be used goes back to it once.

        An order that the grammar refuses does not: what small models say then is worse.
        """
        warnings: list[str] = []
        opening = self._opening(form, request, ctx, warnings)
        tries = 2
        while True:
            ctx.check()
            try:
                said = self.model.complete(tuple(opening.messages), opening.tools, ctx,
                                           *filter(None, (opening.form,)))
            except ModelError as error:
                found, why = self.asking.after_error(error, opening.has_picture), str(error)
                reply = _failed(error)
                draft = None
            else:
                draft, words, made, found = self._read(said, opening, request, ctx)
                why = '; '.join(_problems(draft, made))
                wrong = '; '.join(f'the task says {word!r}, and no goal names such a thing'
                                  for word in unused(draft.goals, request, self.reader.word))
                if made and isinstance(form, PlainForm):
                    why, wrong = '', why or wrong
                reply = PlanReply(ReplyKind.FAILED, reason=Reason.BAD_ARGUMENTS,
                                  detail=why or wrong, goals_certain=False)
                if not found and wrong and not why:
                    return NamedGoals(reply=replace(reply, warnings=tuple(warnings)))
                if not found and not why:
                    return _said(draft, words, warnings, self.asking.asks)
            if found:
                warnings.append(found)
                if isinstance(form, GoalsForm) and self.asking.way is not Way.TOOLS:
                    return NamedGoals(warnings=tuple(warnings))
                opening = self._opening(form, request, ctx, warnings)
                continue
            tries -= 1
            if not tries or reply.kind is not ReplyKind.FAILED:
                return NamedGoals(reply=replace(reply, warnings=tuple(warnings)))
            opening.messages.extend(prompts.nudge(
                said.text if draft else '', f'That cannot be used: {why}.',
                self.asking.way.answer, 'what was asked for'))

    def _opening(self, form: GoalsForm | PlainForm, request: PlanRequest, ctx: Context,
                 warnings: list[str]) -> Opening:
        picture = picture_of(self.snapshot if self.asking.pictures else None, request.scene, ctx,
                             warnings)
        return form.opening(request, picture, self.viewpoint, self.asking.way)

    def _read(self, said: ChatReply, opening: Opening, request: PlanRequest, ctx: Context
              ) -> tuple[Draft, tuple[Any, ...], bool, str]:
        """What the reply says, its words, whether it says anything, and what it shows of the way.
        """
        values = [call.arguments for call in said.tool_calls]
        values += [value for _, value in values_in(without_thoughts(said.text))
                   if isinstance(value, dict)]
        words = tuple(entry for value in values for entry in (
            *(value[WORDS] if isinstance(value.get(WORDS), list) else ()), *meanings_in(value)))
        orders = {v[ORDER] for v in values if isinstance(v.get(ORDER), str)}
        order = orders.pop() if len(orders) == 1 else None  # of two nobody can tell which is meant
        try:
            calls = () if order is not None or orders else unfolded(
                said.tool_calls, opening.calls) or calls_in_text(said.text, opening.calls)
        except TwoPlans:
            calls = ()
        made = order is not None or bool(calls)
        found = self.asking.after_reply(said, made, opening.has_picture)
        draft = (self._ordered(order, words, request, ctx) if order is not None else
                 read_calls(mended(calls, request).calls, request, self.reader.word))
        return draft, words, made, found

    def _ordered(self, order: str, words: Sequence[Any], request: PlanRequest, ctx: Context
                 ) -> Draft:
        """The goals that the grammar reads in the model's plain English."""
        if order.strip(' .').lower() == NOTHING:
            return Draft(ReplyKind.STEPS)
        scene = request.scene
        for said in (order, recoloured(order, words, request, self.reader.word)):
            read = SearchPlanner(self.reader).goals_read(replace(request, task=said), ctx)
            if not isinstance(read, Exception):
                break
        if leaves_out(request.task) and not leaves_out(order):
            read = ValueError('the task leaves something out, and the answer does not')
        elif not isinstance(read, Exception) and any(
                (thing := scene.get(goal.object or '')) and thing.is_container
                for goal in meanings(read, scene)):
            read = ValueError('a container would move')
        return Draft(ReplyKind.STEPS, goal_problems=(PlanProblem(
            Reason.BAD_ARGUMENTS, str(read)),)) if isinstance(read, Exception) else Draft(
            ReplyKind.STEPS, goals=read)


def _problems(draft: Draft, made: bool) -> Iterator[str]:
    if draft.kind not in (ReplyKind.ASK, ReplyKind.GIVE_UP):
        yield from () if made else (NO_GOALS,)
        yield from (problem.detail for problem in (*draft.problems, *draft.goal_problems))


def _said(draft: Draft, words: tuple[Any, ...], warnings: Sequence[str], asks: bool) -> NamedGoals:
    if draft.kind is ReplyKind.STEPS:
        return NamedGoals(draft.goals, words, None, tuple(warnings))
    kind = ReplyKind.ASK if draft.kind is ReplyKind.ASK and asks else ReplyKind.GIVE_UP
    return NamedGoals(reply=PlanReply(kind, detail=draft.detail, warnings=tuple(warnings),
                                goals_certain=False))


def _failed(error: ModelError) -> PlanReply:
    kind = {ModelFailure.REFUSAL: ReplyKind.GIVE_UP}.get(
        error.reason, ReplyKind.FAILED if error.reason in MISSPOKEN else ReplyKind.TRANSPORT)
    return PlanReply(kind, reason=Reason.BAD_ARGUMENTS if kind is ReplyKind.FAILED else None,
                     detail=str(error), goals_certain=False, remedy=error.remedy)


def _largest_group(said: Sequence[NamedGoals], request: PlanRequest) -> list[NamedGoals]:
    """The answers that mean the same, of the meaning that most of them have."""
    groups: dict[frozenset[Goal], list[NamedGoals]] = {}
    for one in said:
        if one.reply is None:
            groups.setdefault(frozenset(meanings(one.goals, request.scene)), []).append(one)
    return max(groups.values(), key=len, default=[])


def _differ(said: Sequence[NamedGoals]) -> str:
    wanted = list(dict.fromkeys(goals_in_words(one.goals) or NOTHING for one in said
                                if one.reply is None))[:MOST_SHOWN]
    if not wanted:
        return 'The model names no goals for it'
    why = "The model's answers differ" if len(wanted) > 1 else 'The model is not sure'
    return f'{why}: {"; or ".join(wanted)}'


def _asked(request: PlanRequest, why: str) -> NamedGoals:
    return NamedGoals(reply=question(PlanReply(ReplyKind.ASK), request, why))
