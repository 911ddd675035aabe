"""Nodes of arm and camera are configured and activated; nothing moves while one is missing.

A task under a starter is in test_guard.py.
"""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import State
from rig import overrides, until

from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.sim_node import SimNode
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.nodes.starter_node import Managed, StarterNode
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy

PATIENT = {'alive_timeout': 20.0, 'check_period': 0.1}


def made(*kinds: Any, namespace: str, **parameters: Any) -> list[Any]:
    given = overrides(**{'autostart': False, 'use_sim_time': True, **PATIENT, **parameters})
    return [kind(parameter_overrides=given, namespace=namespace) for kind in kinds]


def state(node: Any) -> int:
    return int(node._state_machine.current_state[0])


def test_an_arm_without_a_driver_is_not_configured(ros: Any) -> None:
    (node,) = made(SkillNode, namespace='armless')
    with Spinning([node]):
        node.trigger_configure()
        assert state(node) == State.PRIMARY_STATE_UNCONFIGURED
        assert 'skill_node is not active' in node._refusal()


def test_skill_node_is_deactivated_while_the_guard_is_not_active(ros: Any) -> None:
    nodes = made(SimNode, PerceptionNode, SkillNode, GuardNode, StarterNode, namespace='unguarded')
    skills, starter = nodes[2], nodes[-1]
    guard = starter._managed[0]
    with Spinning(nodes):
        until(lambda: not skills.inactive)
        guard.activated = lambda state: False
        until(lambda: skills.inactive)
        assert 'skill_node is not active' in skills._refusal()
        del guard.activated
        until(lambda: not skills.inactive)


def test_the_starter_leaves_a_node_inactive_that_a_person_deactivated(ros: Any) -> None:
    node, changes = ros.create_node('starter', namespace='by_hand'), []
    managed = Managed(node, 'skill_node', 1.0)
    managed.change = lambda transition: bool(changes.append(transition)) or True
    assert managed.activated(State.PRIMARY_STATE_UNCONFIGURED)
    assert managed.activated(State.PRIMARY_STATE_ACTIVE)
    changes.clear()
    assert not managed.activated(State.PRIMARY_STATE_INACTIVE) and changes == []
    managed.deactivate()
    assert managed.activated(State.PRIMARY_STATE_INACTIVE), 'the starter did it'
    destroy(node)
