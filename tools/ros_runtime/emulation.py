"""An x86_64 Python and an x86_64 compiler on aarch64: box64 and Debian packages, unpacked."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from .debian import Apt, pinned_groups
from .layout import BOX64, Runtime
from .report import check_call, say

HOST_LIBRARIES = ('ld-linux-aarch64.so.1', 'libc.so.6', 'libm.so.6', 'libgcc_s.so.1',
                  'libresolv.so.2', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1',
                  'libutil.so.1')  # fmt: skip


def install_python(runtime: Runtime) -> None:
    """Unpack the emulator, the Python it runs, and the compiler; needs no root."""
    apt = Apt(runtime.root / 'apt')
    groups = pinned_groups()
    say("fetching package lists from the machine's Debian mirror")
    apt.update(groups)
    for group in groups:
        say(f'fetching and unpacking {group.name} (Debian {group.suite})')
        apt.unpack(group, runtime.root / f'{group.name}.deb')
    shutil.rmtree(apt.root)
    _arrange_python(runtime.root)
    _arrange_emulator(runtime.root)
    _arrange_compiler(runtime.root)


def install_stubs(runtime: Runtime) -> None:
    """Replace the library of the wheels that cannot run here; after the wheels are unpacked."""
    (original,) = runtime.site_packages.glob('ros_tracetools.libs/liblttng-ust-[0-9a-f]*.so.*')
    target = runtime.root / 'lib' / original.name
    target.parent.mkdir(exist_ok=True)
    check_call([compilers(runtime)[0], '-shared', '-fPIC', '-nostdlib', '-O2',
                f'-Wl,-soname,{original.name}', '-o', target, BOX64 / 'lttng_stub.c'],
               'compiling the stub of the tracing library')


def compilers(runtime: Runtime) -> tuple[Path, Path]:
    """The C and C++ compilers for x86_64."""
    folder = runtime.root / 'compiler' / 'bin'
    return folder / 'gcc', folder / 'g++'


def include_folders(runtime: Runtime) -> list[Path]:
    """Where the headers of the emulated Python are."""
    usr = runtime.root / 'root' / 'usr' / 'include'
    return [usr / f'python{runtime.python}', usr]


def _arrange_python(root: Path) -> None:
    (root / 'python.deb').rename(root / 'root')
    loader = root / 'root' / 'lib64' / 'ld-linux-x86-64.so.2'
    loader.unlink(missing_ok=True)
    loader.symlink_to('../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2')
    (root / 'root' / 'usr' / 'lib' / 'python3.11' / 'sitecustomize.py').unlink(missing_ok=True)
    for folder, file in (('bin', 'python3'), ('site', 'sitecustomize.py')):
        (root / folder).mkdir()
        shutil.copy(BOX64 / file, root / folder)


def _arrange_emulator(root: Path) -> None:
    """Keep box64 and the few libraries of the newer Debian that it needs."""
    emulator, libraries = root / 'emulator.deb', root / 'emulator_libraries.deb'
    (root / 'box64').mkdir()
    shutil.copy(emulator / 'usr' / 'bin' / 'box64', root / 'box64')
    for name in HOST_LIBRARIES:
        shutil.copy(libraries / 'usr' / 'lib' / 'aarch64-linux-gnu' / name, root / 'box64')
    shutil.rmtree(emulator)
    shutil.rmtree(libraries)


def _arrange_compiler(root: Path) -> None:
    """Make the cross compiler work from where it was unpacked."""
    usr = (root / 'compiler.deb').rename(root / 'compiler') / 'usr'
    for script in ('libc.so', 'libm.so'):  # linker scripts with absolute paths
        file = usr / 'x86_64-linux-gnu' / 'lib' / script
        file.write_text(re.sub(r'(?<= )/usr/(?=x86_64-linux-gnu/)', f'{usr}/', file.read_text()))
    for tool in ('gcc', 'g++'):
        (real,) = (usr / 'bin').glob(f'x86_64-linux-gnu-{tool}-[0-9]*')
        wrapper = root / 'compiler' / 'bin' / tool
        wrapper.parent.mkdir(exist_ok=True)
        wrapper.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{usr}/lib/aarch64-linux-gnu" exec '
                           f'"{real}" "-B{usr}/x86_64-linux-gnu/bin" "$@"\n')
        wrapper.chmod(0o755)
