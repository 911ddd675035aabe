"""Our stand-ins for types of other packages are, on the wire, the types of those packages.

The hashes are those of the originals (control_msgs and tf2_msgs of ROS 2 Jazzy), built from their
sources. Where the real packages are installed, this tests them, and passes as well.
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
