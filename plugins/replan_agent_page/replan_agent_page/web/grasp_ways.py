# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The grasps that a thing offers, and which of them was taken: to be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.execute.grasping import describe_grasp
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.record.run_json import OTHER_VERSION

MOST_WAYS = 40  # that differ
GRASP = 'grasp'  # in the evidence of a step that took something
Json = Mapping[str, Any]


def ways_to(thing: SceneObject, scene: Scene, hand: HandShape, taken: Any) -> list[Json]:
    """Each way that is told differently once: its pose (m, base frame), opening, and if taken."""
    ways: dict[str, Json] = {}
    for grasp in AnyGrasps(hand).candidates(thing, scene):
        told = describe_grasp(grasp, thing)
        ways.setdefault(str(told), {
            'at': [*grasp.tcp.position, *grasp.tcp.quaternion], 'opening': grasp.opening,
            'label': grasp.label, 'taken': told == taken})
    return sorted(ways.values(), key=lambda way: not way['taken'])[:MOST_WAYS]


def grasps_before(events: Sequence[Json], count: int) -> list[Json]:
    """The ways to take the thing of the last step that took one, or tried to, until then."""
    try:
        return next(_grasps(events, count), [])
    except OTHER_VERSION:
        return []


def _grasps(events: Sequence[Json], count: int) -> Iterator[list[Json]]:
    facts: Json = next((e['facts'] for e in events if 'facts' in e), {})
    arm = facts.get('arm_model') or DEFAULT_ARM
    for k in range(min(count, len(events)) - 1, -1, -1):
        if events[k]['event'] != 'step_started':
            continue
        step = events[k]['step']
        ended = next((e for e in events[k:] if e['event'] == 'step_finished'
                      and e['step'] == step), None)
        evidence = ended['result']['evidence'] if ended else {}
        seen = next((e for e in reversed(events[:k]) if e['event'] == 'scene_perceived'), None)
        if seen and {GRASP, 'tried'} & set(evidence):
            scene = Scene.from_dict(seen['scene'])
            thing = scene.get(str(step['args'].get('object')))
            if thing is not None:
                yield ways_to(thing, scene, arm_named(str(arm)).hand, evidence.get(GRASP))
