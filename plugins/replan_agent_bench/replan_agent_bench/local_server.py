# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model file (GGUF) served on this machine: llama.cpp in this process, behind real HTTP."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import socket
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import opened
from replan_agent.text.shown_text import shown

HOST = '127.0.0.1'
MAGIC = b'GGUF'
EXAMPLE = 'put the red cube in the bowl'
SIBLINGS = '/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list'


@dataclass(frozen=True)
class LocalModel:
    """What to serve. `context` is in tokens, 0 for all that the model was trained with."""

    file: Path
    port: int
    threads: int
    context: int

    @property
    def name(self) -> str:
        return self.file.stem

    def check(self) -> None:
        """Raise ConfigError if the file is no model or the port is taken."""
        with opened(self.file) as file:
            start = file.read(len(MAGIC))
        if start != MAGIC:
            raise ConfigError(f'{shown(str(self.file))}: not a GGUF file. llama.cpp reads only '
                              'these; `tools/model qwen` in a checkout gets one')
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, self.port))
            except OSError as error:
                raise ConfigError(f'port {self.port}: {error.strerror}; --port chooses another '
                                  'one') from error

    def start(self) -> Any:
        """The running server; it ends when nobody refers to it any more."""
        llama = _import_llama()
        settings = llama.CommonParams()
        settings.model.path = str(self.file)
        settings.model_alias = {self.name}
        settings.hostnames = [HOST]
        settings.port = self.port
        settings.n_ctx = self.context
        settings.n_parallel = 1  # the whole context for one request
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
        settings.use_jinja = True  # tool calls need the model's own template
        settings.ui = False
        settings.verbosity = 0
        try:
            return llama.Server(settings)
        except (RuntimeError, ValueError) as error:
            raise ConfigError(f'{shown(str(self.file))}: llama.cpp cannot serve it: {error}. The '
                              'file may be damaged, or the memory too small') from error


def serve(model: LocalModel) -> int:
    """Serve the model until Ctrl-C. Returns the exit status."""
    _import_llama()
    model.check()
    print(f'loading {model.file} ({model.file.stat().st_size / 1e9:.2f} GB) on {model.threads} '
          f'threads', flush=True)
    started = time.monotonic()
    server = model.start()
    url = f'{server.listening_address}/v1'
    print(f'ready after {time.monotonic() - started:.1f} s: {about(url)}\n'
          f'at {url}; stop with Ctrl-C\n  {use(model.name, url)}', flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print()
    return 0


def use(name: str, url: str) -> str:
    """The command that plans with the model."""
    return (f'replan-agent run "{EXAMPLE}" --planner vlm --model {shlex.quote(name)} '
            f'--base-url {url}')


def physical_cores() -> int:
    """The cores that this process may use. llama.cpp is not faster with two threads on one."""
    allowed = os.sched_getaffinity(0) if hasattr(os, 'sched_getaffinity') else set(
        range(os.cpu_count() or 1))
    try:
        return len({Path(SIBLINGS.format(core)).read_text() for core in allowed})
    except OSError:
        return len(allowed)


def about(url: str) -> str:
    """What the server says about the model that it has loaded, as far as it says something."""
    try:
        with urllib.request.urlopen(f'{url}/models', timeout=10) as answer:
            loaded = json.load(answer)['data'][0]
        facts = loaded['meta']
        return (f'{loaded["id"]}, {facts["n_params"] / 1e9:.2f} billion parameters, context '
                f'{facts["n_ctx"]} tokens (trained with {facts["n_ctx_train"]})')
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
        return f'the server does not describe the model ({type(error).__name__})'


def _import_llama() -> Any:
    try:
        import xllamacpp  # noqa: PLC0415 optional
    except ImportError:
        raise ConfigError('a model on this machine needs the xllamacpp package: '
                          "pip install 'replan_agent_bench[local]'") from None
    return xllamacpp
