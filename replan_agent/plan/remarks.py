"""What the planner says beside its steps: why a task is refused, and what else is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Predicate, judge, resting_on
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.text import shown

from .actions import REPLAN, Action, look_for, numbered
from .language.phrases import Command
from .language.spelling import is_foreign, respelled, suggestion
from .language.wording.asks_nothing import asks_for_nothing
from .meaning.meaning import Meaning
from .meaning.not_seen import sentence
from .meaning.orders import Order
from .meaning.referents import candidates
from .meaning.unclear import Unclear
from .order_actions import Reading

MANNER = ('slowly', 'slow', 'gently', 'carefully', 'quickly', 'fast')


def refused(why: Unclear, request: PlanRequest) -> PlanReply:
    """The reply to words that cannot be read; with a spelling mistake they are the problem."""
    asks = suggestion(request.task, request.scene)
    return PlanReply(ReplyKind.FAILED, detail=f'{why}; {asks}' if asks else str(why),
                     reason=Reason.AMBIGUOUS_OBJECT if asks else why.reason,
                     cause=Cause.UNCLEAR_WORDS if asks else why.cause)


def begun(reading: Reading, actions: Sequence[Action], request: PlanRequest) -> PlanReply:
    """The steps of what can be done now, with another look after them. It names no goal yet."""
    assert reading.refusal is not None
    steps = numbered(actions, request.scene, request.skills)
    if not steps:
        return refused(reading.refusal, request)
    if reading.not_seen and _calls(steps) == _calls(
            [done.step for done in request.completed[-len(steps):]]):
        return _did_not_last(reading, request)
    missing = sentence(reading.not_seen) if reading.not_seen else ''
    if not actions[-1].is_replan:
        actions = (*actions, look_for(missing) if missing else REPLAN)
    also = also_moved(actions, reading.orders, request.scene) if request.previous is None else ()
    said = (f'{missing}: this plan is for the others, then it looks again',) if missing else ()
    return PlanReply(ReplyKind.STEPS, numbered(actions, request.scene, request.skills),
                     warnings=(*also, *said), goals_certain=False)


def _calls(steps: Sequence[Step]) -> list[str]:
    return [step.call for step in steps]


def _did_not_last(reading: Reading, request: PlanRequest) -> PlanReply:
    """The refusal if the steps for what is seen were just done: once more would not help."""
    assert reading.refusal is not None
    unmet = [str(goal) for order in reading.orders for goal in order.goals
             if judge(goal, request.scene) is not True]
    reply = refused(reading.refusal, request)
    return replace(reply, detail='the same steps were just done, and the scene does not show '
                                 f'{", ".join(unmet)}; also, {reply.detail}')


def told_plainly(reply: PlanReply, request: PlanRequest) -> PlanReply:
    """The reply; a refusal says so if the task is in another language or asks for nothing."""
    if reply.kind not in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED) or reply.goals:
        return reply
    if asks_for_nothing(request.task):
        return PlanReply(ReplyKind.GIVE_UP, detail=f'{shown(request.task)} asks for no movement, '
                         'so nothing is done and nothing moves')
    if is_foreign(request.task, request.scene):
        return PlanReply(ReplyKind.UNRECOGNIZED, detail=f'did not understand '
                         f'{shown(request.task)}: the built-in planners read English only; a '
                         'model may know this language (--planner vlm)')
    return reply


def with_example(why: Exception, like: str) -> str:
    """Why the task is refused, and a similar sentence that works here."""
    return f'{why}; a similar sentence that works here: "{like}"' if like else str(why)


def with_spelling(why: Exception | str, request: PlanRequest) -> str:
    """Why the task is refused, and what its unknown words may be meant to be."""
    asks = suggestion(request.task, request.scene)
    return f'{why}; {asks}' if asks else str(why)


def also_moved(actions: Sequence[Action], orders: Sequence[Order], scene: Scene
                ) -> tuple[str, ...]:
    """A remark about each object that is moved although no goal is about it."""
    meant = {p.object for o in orders for g in o.goals for p in g.named(scene)} | {
        o.movement.thing for o in orders if o.movement is not None} | {scene.held}
    meant |= {inside.name for o in orders for g in o.goals if g.predicate is Predicate.CLEAR
              and (below := scene.get(g.object or '')) for inside in resting_on(below, scene)}
    found: dict[str, str] = {}
    for number, action in enumerate(actions):
        if action.kind is EffectKind.TAKE and action.thing and action.thing not in meant:
            later = next((a.thing for a in actions[number:] if a.thing in meant), None)
            found.setdefault(action.thing, later or 'the others')
    return tuple(f'{name} is moved too: it is in the way of {other}'
                 for name, other in found.items())


def check_condition(command: Command, meaning: Meaning) -> None:
    """Raises Unclear for a condition with a typing mistake: "if there is a rde cube"."""
    if command.condition is not None and not candidates(command.condition,
                                                        meaning.context):
        asks = suggestion(command.condition.text, meaning.scene)
        if asks:
            raise Unclear(Reason.OBJECT_NOT_FOUND, f'nothing here is {command.condition.text!r}')


def check_left_alone(order: Order, left_alone: frozenset[str], scene: Scene) -> None:
    both = sorted(order.moved(scene) & left_alone)
    if both:
        raise Unclear(Reason.BAD_ARGUMENTS, f'{", ".join(both)} should stay where it is, and '
                      'should be moved: which one counts?')


def check_replaced(meaning: Meaning, orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if something should go where another thing is that nobody moves."""
    moved = set().union(*(order.moved(scene) for order in orders))
    for name, other in meaning.replaced.items():
        if other not in moved:
            raise Unclear(Reason.TARGET_OCCUPIED, f'{other} is where {name} should go: where '
                          f'should {other} go? For example "swap the {name} and the {other}"')


def ignored_manner(request: PlanRequest) -> tuple[str, ...]:
    """A warning, with the first plan, about words that say how to move: they change nothing."""
    said = [word for word in MANNER if word in request.task.lower().split()]
    if not said or request.previous is not None:
        return ()
    return (f'{", ".join(said)}: the words of a task do not change the speed; answer the '
            'approver with "slower", or lower motion.max_velocity_scaling_factor',)


def left_out(remarks: Sequence[str], missing: Sequence[str]) -> tuple[str, ...]:
    """A warning about each part of the task that is read as a remark, or fits nothing here."""
    return (*(f'not read as a command: {remark!r}' for remark in remarks),
            *(f'nothing here matches {text!r}: there is nothing to do about it'
              for text in missing))


def corrected(request: PlanRequest) -> tuple[str, ...]:
    """A warning, with the first plan, if the task is read with a typing mistake corrected."""
    read_as = respelled(request.task, request.scene)
    if read_as == request.task or request.previous is not None:
        return ()
    return (f'a typing mistake is corrected; the task is read as {read_as!r}',)
