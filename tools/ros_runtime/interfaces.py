"""Builds interface packages for the runtime: ours, and the few others that it lacks."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

from . import emulation
from .compile import Compilation, Toolchain
from .layout import CHECKOUT, TOOLS, Runtime, digest, locked
from .package import InterfacePackage, read_package
from .report import SetupError, check_call, say

# In this order: a package may use those before it.
STUBS = ('control_msgs', 'controller_manager_msgs', 'franka_msgs', 'tf2_msgs')
SOURCES = (*(TOOLS / 'stubs' / name for name in STUBS),
           CHECKOUT / 'interfaces' / 'replan_agent_interfaces')
BUILDER = [TOOLS / f'{name}.py' for name in ('package', 'generate', 'compile')]


def built_prefixes(runtime: Runtime) -> list[Path]:
    """The prefixes of all interface packages. Builds them first if their sources changed."""
    prefixes: list[Path] = []
    for folder in SOURCES:
        package = read_package(folder)
        key = digest([*package.files(), *BUILDER], ' '.join(p.name for p in prefixes))
        prefix = runtime.packages / f'{package.name}-{key}'
        if not prefix.is_dir():
            with locked(runtime.packages / 'lock'):
                if not prefix.is_dir():
                    build(package, prefix, [*reversed(prefixes), runtime.prefix], runtime)
        prefixes.append(prefix)
    return prefixes[::-1]


def build(package: InterfacePackage, target: Path, prefixes: list[Path],
          runtime: Runtime) -> None:
    """Build a package into `target`, which appears only when it is complete."""
    say(f'building {package.name} ({len(package.interfaces)} interfaces)')
    tools = toolchain(runtime)
    work = Path(tempfile.mkdtemp(prefix='build-', dir=runtime.packages))
    try:
        check_call([sys.executable, '-S', '-m', 'ros_runtime.generate', package.folder, work,
                    *prefixes], f'generating {package.name}', cwd=TOOLS.parent,
                   env={**os.environ, 'PYTHONPATH': str(runtime.site_packages)})
        Compilation(package, work, prefixes, runtime.site_packages_name, tools).run()
        (work / 'prefix').rename(target)
    finally:
        shutil.rmtree(work)


def toolchain(runtime: Runtime) -> Toolchain:
    """Compilers for the runtime, and the headers of its Python."""
    if runtime.emulated:
        return Toolchain(*emulation.compilers(runtime), tuple(emulation.include_folders(runtime)))
    found = [shutil.which(name) for name in ('gcc', 'g++')]
    include = Path(sysconfig.get_paths()['include'])
    missing = [package for package, present in (
        ('g++', all(found)), (f'libpython{runtime.python}-dev', (include / 'Python.h').is_file())
    ) if not present]
    if missing:
        raise SetupError('to build the interfaces, install what is missing, then run again:\n'
                         f'  sudo apt-get install -y {" ".join(missing)}')
    return Toolchain(Path(str(found[0])), Path(str(found[1])), (include,))
