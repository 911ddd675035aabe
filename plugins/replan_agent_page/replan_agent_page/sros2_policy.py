# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writes the SROS 2 policy of our nodes: what each may publish, hear, serve and call.

    python3 -m replan_agent_page.sros2_policy --namespace left > policy.xml

It starts the nodes and the page, and asks the graph for their names, so the file has what they
really use. What a node hears only later (its camera, the recorded joints) comes from its
parameters. Two more enclaves are for people: `operator` and `observer`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import fields
from xml.etree import ElementTree as ET

import rclpy
from rclpy.action import (
    ActionClient,
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_calibrate.camera_pose_node import CameraPoseNode
from replan_agent_sim.all_in_one import all_nodes
from replan_agent_sim.truth_topic import TRUTH

from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.arm.arm_interfaces import (
    NONE,
    ArmNames,
    CameraInterfaces,
    HandCameraInterfaces,
)
from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.nodes.starter_node import StarterNode
from replan_agent.ros.rclpy_tools.managed_node import ManagedNode
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent_page.serve.remote_agent import CLIENT, RemoteAgent

# What people may do. An operator decides; an observer watches, and may stop the arm.
STOP = ('stop',)
DECISIONS = ('approve_plan', 'give_hint', 'reset_stop', 'recover_error', 'home_gripper')
TASKS = ('execute_task',)
LIFECYCLE = ('change_state', 'get_state', 'get_available_states', 'get_available_transitions')
PARAMETERS = ('set_parameters', 'get_parameters', 'list_parameters', 'describe_parameters')
WATCHED = ('events', 'scene', 'markers', 'heartbeat', 'agent_node/plan', 'agent_node/question')
PER_ARM = ('/diagnostics', '/tf', '/tf_static', '/clock')  # a launch file may put them below it
SHARED = (*PER_ARM, '/rosout')
ROOT = '/replan_agent'
DOMAIN = 97  # of no robot
ENCLAVE_OF = {CLIENT: 'web'}  # others are named as their node
ACTION = '/_action/'
# Parameters that name topics which a node may hear from some later moment on.
LATER = tuple(field.name for names in (CameraInterfaces, HandCameraInterfaces)
              for field in fields(names) if field.type == 'str')
OF_ARM = ('joint_states', 'finger_states', 'external_torques')  # empty: the arm's own
FRAMES = ('/tf', '/tf_static')
# Any valid pose: camera_pose_node does not start without one.
SOMEWHERE = [Parameter('camera_calibration.frame_id', value='base'),
             Parameter('camera_calibration.qw', value=1.0)]
DISCOVERY_S = 30.0  # the graph learns of a node's names on a thread of its own
Rules = dict[tuple[str, str], set[str]]  # ('services', 'reply'): names


def secured_nodes(namespace: str = '', words: Sequence[str] = ()) -> list[Node]:
    """All nodes that the launch files start, and the page's; `words` are their ROS arguments."""
    given = {'namespace': namespace, 'cli_args': list(words)}
    page = rclpy.create_node(CLIENT, **given)
    client = RemoteAgent(node=page)
    client.camera.listen()
    client.hear_questions(lambda question: None)
    return [*all_nodes(**given), GuardNode(**given), StarterNode(**given),
            CameraPoseNode(parameter_overrides=SOMEWHERE, **given), page]


def policy(nodes: Sequence[Node], namespace: str = '') -> str:
    """The policy of these nodes, which run, and of the people in their namespace."""
    root = ET.Element('policy', version='0.2.0')
    enclaves = ET.SubElement(root, 'enclaves')
    asker = nodes[0]
    _await_names(asker, nodes)
    for node in nodes:
        _add(enclaves, node.get_name(), node.get_namespace(), _rules_of(asker, node))
    place = f'/{namespace}'.rstrip('/')
    watches = _with_own({*_in(place, WATCHED), *SHARED}, place)
    managed = [node.get_name() for node in nodes if isinstance(node, ManagedNode)]
    changes = {*_of_each(managed, LIFECYCLE), *_of_each((*managed, 'agent_node'), PARAMETERS)}
    own = {('topics', 'publish'): {'/rosout', '/parameter_events'},
           ('topics', 'subscribe'): watches}
    _add(enclaves, 'observer', place or '/', {**own, ('services', 'request'): _in(place, STOP)})
    _add(enclaves, 'operator', place or '/', {
        **own, ('services', 'request'): _in(place, (*STOP, *DECISIONS, *changes)),
        ('actions', 'call'): _in(place, TASKS)})
    ET.indent(root)
    return ET.tostring(root, encoding='unicode') + '\n'


def _of_each(nodes: Iterable[str], services: Sequence[str]) -> set[str]:
    return {f'{node}/{service}' for node in nodes for service in services}


def _with_own(topics: set[str], place: str) -> set[str]:
    """The topics, and those of one arm also below its namespace."""
    return topics | {f'{place}{topic}' for topic in topics if topic in PER_ARM}


def _in(place: str, names: Iterable[str]) -> set[str]:
    return {f'{place}/{name}' for name in names}


def _await_names(asker: Node, nodes: Sequence[Node]) -> None:
    """Wait until the graph knows all names that the nodes hold: a policy must miss none."""
    end = time.monotonic() + DISCOVERY_S
    while missing := {name for node in nodes for rule, names in _held(node).items()
                      for name in names - _in_graph(asker, node)[rule]}:
        if time.monotonic() > end:
            raise RuntimeError(f'the graph does not know {", ".join(sorted(missing))}, which '
                               'our nodes use')
        time.sleep(0.05)


def _held(node: Node) -> Rules:
    """What a node itself knows that it uses."""
    return {
        ('actions', 'call'): {node.resolve_service_name(each._action_name)
                              for each in node.waitables if isinstance(each, ActionClient)},
        ('services', 'reply'): {each.service_name for each in node.services},
        ('services', 'request'): {each.service_name for each in node.clients},
        ('topics', 'publish'): {each.topic_name for each in node.publishers},
        ('topics', 'subscribe'): {each.topic_name for each in node.subscriptions}}


def _in_graph(asker: Node, node: Node) -> Rules:
    who = node.get_name(), node.get_namespace()
    found = {
        ('actions', 'call'): get_action_client_names_and_types_by_node(asker, *who),
        ('actions', 'execute'): get_action_server_names_and_types_by_node(asker, *who),
        ('services', 'reply'): asker.get_service_names_and_types_by_node(*who),
        ('services', 'request'): asker.get_client_names_and_types_by_node(*who),
        ('topics', 'publish'): asker.get_publisher_names_and_types_by_node(*who),
        ('topics', 'subscribe'): asker.get_subscriber_names_and_types_by_node(*who)}
    return {rule: {name for name, _ in names} for rule, names in found.items()}


def _rules_of(asker: Node, node: Node) -> Rules:
    """What a node uses, as the graph knows it. An action is one entry, not its parts."""
    rules = _in_graph(asker, node)
    actions = rules['actions', 'call'] | rules['actions', 'execute']
    rules = {rule: {name for name in names if name.partition(ACTION)[0] not in actions
                    or rule[0] == 'actions'} for rule, names in rules.items()}
    rules['topics', 'subscribe'] |= _heard_later(node) - rules['topics', 'publish']
    place = node.get_namespace().rstrip('/')
    return {rule: _with_own(names, place) if rule[0] == 'topics' else names
            for rule, names in rules.items()}


def _heard_later(node: Node) -> set[str]:
    given = {name: str(node.get_parameter(name).value) for name in (*LATER, *OF_ARM, 'robot.model')
             if node.has_parameter(name)}
    topics = {given[name] for name in LATER if name in given}
    heard = {name: given[name] for name in OF_ARM if name in given}
    if heard:
        names = ArmNames(**heard).of(arm_named(given['robot.model']))
        topics |= {getattr(names, name) for name in heard} - {NONE}
    if node.get_name() == 'perception_node':
        topics |= {TRUTH, *FRAMES}
    return {node.resolve_topic_name(topic) for topic in topics if topic}


def _add(enclaves: ET.Element, name: str, namespace: str, rules: Rules) -> None:
    place = '/'.join(filter(None, (ROOT, namespace.strip('/'), ENCLAVE_OF.get(name, name))))
    enclave = ET.SubElement(enclaves, 'enclave', path=place)
    profiles = ET.SubElement(enclave, 'profiles')
    profile = ET.SubElement(profiles, 'profile', ns=namespace, node=name)
    for (kind, may), names in sorted(rules.items()):
        if names:
            group = ET.SubElement(profile, kind, {may: 'ALLOW'})
            for each in sorted(names):
                ET.SubElement(group, kind[:-1]).text = each


def main() -> None:
    parser = argparse.ArgumentParser(description='Prints the SROS 2 policy of our nodes.')
    parser.add_argument('--namespace', default='')
    parser.add_argument('--params-file', default='', help='as that of the nodes')
    given = parser.parse_args()
    # A whole second graph runs: it must not meet the one of a robot.
    os.environ.update(ROS_AUTOMATIC_DISCOVERY_RANGE='OFF', ROS_LOCALHOST_ONLY='1')
    rclpy.init(domain_id=DOMAIN)
    words = ['--ros-args', '--params-file', given.params_file] if given.params_file else []
    with Spinning(secured_nodes(given.namespace, words)) as spinning:
        print(policy(spinning.nodes, given.namespace), end='')
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
