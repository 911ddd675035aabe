# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A real model, served here; `make model-test` has what it needs. Skipped without it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

CACHE = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
WEIGHTS = CACHE / 'replan_agent' / 'models' / 'smollm2-135m-instruct.gguf'

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec('xllamacpp') is None,
                       reason="pip install 'replan_agent_bench[local]'"),
    pytest.mark.skipif(not WEIGHTS.is_file(), reason='tools/model smollm2')]


def start(file: Path, port: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-m', 'replan_agent.app.cli.main', 'local-model', str(file), '--port',
         str(port), '--threads', '1'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def test_it_says_what_it_loads_answers_and_ends_with_ctrl_c():
    with start(WEIGHTS) as server:
        lines = [server.stdout.readline() for _ in range(4)]
        assert 'loading' in lines[0] and 'ready after' in lines[1] and '8192' in lines[1]
        words = lines[3].split()
        url, model = words[words.index('--base-url') + 1], words[words.index('--model') + 1]
        body = {'model': model, 'max_tokens': 3, 'messages': [{'role': 'user', 'content': 'Hi'}]}
        request = urllib.request.Request(f'{url}/chat/completions', json.dumps(body).encode(),
                                         {'Content-Type': 'application/json'})
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)['choices'][0]['message']['role'] == 'assistant'
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate()
    assert server.returncode == 0 and 'Traceback' not in errors


def test_a_damaged_file_is_said_in_one_line(tmp_path):
    cut = tmp_path / 'cut.gguf'
    cut.write_bytes(WEIGHTS.read_bytes()[:1_000_000])
    with start(cut) as server:
        _, errors = server.communicate()
    assert server.returncode == 2 and 'llama.cpp cannot serve it' in errors
    assert len(errors.strip().splitlines()) == 1
