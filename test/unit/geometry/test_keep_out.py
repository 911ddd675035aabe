# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keep-out zones from settings."""

from __future__ import annotations

import pytest

from replan_agent.domain.config import ApprovalConfig, ConfigError, WorkspaceConfig, build
from replan_agent.geometry.keep_out import keep_out_zones, person_areas


def test_a_zone_is_an_obstacle_with_its_centre_and_full_size():
    workspace = build(WorkspaceConfig, {'keep_out': ['screen 0.3 -0.5 0.2 0.1 0.4 0.4']}, 'file')
    zone, = keep_out_zones(workspace)
    assert zone.name == 'keep-out screen' and not zone.movable
    assert (zone.position, zone.size) == ((0.3, -0.5, 0.2), (0.1, 0.4, 0.4))


@pytest.mark.parametrize('text', ['', 'screen', 'screen 1 2 3', 'screen a b c d e f',
                                  'screen 0 0 0 1 1 -1', 'screen nan 0 0 1 1 1'])
def test_a_wrong_zone_is_named_with_how_it_should_be(text):
    with pytest.raises(ConfigError, match='size_x size_y size_z'):
        keep_out_zones(WorkspaceConfig(keep_out=(text,)))


def test_a_persons_area_is_written_like_a_zone():
    area, = person_areas(ApprovalConfig(person_areas=('desk 0.3 -0.5 0.2 0.1 0.4 0.4',)))
    assert (area.name, area.position) == ('person area desk', (0.3, -0.5, 0.2))
    with pytest.raises(ConfigError, match='approval: person_areas'):
        person_areas(ApprovalConfig(person_areas=('desk',)))


def test_zones_that_are_not_texts_are_refused():
    with pytest.raises(ConfigError, match='keep_out'):
        build(WorkspaceConfig, {'keep_out': [1.0]}, 'file')
