"""Writes the SROS 2 policy of our nodes: what each may publish, hear, serve and call.

    python3 -m replan_agent.ros.commands.sros2_policy --namespace left > policy.xml

It starts the nodes of the simulation and asks the graph for their names, so the file has what they
really use. Two more enclaves are for people: `operator` and `observer`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

import rclpy
from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node

# What people may do. An operator decides; an observer watches, and may stop the arm.
STOP = ('stop',)
DECISIONS = ('approve_plan', 'give_hint', 'reset_stop', 'recover_error', 'home_gripper')
TASKS = ('execute_task',)
WATCHED = ('events', 'scene', 'markers', 'heartbeat', 'agent_node/plan', 'agent_node/question')
SHARED = ('/diagnostics', '/tf', '/tf_static', '/rosout', '/clock')
ROOT = '/replan_agent'
ACTION = '/_action/'
Rules = dict[tuple[str, str], set[str]]  # ('services', 'reply'): names


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
    return {rule: {name for name, _ in names if ACTION not in name}
            for rule, names in found.items()}


def _add(enclaves: ET.Element, name: str, namespace: str, rules: Rules) -> None:
    enclave = ET.SubElement(enclaves, 'enclave', path=f'{ROOT}/{name}')
    profiles = ET.SubElement(enclave, 'profiles')
    profile = ET.SubElement(profiles, 'profile', ns=namespace, node=name)
    for (kind, may), names in sorted(rules.items()):
        if names:
            group = ET.SubElement(profile, kind, {may: 'ALLOW'})
            for each in sorted(names):
                ET.SubElement(group, kind[:-1]).text = each


def main() -> None:
    from replan_agent.ros.nodes.all_in_one import all_nodes
    from replan_agent.ros.rclpy_tools.node_process import Spinning

    parser = argparse.ArgumentParser(description='Prints the SROS 2 policy of our nodes.')
    parser.add_argument('--namespace', default='')
    parser.add_argument('--params-file', default='', help='as that of the nodes')
    given = parser.parse_args()
    rclpy.init()
    words = ['--ros-args', '--params-file', given.params_file] if given.params_file else []
    with Spinning(all_nodes(namespace=given.namespace, cli_args=words)) as spinning:
        print(policy(spinning.nodes, given.namespace), end='')
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
