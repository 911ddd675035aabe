# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model file on this machine: what is refused before it is loaded."""

from __future__ import annotations

import shlex
import socket
import sys
import threading
from pathlib import Path

import pytest
from replan_agent_bench.bench_commands import add_commands
from replan_agent_bench.local_server import LocalModel, about, physical_cores, use

from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.app.cli.main import parser as command_line
from replan_agent.domain.config import ConfigError


@pytest.fixture
def weights(tmp_path) -> Path:
    """A file that begins like a model."""
    file = tmp_path / 'my model.gguf'
    file.write_bytes(b'GGUF\x03\x00\x00\x00')
    return file


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, capsys, weights):
    monkeypatch.setitem(sys.modules, 'xllamacpp', None)
    assert main(['local-model', str(weights)], [add_commands]) == WRONG_USE
    assert "pip install 'replan_agent_bench[local]'" in capsys.readouterr().err


def test_a_port_that_cannot_be_is_refused(capsys):
    with pytest.raises(SystemExit, match=str(WRONG_USE)):
        main(['local-model', '--port', '99999'], [add_commands])
    assert '--port: 99999 is not a port' in capsys.readouterr().err


def test_a_file_that_is_missing_or_is_no_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r'none\.gguf.*No such file'):
        LocalModel(tmp_path / 'none.gguf', 0, 1, 0).check()
    other = tmp_path / 'weights.safetensors'
    other.write_bytes(b'not weights')
    with pytest.raises(ConfigError, match='not a GGUF file'):
        LocalModel(other, 0, 1, 0).check()


def test_a_port_that_is_taken_is_refused_before_the_model_is_loaded(weights):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f'port {port}: .*in use; --port'):
            LocalModel(weights, port, 1, 0).check()
    LocalModel(weights, port, 1, 0).check()


def test_the_command_that_is_shown_can_be_run_as_it_is(weights):
    words = shlex.split(use(LocalModel(weights, 8012, 1, 0).name, 'http://127.0.0.1:8012/v1'))
    arguments = command_line().parse_args(words[1:])
    assert arguments.model == 'my model' and arguments.planner == 'vlm'
    assert arguments.base_url == 'http://127.0.0.1:8012/v1'


def test_there_is_at_least_one_core():
    assert physical_cores() >= 1


@pytest.mark.parametrize('answer', [
    b'HTTP/1.0 404 Not Found\r\n\r\n', b'HTTP/1.0 200 OK\r\n\r\nnot JSON', b'\xff\xfe\r\n',
    b'HTTP/1.0 200 OK\r\n\r\n{"data": []}',
    b'HTTP/1.0 200 OK\r\n\r\n{"data": [{"id": "m", "meta": null}]}'])
def test_a_server_that_does_not_describe_its_model_is_used_all_the_same(answer):
    def serve_once(listening):
        connection, _ = listening.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(answer)

    with socket.create_server(('127.0.0.1', 0)) as listening:
        thread = threading.Thread(target=serve_once, args=(listening,))
        thread.start()
        url = f'http://127.0.0.1:{listening.getsockname()[1]}/v1'
        assert about(url).startswith('the server does not describe the model')
        thread.join()
    assert about(url).startswith('the server does not describe the model')  # nobody is there
