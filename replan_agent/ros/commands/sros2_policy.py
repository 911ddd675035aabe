"""Writes the SROS 2 policy of our nodes: what each may publish, hear, serve and call.

    python3 -m replan_agent.ros.commands.sros2_policy --namespace left > policy.xml

It starts the nodes and the page, and asks the graph for their names, so the file has what they
really use. What a node hears only later (its camera, the recorded joints) comes from its
parameters. Two more enclaves are for people: `operator` and `observer`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import fields
from xml.etree import ElementTree as ET

import rclpy
from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from replan_agent.ros.arm.arm_interfaces import (
    ArmNames,
    CameraInterfaces,
    HandCameraInterfaces,
)
from replan_agent.ros.commands.remote_agent import CLIENT, RemoteAgent
from replan_agent.ros.nodes.all_in_one import all_nodes
from replan_agent.ros.nodes.camera_pose_node import CameraPoseNode
from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.nodes.starter_node import StarterNode
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.sim.sim_names import TRUTH

# What people may do. An operator decides; an observer watches, and may stop the arm.
STOP = ('stop',)
DECISIONS = ('approve_plan', 'give_hint', 'reset_stop', 'recover_error', 'home_gripper')
TASKS = ('execute_task',)
WATCHED = ('events', 'scene', 'markers', 'heartbeat', 'agent_node/plan', 'agent_node/question')
SHARED = ('/diagnostics', '/tf', '/tf_static', '/rosout', '/clock')
ROOT = '/replan_agent'
ENCLAVE_OF = {CLIENT: 'web'}  # others are named as their node
ACTION = '/_action/'
# Parameters that name topics which a node may hear from some later moment on.
LATER = tuple(field.name for names in (ArmNames, CameraInterfaces, HandCameraInterfaces)
              for field in fields(names) if field.type == 'str' and '_action' not in field.name)
FRAMES = ('/tf', '/tf_static')
# Any valid pose: camera_pose_node does not start without one.
SOMEWHERE = [Parameter('camera_calibration.frame_id', value='base'),
             Parameter('camera_calibration.qw', value=1.0)]
Rules = dict[tuple[str, str], set[str]]  # ('services', 'reply'): names


def secured_nodes(namespace: str = '', words: Sequence[str] = ()) -> list[Node]:
    """All nodes that the launch files start, and the page's; `words` are their ROS arguments."""
    given = {'namespace': namespace, 'cli_args': list(words)}
    page = rclpy.create_node(CLIENT, **given)
    RemoteAgent(node=page).camera.listen()
    return [*all_nodes(**given), GuardNode(**given), StarterNode(**given),
            CameraPoseNode(parameter_overrides=SOMEWHERE, **given), page]


def policy(nodes: Sequence[Node], namespace: str = '') -> str:
    """The policy of these nodes, which run, and of the people in their namespace."""
    root = ET.Element('policy', version='0.2.0')
    enclaves = ET.SubElement(root, 'enclaves')
    asker = nodes[0]
    for node in nodes:
        _add(enclaves, node.get_name(), node.get_namespace(), _rules_of(asker, node))
    place = f'/{namespace}'.rstrip('/')
    watches = {f'{place}/{name}' for name in WATCHED} | set(SHARED)
    own = {('topics', 'publish'): {'/rosout', '/parameter_events'},
           ('topics', 'subscribe'): watches}
    _add(enclaves, 'observer', place or '/', {**own, ('services', 'request'): _in(place, STOP)})
    _add(enclaves, 'operator', place or '/', {
        **own, ('services', 'request'): _in(place, (*STOP, *DECISIONS)),
        ('actions', 'call'): _in(place, TASKS)})
    ET.indent(root)
    return ET.tostring(root, encoding='unicode') + '\n'


def _in(place: str, names: Iterable[str]) -> set[str]:
    return {f'{place}/{name}' for name in names}


def _rules_of(asker: Node, node: Node) -> Rules:
    """What a node uses, as the graph knows it. An action is one entry, not its parts."""
    who = node.get_name(), node.get_namespace()
    found = {
        ('actions', 'call'): get_action_client_names_and_types_by_node(asker, *who),
        ('actions', 'execute'): get_action_server_names_and_types_by_node(asker, *who),
        ('services', 'reply'): asker.get_service_names_and_types_by_node(*who),
        ('services', 'request'): asker.get_client_names_and_types_by_node(*who),
        ('topics', 'publish'): asker.get_publisher_names_and_types_by_node(*who),
        ('topics', 'subscribe'): asker.get_subscriber_names_and_types_by_node(*who)}
    rules = {rule: {name for name, _ in names} for rule, names in found.items()}
    actions = rules['actions', 'call'] | rules['actions', 'execute']
    rules = {rule: {name for name in names if name.partition(ACTION)[0] not in actions
                    or rule[0] == 'actions'} for rule, names in rules.items()}
    rules['topics', 'subscribe'] |= _heard_later(node) - rules['topics', 'publish']
    return rules


def _heard_later(node: Node) -> set[str]:
    topics = {str(node.get_parameter(name).value) for name in LATER if node.has_parameter(name)}
    if node.get_name() == 'perception_node':
        topics |= {TRUTH, *FRAMES}
    return {node.resolve_topic_name(topic) for topic in topics if topic}


def _add(enclaves: ET.Element, name: str, namespace: str, rules: Rules) -> None:
    enclave = ET.SubElement(enclaves, 'enclave', path=f'{ROOT}/{ENCLAVE_OF.get(name, name)}')
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
    rclpy.init()
    words = ['--ros-args', '--params-file', given.params_file] if given.params_file else []
    with Spinning(secured_nodes(given.namespace, words)) as spinning:
        print(policy(spinning.nodes, given.namespace), end='')
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
