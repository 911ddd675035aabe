# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that asks a model and checks everything it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from replan_agent.agent.ports import ChatModel, PlanCheck, Reader, Snapshot
from replan_agent.domain import chat
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import (
    Plan,
    PlanCause,
    PlanProblem,
    PlanReply,
    PlanRequest,
    ReplyKind,
    Step,
)
from replan_agent.domain.skill import Reason
from replan_agent.domain.suggested_plan import SuggestedPlan

from ..search.search_planner import SearchPlanner
from . import prompts
from .asking.answer_schema import FIELDS, GOALS, STEPS_ALONE
from .asking.left_out import left_out, not_reached, strays
from .asking.named_colours import missed_colours
from .asking.samples import Samples, agreed
from .asking.ways import Asking, Opening, Way, picture_of
from .goals import ByWords, goals_by_words, question_in_words, settled
from .reply.draft import Draft, read_calls
from .reply.habits import mended
from .reply.text_calls import TwoPlans, calls_in_text, is_refusal_in_prose, unfolded

NO_PLAN = 'There is no plan in that.'
PROSE = 'That was not a tool call, so there is no plan in it.'
NO_GOAL = PlanProblem(Reason.BAD_ARGUMENTS, 'no goal is named: name it in the same reply, with '
                      'set_goal or, in JSON, in "goals"')
TEXT_USED = 'the model wrote its plan as text and called no tool; the calls in the text are used'
UNJUDGED = ('the model named no goal, even after a reminder: it cannot be judged whether the task '
            'is done')
SHOWN = 'the plan of the search planner was shown to the model, after two that were refused'


@dataclass
class Dialogue:
    """The dialogue about one plan: what was said, and how many corrections are left."""

    request: PlanRequest
    way: Way
    opening: Opening
    by_words: ByWords | None  # None also if the current goals are certain
    fields: Sequence[str] = FIELDS  # of an answer in JSON
    named: tuple[Goal, ...] = ()
    nudges: int = 1
    refusals: int = 1  # that are left: so many plans go back to the model
    warnings: list[str] = field(default_factory=list)
    suggested_plan: SuggestedPlan | None = None
    good: Draft | None = None  # a plan with nothing wrong but the form of its goal

    @property
    def knows_goal(self) -> bool:
        """Whether the goal is known, so that the model's own goal no longer matters."""
        return (self.request.is_settled or bool(self.by_words and self.by_words.goals)
                or (bool(self.request.goals) and GOALS not in self.fields))

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What is to be true at the end, as far as it is known."""
        if self.request.is_settled:
            return self.request.goals
        return settled(self.named, self.by_words, self.request.scene)[0] or self.request.goals

    @property
    def left_alone(self) -> tuple[str, ...]:
        return self.by_words.left_alone if self.by_words else ()

    def reply(self, kind: ReplyKind, draft: Draft | None = None, detail: str = '',
              reason: Reason | None = None, cause: Cause | None = None) -> PlanReply:
        steps = draft.steps if draft else ()
        goals, remark = settled(self.named, self.by_words, self.request.scene)
        warnings = (*self.warnings, remark) if remark else tuple(self.warnings)
        return PlanReply(kind, steps, goals, reason, detail, warnings, self.suggested_plan,
                         self.request.is_settled or self._is_by_words(goals), cause,
                         left_alone=self.left_alone)

    def _is_by_words(self, goals: tuple[Goal, ...]) -> bool:
        words = self.by_words
        return words is not None and (words.is_only or words.goals == goals)


@dataclass(frozen=True)
class VLMPlanner:
    """Plans with a model: its tool calls are the steps, checked before they are returned.

    One plan takes at most three calls, and one more for each way to ask that does not work. Prose
    gets one reminder, and a plan that `check` refuses goes back to the model once. Without tools,
    and where the words of the task name the goal, it goes back twice, the second time with a plan
    of the search planner. `snapshot` is the picture to send, if any. With `samples`, several plans
    are made for a task that the grammar does not understand, and a person is asked if they differ.
    """

    model: ChatModel
    check: PlanCheck
    reader: Reader
    snapshot: Snapshot | None = None
    viewpoint: str = 'arm'
    uses_model: bool = True
    asking: Asking = field(default_factory=Asking)
    samples: Samples = Samples()
    needs_tools: bool = False  # without them another planner goes on

    @property
    def name(self) -> str:
        return f'vlm:{self.model.name}'

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.check()
        question = question_in_words(request, self.reader) if self.asking.asks else ''
        if question:
            return PlanReply(ReplyKind.ASK, detail=question, goals_certain=False)
        words = None if request.is_settled else goals_by_words(request, ctx, self.reader)
        # A goal that is known, or open on purpose ("a cube"), needs no vote.
        number = 1 if request.goals or words is not None else self.samples.number
        # Small models plan better if they need not also name a goal that is known.
        is_known = request.is_settled or (words is not None and words.is_only)
        fields = STEPS_ALONE if is_known else FIELDS
        replies: list[PlanReply] = []
        while len(replies) < number:
            replies.append(self._plan(request, words, ctx, fields))
            if replies[-1].kind is ReplyKind.TRANSPORT:
                return replies[-1]
        return agreed(replies, request, self.samples.agreement) if number > 1 else replies[0]

    def _plan(self, request: PlanRequest, words: ByWords | None, ctx: Context,
              fields: Sequence[str] = FIELDS) -> PlanReply:
        """One plan of the model; `fields`: the parts of an answer in JSON."""
        warnings: list[str] = []
        opening = self._opening(request, words, ctx, warnings, fields)
        dialogue = Dialogue(request, self.asking.way, opening, words, fields, warnings=warnings)
        dialogue.refusals += dialogue.knows_goal and dialogue.way is not Way.TOOLS
        reply = None
        while reply is None:
            reply = self._turn(dialogue, ctx)
        good = dialogue.good
        return dialogue.reply(good.kind, good) if good and not reply.steps else reply

    def _opening(self, request: PlanRequest, words: ByWords | None, ctx: Context,
                 warnings: list[str], fields: Sequence[str]) -> Opening:
        picture = picture_of(self.snapshot if self.asking.pictures else None, request.scene, ctx,
                             warnings)
        told = words.goals if words is not None and words.is_only else ()
        return self.asking.opening(request, picture, self.viewpoint, told, fields)

    def _turn(self, dialogue: Dialogue, ctx: Context) -> PlanReply | None:
        """The planner's answer, or None if the model was corrected and must be asked again."""
        asked, calls = dialogue.opening, dialogue.opening.calls
        form = () if asked.form is None else (asked.form,)
        try:
            said = self.model.complete(tuple(asked.messages), asked.tools, ctx, *form)
        except chat.ModelError as error:
            return self._after_failure(dialogue, error, ctx)
        try:
            made = unfolded(said.tool_calls, calls) or calls_in_text(said.text, calls)
        except TwoPlans as why:
            return self._after_prose(dialogue, said, str(why))
        found = '' if is_refusal_in_prose(said.text) else self.asking.after_reply(
            said, bool(made), asked.has_picture)
        if found:
            return self._begin_again(dialogue, found, ctx)
        if made and not said.tool_calls and dialogue.way is Way.TOOLS:
            dialogue.warnings.append(TEXT_USED)
        return self._after_calls(dialogue, said, made, ctx)

    def _begin_again(self, dialogue: Dialogue, found: str, ctx: Context) -> PlanReply | None:
        """Begin again, in the way that is used from now on; not without tools if they are needed.
        """
        dialogue.warnings.append(found)
        dialogue.way = self.asking.way
        if self.needs_tools and dialogue.way is not Way.TOOLS:
            return dialogue.reply(ReplyKind.FAILED, detail=found)
        dialogue.opening = self._opening(dialogue.request, dialogue.by_words, ctx,
                                         dialogue.warnings, dialogue.fields)
        return None

    def _after_calls(self, dialogue: Dialogue, said: chat.ChatReply,
                     calls: tuple[chat.ToolCall, ...], ctx: Context) -> PlanReply | None:
        tidy = mended(calls, dialogue.request)
        draft = read_calls(tidy.calls, dialogue.request, self.reader.word)
        dialogue.warnings += [tidy.remark] if tidy.remark else []
        dialogue.named = draft.goals or dialogue.named
        dialogue.suggested_plan = draft.suggested_plan or dialogue.suggested_plan
        dialogue.warnings += draft.remarks
        if draft.kind is ReplyKind.ASK and self.asking.asks:
            return dialogue.reply(ReplyKind.ASK, detail=draft.detail)
        if draft.kind in (ReplyKind.GIVE_UP, ReplyKind.ASK):
            return dialogue.reply(ReplyKind.GIVE_UP, detail=draft.detail)
        if draft.is_empty:
            return self._after_prose(dialogue, said)
        return self._after_draft(dialogue, draft, ctx)

    def _after_failure(self, dialogue: Dialogue, error: chat.ModelError, ctx: Context
                       ) -> PlanReply | None:
        found = self.asking.after_error(error, dialogue.opening.has_picture)
        if found:
            return self._begin_again(dialogue, found, ctx)
        if error.reason is chat.ModelFailure.REFUSAL:
            return dialogue.reply(ReplyKind.GIVE_UP, detail=f'the model refused: {error.detail}')
        if error.reason not in chat.MISSPOKEN:
            lost = dialogue.reply(ReplyKind.TRANSPORT, detail=str(error))
            return replace(lost, remedy=error.remedy)
        if dialogue.nudges:
            dialogue.nudges -= 1
            dialogue.opening.messages.extend(prompts.nudge(
                '', f'Your reply cannot be used: {error}.', dialogue.way.answer))
            return None
        return dialogue.reply(ReplyKind.FAILED, detail=f'the model answered badly twice: {error}',
                              reason=Reason.BAD_ARGUMENTS)

    def _after_prose(self, dialogue: Dialogue, said: chat.ChatReply,
                     why: str = '') -> PlanReply | None:
        calls_tools = dialogue.way is Way.TOOLS
        if dialogue.nudges:
            dialogue.nudges -= 1
            why = why or (PROSE if calls_tools else NO_PLAN)
            dialogue.opening.messages.extend(prompts.nudge(said.text, why, dialogue.way.answer))
            return None
        words = ' '.join(said.text.split())[:prompts.LONGEST]
        if is_refusal_in_prose(said.text):
            return dialogue.reply(ReplyKind.GIVE_UP, detail=f'the model refused: {words}')
        lacks = 'called no tool' if calls_tools else 'gave no plan'
        return dialogue.reply(ReplyKind.STEPS, detail=(
            f'the model {lacks}, even after a reminder; it said: {words or "nothing"}'))

    def _after_draft(self, dialogue: Dialogue, draft: Draft, ctx: Context) -> PlanReply | None:
        own = (*draft.problems, *(() if dialogue.knows_goal else draft.goal_problems))
        problems = [*own, *self._problems(draft, dialogue.request)]
        unnamed = not dialogue.named and not dialogue.request.goals and dialogue.by_words is None
        wishes = [NO_GOAL] if unnamed and GOALS in dialogue.fields and not (
            draft.steps and draft.steps[-1].is_replan) else []
        wishes += left_out(dialogue.goals, draft.steps, dialogue.request)
        missed = [] if problems else not_reached(dialogue.goals, draft.steps, dialogue.request,
                                                 dialogue.knows_goal)
        stray = (strays(dialogue.goals, draft.steps, dialogue.request, dialogue.left_alone)
                 if dialogue.knows_goal else missed_colours(draft.steps, dialogue.request))
        wishes += missed + stray
        misnamed = [problem for problem in draft.goal_problems if problem.is_misnamed]
        if dialogue.knows_goal and misnamed and dialogue.good is None:
            dialogue.good = None if problems or wishes or not draft.steps else draft
            wishes += misnamed
        if (problems or wishes) and dialogue.refusals:
            dialogue.refusals -= 1
            shown = self._shown(dialogue, ctx)
            dialogue.warnings += [SHOWN] if shown else []
            dialogue.opening.messages.append(prompts.refused(
                draft.steps, [*problems, *wishes], dialogue.way.again, shown))
            return None
        if dialogue.good and (problems or wishes):
            return dialogue.reply(dialogue.good.kind, dialogue.good)
        if missed and not dialogue.knows_goal:  # nobody can tell which of the two is meant
            dialogue.named, own = (), tuple(missed)
        own = (*own, *stray)
        if own:
            return dialogue.reply(ReplyKind.FAILED, reason=own[0].reason, cause=own[0].cause,
                                  detail='; '.join(p.detail for p in own))
        if NO_GOAL in wishes:
            dialogue.warnings.append(UNJUDGED)
        return dialogue.reply(draft.kind, draft, draft.detail)  # still wrong: the loop refuses it

    def _shown(self, dialogue: Dialogue, ctx: Context) -> tuple[Step, ...]:
        """Steps that would do, for a model that was refused twice and whose goal is known."""
        if dialogue.refusals or not dialogue.knows_goal or dialogue.way is Way.TOOLS:
            return ()
        return SearchPlanner(self.reader).plan(dialogue.request, ctx).steps

    def _problems(self, draft: Draft, request: PlanRequest) -> list[PlanProblem]:
        if draft.kind is not ReplyKind.STEPS or not draft.steps:
            return []
        plan = Plan(0, request.task, draft.steps, draft.goals, PlanCause.INITIAL, None,
                    request.scene.scene_id, self.name)
        return self.check(plan, request.scene, request.skills)
