# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A small arm of boxes that is called over ROS as config/arms/ur5e.yaml says."""

from __future__ import annotations

from pathlib import Path

import yaml
from small_arms import LINKED, linkage, six_joints
from ur_stand_in import JOINTS

UR5E = Path(__file__).resolve().parents[4] / 'config' / 'arms' / 'ur5e.yaml'


def small_ur(folder: Path) -> Path:
    """The file of the arm, written there with its models."""
    names = yaml.safe_load(UR5E.read_text('utf-8'))['ros']
    # ur_dashboard_msgs is in no registry that a test reaches: the same numbers in a type that is.
    names['safety'] = {**names['safety'], 'type': 'std_msgs/Int8', 'field': 'data'}
    said = {**yaml.safe_load(LINKED), 'ros': {**names, 'joints': list(JOINTS)}}
    (folder / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (folder / 'hand.xml').write_text(linkage(), 'utf-8')
    (folder / 'small_ur.yaml').write_text(yaml.safe_dump(said), 'utf-8')
    return folder / 'small_ur.yaml'
