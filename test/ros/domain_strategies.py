"""Domain values of every sort, for property tests."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from replan_agent.domain.failure import Attempt, AttemptStage, Category, Diagnosis, Kind, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.ik import IKReport, Reachability
from replan_agent.domain.outcome import FinalReason, StepRecord, TaskResult
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, SkillSpec

# What a ROS string holds: Unicode without surrogates; a NUL would end it in C.
text = st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), max_size=12)
name = text.filter(bool)
integer = st.integers(-2**31, 2**31 - 1)
count = st.integers(0, 2**31 - 1)
number = st.floats(allow_nan=False)
finite = st.floats(-1e6, 1e6)
extent = st.floats(0, 1e3)
# Times that a Time message holds exactly, in a double: whole microseconds of some weeks.
time = st.integers(0, 4_000_000_000_000).map(lambda us: us / 1e6)
json_map: st.SearchStrategy[dict[str, Any]] = st.dictionaries(text, st.recursive(
    st.none() | st.booleans() | integer | finite | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5), max_size=3)


def several(strategy: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=most).map(tuple)


def _unit(values: tuple[float, ...]) -> tuple[float, ...]:
    norm = math.hypot(*values)
    return tuple(v / norm for v in values) if norm > 1e-3 else (1.0, 0.0, 0.0, 0.0)


quaternion = st.tuples(*[st.floats(-1, 1)] * 4).map(_unit)
pose = st.builds(Pose, st.tuples(finite, finite, finite), quaternion)
scene_object = st.builds(
    SceneObject, name, st.sampled_from(Shape), st.tuples(extent, extent, extent), pose, text,
    st.booleans(), st.floats(0, 1), time)
arm = st.builds(ArmSnapshot, several(finite, 9), pose, extent, st.booleans())
scene = st.builds(
    Scene, text, time,
    st.lists(scene_object, max_size=3, unique_by=lambda thing: thing.name).map(tuple), text,
    st.none() | arm, st.none() | name, text, st.booleans(), several(text))
goal = st.builds(Goal, st.sampled_from(Predicate), st.none() | name, st.none() | name,
                 st.none() | st.tuples(finite, finite))
step = st.builds(Step, integer, name, json_map, text, text)
plan = st.builds(Plan, count, text, several(step), several(goal), st.sampled_from(PlanCause),
                 st.none() | st.integers(1, 2**31 - 1), text, text)
ik = st.builds(IKReport, st.booleans(), integer, number, number, number, number, pose, text,
               several(finite, 9), st.none() | name, st.sampled_from(Reachability),
               st.none() | number, text, text)
diagnosis = st.builds(Diagnosis, st.sampled_from(Severity), st.sampled_from(Category),
                      st.sampled_from(Kind))
attempt = st.builds(Attempt, integer, text, json_map, text, text, st.sampled_from(AttemptStage),
                    integer, st.none() | ik, st.none() | diagnosis, json_map)
ternary = st.none() | st.booleans()
spec = st.builds(SkillSpec, text, text, json_map, several(text), ternary, ternary, text)
success = st.builds(SkillResult, st.just(True), st.none(), text, st.none(), st.none() | ik,
                    json_map)
failure = st.builds(SkillResult, st.just(False), st.sampled_from(Reason), name,
                    st.none() | st.sampled_from(FailedStage), st.none() | ik, json_map)
result = success | failure
record = st.builds(StepRecord, integer, integer, step, result, extent, integer)
request = st.builds(PlanRequest, text, scene, several(spec, 2), several(attempt, 2),
                    several(text), count, json_map)
reply = st.builds(PlanReply, st.sampled_from(ReplyKind), several(step), several(goal),
                  st.none() | st.sampled_from(Reason), text, count)
task_result = st.builds(
    TaskResult, text, st.booleans(), st.sampled_from(FinalReason), text, count, count,
    several(record, 2), several(attempt, 2), several(plan, 2), several(goal), ternary, text,
    text, count, count, st.dictionaries(text, extent, max_size=3), json_map)
