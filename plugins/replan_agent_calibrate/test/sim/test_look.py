# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent look`: what is seen, in words and as a picture."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL
from replan_agent_calibrate.close_look import GUESSED, HANDS, SEEN

from replan_agent import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.main import main
from replan_agent.perceive.camera.annotate import SHADE

pytestmark = pytest.mark.gl


def test_looking_lists_what_the_camera_sees_and_draws_it(tmp_path, capsys):
    picture = tmp_path / 'seen' / 'look.png'
    assert main(['look', '--scene', 'tabletop', '--out', str(picture)]) == 0
    printed = capsys.readouterr().out
    assert 'camera perception' in printed and 'red_cube' in printed and 'bowl' in printed
    assert cv2.imread(str(picture)).shape == (960, 1280, 3)


def test_the_scene_can_be_had_as_json(tmp_path, capsys):
    assert main(['look', '--out', str(tmp_path / 'x.png'), '--json']) == 0
    scene = json.loads(capsys.readouterr().out)
    assert scene['perception'] == 'camera' and len(scene['objects']) == 7


def test_the_truth_can_be_drawn_too(tmp_path, capsys):
    out = str(tmp_path / 'x.png')
    assert main(['look', '--perception', 'ground_truth', '--out', out, '--json']) == 0
    assert json.loads(capsys.readouterr().out)['perception'] == 'ground_truth'


def test_a_closer_look_draws_cloud_pieces_and_grasps_of_one_thing(tmp_path):
    out = tmp_path / 'dog.png'
    assert main(['look', '--scene', 'kitchen', '--closer', 'orange_thing', '--out', str(out)]) == 0
    picture = cv2.imread(str(out)).astype(int)
    cloud, pieces, grasps = np.split(picture, 3, axis=1)
    drawn = [(np.abs(panel - colour).max(axis=2) < 8).sum() for panel, colour in (
        (cloud, SEEN[::-1]), (pieces, SEEN[::-1]), (pieces, GUESSED[::-1]),
        (grasps, HANDS[0][::-1]))]
    assert drawn[0] == 0 and all(count > 50 for count in drawn[1:])


def test_a_closer_look_at_what_is_not_there_names_what_is(tmp_path, capsys):
    assert main(['look', '--closer', 'hammer', '--out', str(tmp_path / 'x.png')]) == 2
    assert 'red_cube' in capsys.readouterr().err


def test_the_picture_for_a_model_shows_the_names_of_the_objects():
    with scripted_model() as server:
        config = load_config()
        config = replace(config, planner='vlm', vlm=replace(
            config.vlm, model=MODEL, base_url=server.base_url))
        sim = Simulation('tabletop', config=config)
        with sim:
            result = sim.run('look around')
        (url,) = [part['image_url']['url'] for message in server.requests[0]['messages']
                  if isinstance(message['content'], list) for part in message['content']
                  if part['type'] == 'image_url']
    assert result.success, result.final_detail
    sent = cv2.imdecode(np.frombuffer(base64.b64decode(url.split(',')[1]), np.uint8), 1)
    assert sent.shape == (960, 1280, 3)
    labels = np.all(sent == SHADE, axis=2)
    assert labels.sum() > 2000, 'the names stand on dark boxes'


def test_a_picture_of_an_unknown_kind_is_wrong_use(tmp_path, capsys):
    assert main(['look', '--out', str(tmp_path / 'look.txt')]) == 2
    assert '.png' in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_what_is_drawn_is_where_the_object_is(tmp_path):
    """The outline around the red cube is drawn over and beside its pixels."""
    assert main(['look', '--scene', 'far_cube', '--out', str(tmp_path / 'x.png')]) == 0
    blue, green, red = (c.astype(int) for c in cv2.split(cv2.imread(str(tmp_path / 'x.png'))))
    drawn, cube = (red > 200) & (green < 60) & (blue > 150), (red > 120) & (green < 60) & (
        blue < 60)
    rows, columns = drawn.nonzero()
    assert rows.min() - 4 <= cube.nonzero()[0].min() and cube.nonzero()[0].max() <= rows.max() + 4
    assert columns.min() - 4 <= cube.nonzero()[1].min()
    assert cube.nonzero()[1].max() <= columns.max() + 4
