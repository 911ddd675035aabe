# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads a task in the scene of a file: what it means there needs no world."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import GROUND_TRUTH, Scene
from replan_agent.plan.search.search import Search
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.robot.mujoco.scene.placement import place, table_of, thing_at
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

from ..build.build_reader import build_reader
from ..build.skill_set import skill_set


def first_request(task: str, spec: SceneSpec, seed: int, config: Config) -> PlanRequest:
    """The request for the first plan, in the scene as its file says it is."""
    things = (thing_at(placed) for placed in place(spec, seed) if not placed.spec.unseen)
    robot = config.robot
    scene = Scene(spec.name, 0.0, (table_of(spec), *things), GROUND_TRUTH, None,
                  hand=arm_named(robot.model).hand)
    return PlanRequest(task, scene, skill_set(config.skills, simulated=True, arm=robot.model,
                                              eye_in_hand=robot.eye_in_hand).specs())


def first_reading(request: PlanRequest, config: Config) -> PlanReply:
    """The goals of the task, or why there are none. Only movements without a goal have steps."""
    reply = SearchPlanner(build_reader(config.viewpoint)).plan(request, Context(), only_read=True)
    if not reply.steps:
        return reply
    from ..build.build_planner import build_check
    plan = Plan(1, request.task, reply.steps, (), PlanCause.INITIAL, None, '', 'search')
    wrong = build_check(config)(plan, request.scene, request.skills)
    return replace(reply, kind=ReplyKind.FAILED, steps=(), reason=wrong[0].reason,
                   detail='; '.join(problem.detail for problem in wrong)) if wrong else reply


def other_readings(request: PlanRequest, config: Config) -> tuple[str, ...]:
    """What the task may mean, if it leaves a question open: sentences that say it."""
    reader = build_reader(config.viewpoint)
    planner, search = SearchPlanner(reader), Search(request.skills)
    return reader.amending(request.scene, lambda task: planner.read(
        replace(request, task=task), search)).choices(request.task)
