"""MoveIt's parameters and names, without MoveIt and without ROS."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from replan_agent_moveit.moveit_arm import arm_names
from replan_agent_moveit.moveit_config import configuration, for_moveit_py
from replan_agent_moveit.moveit_settings import MoveItSettings

from replan_agent.arms.franka import FR3, PANDA
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context

BOTH = ('ompl', 'pilz_industrial_motion_planner')


def urdf(prefix: str, *parts: str) -> str:
    names = [f'link{k}' for k in range(9)] + ['hand', 'leftfinger', 'rightfinger', *parts]
    return '<robot name="x">' + ''.join(
        f'<link name="{prefix}_{name}"><collision/></link>' for name in names) + '</robot>'


def described(**more: object) -> dict[str, object]:
    return {'robot_description': urdf('panda'), 'robot_description_semantic': '<robot/>', **more}


def test_both_pipelines_check_what_they_find_whatever_is_configured() -> None:
    config = for_moveit_py(described(**{'ompl.response_adapters': [
        'default_planning_response_adapters/AddTimeOptimalParameterization']}))
    for name in BOTH:
        before, after = (config[f'{name}.{kind}_adapters'] for kind in ('request', 'response'))
        assert 'default_planning_response_adapters/ValidateSolution' in after
        assert not any('TimeOptimal' in one for one in after), 'it cuts corners'
        assert 'default_planning_request_adapters/CheckStartStateCollision' in before


def test_no_list_is_shared_because_yaml_would_write_an_alias() -> None:
    assert '*id' not in yaml.dump(for_moveit_py(described()))


def test_the_pipeline_without_a_name_is_ompls() -> None:
    config = for_moveit_py(described(**{
        'move_group.planning_plugins': ['mine'], 'move_group.planner_configs.RRT.range': 0.2,
        'planning_pipelines': ['move_group']}))
    assert config['ompl.planning_plugins'] == ['mine'], 'what is configured stays'
    assert config['ompl.planner_configs.RRT.range'] == 0.2
    assert config['planning_pipelines.pipeline_names'] == list(BOTH)
    assert not any(name.startswith('move_group.') for name in config)


def test_what_a_node_declares_itself_or_has_no_value_is_left_out() -> None:
    config = for_moveit_py(described(**{'start_type_description_service': True, 'empty': [],
                                        'unset': None, 'qos_overrides./tf.depth': 1}))
    assert not {'start_type_description_service', 'empty', 'unset',
                'qos_overrides./tf.depth', 'planning_pipelines'} & set(config)
    with pytest.raises(ConfigError, match='robot_description_semantic'):
        for_moveit_py({'robot_description': '<robot/>'})


def test_a_parameter_file_gives_the_same_as_the_node(tmp_path: Path) -> None:
    nested = {'robot_description': urdf('panda'), 'robot_description_semantic': '<robot/>',
              'ompl': {'panda_arm': {'projection_evaluator': 'joints(panda_joint1)'}}}
    file = tmp_path / 'move_group.yaml'
    file.write_text(yaml.dump({'/move_group': {'ros__parameters': nested}}))
    config = configuration(MoveItSettings(parameters_file=str(file)))(Context())
    assert config['ompl.panda_arm.projection_evaluator'] == 'joints(panda_joint1)'
    file.write_text('[]')
    with pytest.raises(ConfigError, match='ros__parameters'):
        configuration(MoveItSettings(parameters_file=str(file)))(Context())


@pytest.mark.parametrize(('model', 'prefix'), [('panda', 'panda'), ('panda', 'fer'),
                                               ('fr3', 'fr3')])
def test_the_arm_is_found_under_the_names_of_its_description(model: str, prefix: str) -> None:
    names = arm_names({'robot_description': urdf(prefix)}, arm_named(model), MoveItSettings())
    assert (names.group, names.tip, names.base) == (
        f'{prefix}_arm', f'{prefix}_hand', f'{prefix}_link0')
    assert names.of_part(f'{model}_link5') == (f'{prefix}_link5',)
    assert f'{prefix}_leftfinger' in names.of_part('gripper')
    assert names.of_part('cube') == ()


def test_an_unknown_link_or_arm_is_named_with_the_choices() -> None:
    described_arm = {'robot_description': urdf('panda')}
    with pytest.raises(ConfigError, match=r"tip_link: .*no link 'tool'; it has: .*panda_hand"):
        arm_names(described_arm, PANDA, MoveItSettings(tip_link='tool'))
    with pytest.raises(ConfigError, match='fr3_link0'):
        arm_names(described_arm, FR3, MoveItSettings())
    with pytest.raises(ConfigError, match='not XML'):
        arm_names({'robot_description': 'no'}, PANDA, MoveItSettings())
