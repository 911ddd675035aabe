"""The result of a task: what its episode knows at the end."""

from __future__ import annotations

from typing import Any

from replan_agent.domain.final_scene import final_scene
from replan_agent.domain.goal_words import goal_in_words, verdicts_in_words
from replan_agent.domain.task_result import FinalReason, TaskResult

from .episode import Ended, Episode

REMEDIES = {FinalReason.VLM_TRANSPORT: (
    'a model that answers at this address: `curl URL/models` shows it as JSON; or the planner '
    'search, which needs no model')}


def result_of(ep: Episode, end: Ended) -> TaskResult:
    """The result of a task that ended so."""
    return TaskResult(
        task=ep.task,
        success=end.success,
        final_reason=end.reason,
        final_detail=end.detail,
        replans=ep.replans,
        total_replans=ep.total_replans,
        steps=tuple(ep.steps),
        attempts=tuple(ep.attempts),
        plans=tuple(ep.plans),
        goals=ep.goals,
        goal_verified=ep.goal_verified,
        goals_named_by=ep.goals_named_by,
        why=why(ep, end),
        would_help=would_help(ep, end),
        planner=ep.ports.planner.name,
        perception=ep.ports.perception.name,
        api_calls=ep.api_calls,
        recaptures=ep.recaptures,
        timings=dict(ep.timings),
        reflections=tuple(ep.reflections),
        local=tuple(ep.local),
        suggested_plan=ep.suggested_plan,
        guidance=tuple(said.text for said in ep.guidance),
        hints=tuple(ep.hints),
        completed=tuple(ep.completed),
        undone=ep.undone,
        threshold=ep.threshold,
        approvals=tuple(ep.approvals),
        proofs=ep.guard.proofs,
        extra={**ep.facts, **_seen_at_the_end(ep)},
    )


def why(ep: Episode, end: Ended) -> str:
    """Why the task failed, for people; '' after a success."""
    if end.success:
        return ''
    if end.failure is None or not end.failure.reason_detail:
        return end.detail
    return ep.why_it_failed if end.failure is ep.failure else end.failure.reason_detail


def would_help(ep: Episode, end: Ended) -> str:
    """What would make the task possible; '' if that is not known."""
    diagnosis = end.failure.diagnosis if end.failure else None
    return diagnosis.remedy if diagnosis else REMEDIES.get(end.reason, '')


def _on_the_way(ep: Episode) -> list[str]:
    """A line for each goal that a later order ended: "first in the bowl, then in the bin"."""
    stages = ep.suggested_plan.stages() if ep.suggested_plan is not None else ()
    return [f'first, {goal_in_words(stage.goal)}: '
            f'{"seen so on the way" if stage.done else "not seen so"}'
            for stage in stages if stage.goal is not None and stage.goal not in ep.goals]


def _seen_at_the_end(ep: Episode) -> dict[str, Any]:
    """The last scene, what is held in it, and the goals in words if they were judged."""
    if ep.scene is None:
        return {}
    judged = ep.goals and ep.goal_verified is not None
    return {**({'held': ep.scene.held} if ep.scene.held else {}),
            **({'verdicts': [*_on_the_way(ep), *verdicts_in_words(ep.goals, ep.scene)]}
               if judged else {}),
            'final_scene': final_scene(ep.scene)}
