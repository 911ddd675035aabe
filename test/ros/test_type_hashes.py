# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Our stand-ins for types of other packages are, on the wire, the types of those packages.

The hashes are those of the originals (control_msgs, controller_manager_msgs, franka_msgs and
tf2_msgs of ROS 2 Jazzy), built from their sources. Where the real packages are installed, this
tests them, and passes as well.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

PUBLISHED = {
    'control_msgs/action/FollowJointTrajectory':
        '738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6',
    'control_msgs/action/GripperCommand':
        'e17c0e644eccf14bea84a0a93e0977182872c2eb7873ca6694900059b46dbc84',
    'control_msgs/action/ParallelGripperCommand':
        'adfd3c1ebe8abc38ebcc0e454b6423d291d4010dd5697d14eca5b9be4726ae18',
    'control_msgs/msg/GripperCommand':
        '57eb8f326c9889ca8bb34ead82cc94cc09bf6bc5c3b6c09546dca3a00b589890',
    'control_msgs/msg/JointTolerance':
        'c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648',
    'control_msgs/msg/JointComponentTolerance':
        '739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4',
    'controller_manager_msgs/msg/ChainConnection':
        '2daecd1da4b171f48b291c79747657a651eb1ab8821b68e38b1c88c736bba91c',
    'controller_manager_msgs/msg/ControllerState':
        '9a8780ab9814b6032978a07c6c7033cf1a7894ac8d948a6fb72afea07b04cc83',
    'controller_manager_msgs/msg/HardwareComponentState':
        '8723f76b60e3ea54920065e3e777d93c68b76fc12839ad6a6ca4e0a6439b384c',
    'controller_manager_msgs/msg/HardwareInterface':
        'b4c556991db81ca56a49338b5e8f0675a6707faee54fba161d2bbd4d963d418a',
    'controller_manager_msgs/srv/ListHardwareComponents':
        '2ff105e609928671af16413362c0fdd089e1dd50c5a49d830db603ba8e4439c8',
    'controller_manager_msgs/srv/SetHardwareComponentState':
        '940b15846ed3e1fb561ab45edf77a992b811fd59c574f45d5205a84a0deb2f65',
    'controller_manager_msgs/srv/SwitchController':
        'd4ad10aa5da7808bc522d55d4123d8ef79de73d049d165639d7663ac37cc9895',
    'controller_manager_msgs/srv/ListControllers':
        '4f8e36bb1fa5afdeba45c2d56ae6a2097b1493a253f961dd6290c085033bd189',
    'franka_msgs/action/ErrorRecovery':
        '6c5dbf0517672f7127a92796e6a162d096e286c26f88c96177cb4c5448dfc5f5',
    'franka_msgs/action/Grasp':
        '8e8a4bb9d96564ae56fb2d47e932c65656316f5c10365958a26df3517a06bb92',
    'franka_msgs/action/Homing':
        '2156a4bd902561e59e6081ba94428daf9a453f960596f8b7ca12e8281e0caeeb',
    'franka_msgs/action/Move':
        'ff1f93537cae0ce92792433e368199606771ad62bb819d78078bfe37144d3ef1',
    'franka_msgs/msg/CollisionIndicators':
        '17d02113f0e8ec3768433baafd4f27fe5eaacf95d6c21f591bf3473e541e0840',
    'franka_msgs/msg/Elbow':
        'f54141b92a05447bfa2f993ac28c289b477358a3d543ad099e1a34c10d70d9bb',
    'franka_msgs/msg/Errors':
        'eaf7a9752f64efac239306101020545cebebff8b5130875d95bf0ed4d8bb774d',
    'franka_msgs/msg/FrankaRobotState':
        'fd225b337bab54d06047858c866442b98e3a882a4717cefc6ddd783fcbf17332',
    'franka_msgs/msg/GraspEpsilon':
        '387fda91ae7324c144958fa617e7d5dc21f99d6b054b141b073ead3d082f46d3',
    'tf2_msgs/msg/TFMessage':
        'e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087',
}


def described_hash(name: str) -> str:
    """The hash in the description that was generated with the type."""
    for prefix in os.environ['AMENT_PREFIX_PATH'].split(os.pathsep):
        file = Path(prefix, 'share', f'{name}.json')
        if file.is_file():
            hashes = json.loads(file.read_text('utf-8'))['type_hashes']
            return next(h['hash_string'] for h in hashes if h['type_name'] == name)
    pytest.skip(f'{name} has no type description: this ROS 2 is older than Jazzy')


@pytest.mark.parametrize('name', PUBLISHED)
def test_a_type_has_the_hash_of_the_original(name: str) -> None:
    assert described_hash(name) == f'RIHS01_{PUBLISHED[name]}'
