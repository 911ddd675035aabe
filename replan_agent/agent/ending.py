"""The result of a task: what its episode knows at the end."""

from __future__ import annotations

from typing import Any

from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.task_result import TaskResult
from replan_agent.geometry.goal_words import (
    goal_in_words,
    goals_in_words,
    sentence,
    verdicts_in_words,
)
from replan_agent.geometry.judging import support_below

from .episode import Ended, Episode
from .state.budgets import CALLS, REPLANS, TOTAL_REPLANS
from .state.task_goals import TaskGoals
from .verdict import verdict


def result_of(ep: Episode, end: Ended) -> TaskResult:
    """The result of a task that ended so."""
    told = verdict(ep, end)
    return TaskResult(
        task=ep.task,
        success=end.success,
        final_reason=end.reason,
        final_detail=end.detail,
        replans=ep.budgets.spent[REPLANS],
        total_replans=ep.budgets.spent[TOTAL_REPLANS],
        steps=tuple(ep.plans.executed),
        attempts=tuple(ep.failures.attempts),
        plans=tuple(ep.plans.all),
        goals=ep.goals.all,
        goal_verified=ep.goals.verified,
        goals_named_by=ep.goals.named_by(ep.ports.planner.name),
        why=told.why,
        would_help=told.would_help,
        planner=ep.ports.planner.name,
        perception=ep.ports.perception.name,
        api_calls=ep.budgets.spent[CALLS],
        recaptures=ep.sight.recaptures,
        timings=dict(ep.budgets.timings),
        reflections=tuple(ep.failures.reflections),
        local=tuple(ep.failures.local),
        suggested_plan=ep.goals.suggested,
        guidance=tuple(said.text for said in ep.plans.guidance),
        hints=tuple(ep.approvals.hints),
        completed=tuple(ep.plans.completed),
        undone=ep.plans.undone,
        threshold=ep.approvals.threshold,
        denied=ep.approvals.denied,
        approvals=tuple(ep.approvals.decided),
        proofs=tuple(ep.failures.proofs),
        extra={**ep.facts, **({'understood': sentence(goals_in_words(ep.goals.all))}
                              if ep.goals.all else {}),
               **({'causes': list(told.causes)} if told.causes else {}), **_seen_at_the_end(ep)},
    )


def _on_the_way(goals: TaskGoals) -> list[str]:
    """A line for each goal that a later order ended: "first in the bowl, then in the bin"."""
    stages = goals.suggested.stages() if goals.suggested is not None else ()
    return [f'first, {goal_in_words(stage.goal)}: '
            f'{"seen so on the way" if stage.done else "not seen so"}'
            for stage in stages if stage.goal is not None and stage.goal not in goals.all]


def _seen_at_the_end(ep: Episode) -> dict[str, Any]:
    """The last scene, what is held in it, and the goals in words if they were judged."""
    scene, goals = ep.sight.latest, ep.goals
    if scene is None:
        return {}
    judged = goals.all and goals.verified is not None
    return {**({'held': scene.held} if scene.held else {}),
            **({'verdicts': [*_on_the_way(goals), *verdicts_in_words(goals.all, scene)]}
               if judged else {}),
            'final_scene': final_scene(scene)}


def final_scene(scene: Scene) -> list[dict[str, Any]]:
    """Each thing: its name, kind and colour, where it is (m, base frame), and on or in what."""
    return [{'name': thing.name, 'kind': thing.shape.value, 'colour': thing.colour,
             'position': [round(v, 4) for v in thing.position],
             'yaw': round(thing.pose.yaw, 3), **_support(thing, scene)}
            for thing in scene.objects]


def _support(thing: SceneObject, scene: Scene) -> dict[str, str]:
    if scene.held == thing.name:
        return {'in': 'gripper'}
    below = support_below(thing, scene)
    if below is None or not (below.is_container or thing.movable):
        return {}
    return {'in' if below.is_container else 'on': below.name}
