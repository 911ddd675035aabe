# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A conversation about tasks on one arm. Whoever talks to it, all say it here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from replan_agent.agent.ports import Amending, Reader
from replan_agent.domain.cause import Cause
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.reading import Reading, Remark, RemarkKind
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.geometry.goal_words import sentence
from replan_agent.text.refusal import is_refusal
from replan_agent.text.shown_text import shown

from .question_words import is_question
from .seen_answers import seen_answer
from .told_results import able_answer, done_answer, outcome, why_answer
from .undoing import Moves, task_back

ASKED = (RemarkKind.WHAT, RemarkKind.SEEN, RemarkKind.HELD, RemarkKind.WHERE, RemarkKind.COUNT,
         RemarkKind.IS, RemarkKind.WHY, RemarkKind.DONE, RemarkKind.ABLE)
NOTHING_SAID = 'Say what should be done, or ask "what can you do?".'
NOTHING_ASKED = 'Nothing is asked, so that changes nothing.'
WHOLE = 'Say the whole order.'
DROPPED = 'All right. Nothing is done.'
BUSY = 'I am busy with a task.'
NO_SCENE = Scene('', 0.0, (), 'none')
MOST_GROUPS = 20  # of things that were moved before
Run = Callable[[str, Resume | None], TaskResult]


@dataclass(frozen=True)
class Reply:
    """What is answered. `task` is the sentence that was carried out, with its `result`.

    `asks`: the text ends with a question, and what is said next may be its answer.
    """

    text: str
    result: TaskResult | None = None
    task: str = ''
    asks: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class OpenQuestion:
    """A question about a task that did not start; with `result`, about one that stopped."""

    task: str
    text: str
    result: TaskResult | None = None


@dataclass
class Conversation:
    """What was said and done so far, and what is open. It never approves a plan.

    `read` reads a task in a scene, `look` looks once, `specs` are the skills. A task that fails,
    or is cancelled or refused, is the last one too: it can be corrected, asked about and undone.
    """

    reader: Reader
    read: Callable[[str, Scene], Reading]
    look: Callable[[], Scene]
    specs: Callable[[], tuple[SkillSpec, ...]]
    open: OpenQuestion | None = None
    result: TaskResult | None = None  # of the last task
    _heard: TaskResult | None = None  # the same, or of words that were not understood
    _task: str = ''  # the last order
    _groups: list[tuple[str, ...]] = field(default_factory=list)  # of things, by order
    _moves: Moves = field(default_factory=Moves)
    _moved: tuple[str, ...] = ()  # by the last task
    _busy: threading.Lock = field(default_factory=threading.Lock)

    def say(self, text: str, run: Run) -> Reply:
        """The reply to what is said. `run` carries out a task."""
        if not isinstance(text, str):
            raise TypeError(f'say(): text expected, not {type(text).__name__}')
        if not text.strip():
            return Reply(NOTHING_SAID, asks=self.open is not None)
        if not self._busy.acquire(blocking=False):
            return Reply(BUSY)
        try:
            return self._replied(text.strip(), run)
        finally:
            self._busy.release()

    def note(self, task: str, result: TaskResult, before: Scene, after: Scene) -> None:
        """Know of a task that was not said here, as if it had been: "put it back" may follow."""
        if not self._busy.acquire(blocking=False):
            return  # `say` carries it out, and keeps it itself
        try:
            self.open = None
            self._keep(result, before, after)
            if result.final_reason is not FinalReason.UNRECOGNIZED_PROMPT:
                self._remember(task, result, before)
        finally:
            self._busy.release()

    def _replied(self, words: str, run: Run) -> Reply:
        scene, blind = self._seen()
        remarks = self.reader.remarks(words, scene)
        asked = _first(remarks, *ASKED)
        if asked is not None:
            return Reply(self._answer(asked, scene, blind), asks=self.open is not None)
        later = self._later(scene)
        if self.open is not None:
            reply = self._answered(self.open, words, remarks, later, scene, run)
            if reply is not None:
                return reply
        if _first(remarks, RemarkKind.UNDO):
            return self._undone(remarks[0], later, scene, run)
        idle = _first(remarks, RemarkKind.YES, RemarkKind.NO, RemarkKind.GREETING)
        if idle is not None:
            return Reply(NOTHING_SAID if idle.kind is RemarkKind.GREETING else NOTHING_ASKED)
        change = _first(remarks, RemarkKind.CHANGE)
        if change is not None and not self._is_order(words, scene):
            return self._changed(words, change, later, scene, run)
        return self._ordered(words, words, later, scene, run)

    def _seen(self) -> tuple[Scene, str]:
        """What is seen, and why that is nothing."""
        try:
            return self.look(), ''
        except PerceptionError as error:
            return NO_SCENE, str(error)

    def _answer(self, asked: Remark, scene: Scene, blind: str) -> str:
        if asked.kind is RemarkKind.ABLE:
            return able_answer(self.specs())
        if asked.kind is RemarkKind.DONE:
            return done_answer(self.result)
        if asked.kind is RemarkKind.WHY:
            return f'I wait for an answer: {self.open.text}' if self.open else why_answer(
                self._heard)
        return f'I cannot see now: {blind}.' if blind else seen_answer(
            asked, scene, self.reader, self._groups)

    def _answered(self, question: OpenQuestion, words: str, remarks: Sequence[Remark],
                  later: Amending, scene: Scene, run: Run) -> Reply | None:
        """The reply to an answer; None if the words are an order of their own."""
        if _first(remarks, RemarkKind.NO) or self.reader.wording(words, scene).asks_for_nothing:
            self.open, self._task = None, ''  # what is said next is no answer to it
            return Reply(DROPPED)
        task = later.amended(question.task, words)
        if task:
            self.open = None
            return self._ordered(task, words, later, scene, run)
        is_part = question.result is None and _first(remarks, RemarkKind.CHANGE)
        if not is_part and self._is_order(words, scene) or _first(remarks, RemarkKind.UNDO):
            self.open = None
            return None
        denies = is_refusal(words)
        if denies and not any(remark.denies for remark in remarks):
            self.open, self._task = None, ''
            return Reply(DROPPED)
        greets = _first(remarks, RemarkKind.GREETING) and not _first(remarks, RemarkKind.YES)
        if question.result is not None and not (greets or denies or is_question(words)):
            self.open = None
            return self._carried_out(question.task, words, scene, run,
                                     question.result.resume(words))
        return Reply(f'That answers nothing. I asked: {question.text}', asks=True)

    def _changed(self, words: str, change: Remark, later: Amending, scene: Scene, run: Run
                 ) -> Reply:
        """A correction, or the same order with another thing or place."""
        known = self._task and (change.denies or self.result)  # what failed is only corrected
        task = later.amended(self._task, words, goes_on=not change.denies) if known else ''
        if task:
            return self._ordered(task, words, later, scene, run)
        if not self._task:
            return Reply(f'I do not know what {shown(words)} is about. {WHOLE}')
        return Reply(f'I do not know what {shown(words)} means after {shown(self._task)}. {WHOLE}')

    def _ordered(self, order: str, words: str, later: Amending, scene: Scene, run: Run,
                 resume: Resume | None = None) -> Reply:
        """Carry out an order, or ask what it leaves open."""
        task = later.referred(order)
        question = later.question(task)
        if question is not None and question.asks:
            return self._asked(task, question, later)
        self.open = None
        return self._carried_out(task, words, scene, run, resume)

    def _asked(self, task: str, question: Open | Unclear, later: Amending) -> Reply:
        """Ask what is meant, if there are words that answer it: as they are listed, or others."""
        choices, called = later.choices(task), [later.listed([n]) for n in question.candidates]
        can_say = choices or question.cause is Cause.PLACE_NOT_SAID or (
            question.about and not question.candidates)
        readings = isinstance(question, Open) and question.choices
        text = 'what is meant?' if readings else str(question)
        if len(choices) != len(called) or any(sum(c in said for c in called) != 1
                                              for said in choices):
            listed = (f'({number}) {said}' for number, said in enumerate(choices, 1))
            text = ' '.join((text, *listed))
        self.open = OpenQuestion(task, text) if can_say else None
        end = '' if text.endswith(('?', '.')) else '.'
        return Reply(text if can_say else f'{text}{end} {WHOLE}', asks=self.open is not None)

    def _carried_out(self, task: str, words: str, scene: Scene, run: Run,
                     resume: Resume | None = None) -> Reply:
        result = self._run(task, scene, run, resume)
        if result.final_reason is FinalReason.UNRECOGNIZED_PROMPT:
            self._task = ''  # a part of an order may be meant for this one
            self._groups.append(())
            return Reply(outcome(result), result, task)
        later = self._later(scene)
        for hint in result.hints if later.question(task) else ():  # it was answered meanwhile
            task = later.amended(task, hint) or task
        self._task = task
        said = result.approvals[-1].edit if result.approvals else ''
        if result.final_reason is FinalReason.APPROVAL_DENIED and said:  # "no, the blue one"
            other = later.amended(task, said)
            if other not in ('', task):
                return self._ordered(other, words, later, scene, run, Resume(denied=True))
        left_out = self._remember(task, result, scene)
        if result.final_reason is FinalReason.HUMAN_REQUIRED:
            self.open = OpenQuestion(task, result.final_detail, result)
            return Reply(result.final_detail, result, task, asks=True)
        told = _told(task, words, result) if self._task or not left_out else ''
        return Reply(f'{told} {left_out}'.strip(), result, task)

    def _run(self, task: str, scene: Scene, run: Run, resume: Resume | None = None) -> TaskResult:
        """Run a task, and note what it moved."""
        result = run(task, resume)
        after, blind = self._seen()
        self._keep(result, scene, None if blind else after)
        return result

    def _keep(self, result: TaskResult, before: Scene, after: Scene | None) -> None:
        self._heard = result
        if result.final_reason is not FinalReason.UNRECOGNIZED_PROMPT:
            self.result = result
        self._moved = self._moves.note(result, self.specs(), before, after)

    def _remember(self, task: str, result: TaskResult, scene: Scene) -> str:
        """What the next words may be about: the order, if it was carried out, and its things.

        Returns what its conditions left undone, and why.
        """
        try:
            reading = self.read(task, scene)
        except (NotUnderstood, Open, Unclear):
            reading = Reading()
        self._task = '' if reading.is_left_out else task
        things = reading.may_move(scene) or self._moved
        if things or not result or self._names_things(task):
            self._groups = [*self._groups, things][-MOST_GROUPS:]
        return ' '.join(map(sentence, reading.left_out)) if result else ''

    def _undone(self, undo: Remark, later: Amending, scene: Scene, run: Run) -> Reply:
        """Bring back what the last task moved, or the things that are named."""
        try:
            names = self.reader.is_there(
                undo.thing, '', scene, self._groups)[0] if undo.thing else ()
        except (NotUnderstood, Open, Unclear) as why:
            return Reply(f'I do not know what to put back: {why}')
        moved = self._moves.last(scene, names) if names or not undo.thing else {}
        if not moved:
            return Reply('I have moved nothing of that, so there is nothing to put back.'
                         if undo.thing else 'The last task moved nothing that is to be put back.'
                         if self._moves.tasks else 'There is nothing left to undo.')
        if len(names) > 1 and self._moves.count(names) > 1:
            return Reply('I can undo only one task at a time, the last one first: say "undo '
                         'that", or name one thing to put back.')
        task = task_back(moved, later.listed)
        noted = self._moves.tasks
        result = self._run(task, scene, run)
        self._moves.tasks = noted  # to undo is no order that is undone
        if result:
            self._moves.forget(moved, not undo.thing)
        return Reply(_told(task, '', result), result, task)

    def _later(self, scene: Scene) -> Amending:
        return self.reader.amending(scene, lambda task: self.read(task, scene), self._groups)

    def _names_things(self, task: str) -> bool:
        try:
            return bool(self.reader.mentions(task))
        except (NotUnderstood, Open):
            return True

    def _is_order(self, words: str, scene: Scene) -> bool:
        try:
            self.read(words, scene)
        except NotUnderstood:
            return False
        except (Open, Unclear):
            pass
        return True


def _first(remarks: Sequence[Remark], *kinds: RemarkKind) -> Remark | None:
    """The first remark of these kinds; one that says a place rather than one that does not."""
    found = [remark for remark in remarks if remark.kind in kinds]
    return min(found, key=lambda remark: not remark.place, default=None)


def _told(task: str, words: str, result: TaskResult) -> str:
    """How a task ended; what was understood first, if other words were said."""
    understood = '' if task == words else f'I understood: {task.rstrip(".")}. '
    return understood + outcome(result)
