"""Generated sources to the shared objects that rclpy loads, laid out as an ament prefix."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

from .generate import FASTRTPS, INTROSPECTION, PYTHON, TYPESUPPORT, C
from .package import InterfacePackage, used_packages
from .report import check_call

AT_ONCE_PER_UNIT = 6  # sources compiled as one: headers take most of the time


@dataclass(frozen=True)
class Toolchain:
    """Compilers, and where they find what is not in a prefix."""

    cc: Path
    cxx: Path
    include_folders: tuple[Path, ...]


@dataclass(frozen=True)
class Library:
    """One shared object of a package: which generator it comes from and what it needs."""

    generator: str
    pattern: str  # of its sources
    define: str
    needs: tuple[str, ...]  # besides its own package and the packages it uses

    @property
    def is_cpp(self) -> bool:
        return self.pattern.endswith('.cpp')


# Every library names the runtime itself: under box64, a library that finds it only through another
# one crashes after a message of another package was used.
RUNTIME = 'rosidl_runtime_c'
LIBRARIES = (
    Library(C, '**/*.c', 'ROSIDL_GENERATOR_C_BUILDING_DLL', (RUNTIME, 'rcutils')),
    Library(INTROSPECTION, '**/*.c', 'ROSIDL_TYPESUPPORT_INTROSPECTION_C_BUILDING_DLL',
            (INTROSPECTION, RUNTIME)),
    Library(FASTRTPS, '**/*.cpp', 'ROSIDL_TYPESUPPORT_FASTRTPS_C_BUILDING_DLL',
            (FASTRTPS, 'rosidl_typesupport_fastrtps_cpp', 'rmw', 'fastcdr', RUNTIME)),
    Library(TYPESUPPORT, '**/*.cpp', 'ROSIDL_GENERATOR_C_BUILDING_DLL', (TYPESUPPORT, RUNTIME)),
    Library(PYTHON, '*/*.c', 'ROSIDL_GENERATOR_PY_BUILDING_DLL', ()),
)


class Compilation:
    """Builds one generated package, whose sources are below `work`, into `work`/prefix."""

    def __init__(self, package: InterfacePackage, work: Path, prefixes: Sequence[Path],
                 site_packages_name: str, tools: Toolchain) -> None:
        self.package = package
        self.work = work
        self.prefix = work / 'prefix'
        self.modules = self.prefix / site_packages_name / package.name
        self.prefixes = [self.prefix, *prefixes]
        self.tools = tools
        own = sorted((self.prefix / 'share' / package.name).glob('*/*.idl'))
        self.used = used_packages(package.name, own, self.prefixes)
        numpy = [p / site_packages_name / 'numpy' / core / 'include' for p in prefixes
                 for core in ('core', '_core')]
        self.headers = [work / C, work / PYTHON, work / FASTRTPS, work / INTROSPECTION]
        self.system_headers = [
            *(folder for p in prefixes for folder in [p / 'include', *(p / 'include').glob('*')]),
            *tools.include_folders, *(folder for folder in numpy if folder.is_dir())]

    def run(self) -> None:
        """Compile, link and install."""
        (self.prefix / 'lib').mkdir(exist_ok=True)
        shutil.copytree(self.work / PYTHON / self.package.name, self.modules,
                        ignore=shutil.ignore_patterns('*.c'))
        (self.modules / '__init__.py').touch()
        for name in (C, FASTRTPS, INTROSPECTION):  # for packages that use this one
            shutil.copytree(self.work / name / self.package.name, self.prefix / 'include'
                            / self.package.name / self.package.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns('*.c', '*.cpp'))
        objects = self._compile()
        for library in LIBRARIES:
            self._link(library, objects[library.generator])
        self._link_python_module(objects['module'])
        self._register()

    def _compile(self) -> dict[str, list[Path]]:
        """Compile everything; the objects, by generator."""
        units: dict[str, list[Path]] = {}
        commands = []
        for library in LIBRARIES:
            sources = self._sources(library)
            units[library.generator] = self._join(library, sources)
            commands += [self._compile_command(unit, library.define)
                         for unit in units[library.generator]]
        name = self.package.name
        module = self.work / PYTHON / name / f'_{name}_s.ep.{TYPESUPPORT}.c'
        units['module'] = [module]
        commands.append(self._compile_command(module, 'ROSIDL_GENERATOR_PY_BUILDING_DLL'))
        commands.sort(key=lambda command: command[0] != self.tools.cxx)  # the slow ones first
        with ThreadPoolExecutor(cpu_count()) as pool:
            list(pool.map(lambda c: check_call(c, f'compiling {name}'), commands))
        return {key: [_object(unit) for unit in found] for key, found in units.items()}

    def _sources(self, library: Library) -> list[Path]:
        return sorted((self.work / library.generator / self.package.name).glob(library.pattern))

    def _join(self, library: Library, sources: list[Path]) -> list[Path]:
        """Files that include a few sources each. Type descriptions clash and stay alone."""
        alone = [s for s in sources if s.stem.endswith('__description')]
        rest = [s for s in sources if s not in alone]
        groups = [[s] for s in alone] + [rest[i:i + AT_ONCE_PER_UNIT]
                                         for i in range(0, len(rest), AT_ONCE_PER_UNIT)]
        units = []
        for number, group in enumerate(groups):
            unit = self.work / f'{library.generator}_{number}{group[0].suffix}'
            unit.write_text(''.join(f'#include "{source}"\n' for source in group))
            units.append(unit)
        return units

    def _compile_command(self, unit: Path, define: str) -> list[str | Path]:
        compiler: list[str | Path] = [self.tools.cxx, '-std=gnu++17']
        if unit.suffix == '.c':
            compiler = [self.tools.cc, '-std=gnu11']
        name = self.package.name
        return [*compiler, '-O0', '-fPIC', '-w', f'-D{define}_{name}',
                f'-DROS_PACKAGE_NAME="{name}"', *(f'-I{folder}' for folder in self.headers),
                *(f'-isystem{folder}' for folder in self.system_headers),
                '-c', unit, '-o', _object(unit)]

    def _link(self, library: Library, objects: list[Path]) -> None:
        name = f'{self.package.name}__{library.generator}'
        own = {C: [], PYTHON: [C, TYPESUPPORT]}.get(library.generator, [C])
        needs = [*(f'{self.package.name}__{part}' for part in own),
                 *(f'{used}__{part}' for used in self.used for part in (library.generator, C)),
                 *library.needs]
        self._link_shared(self.prefix / 'lib' / f'lib{name}.so', objects, needs, library.is_cpp)

    def _link_python_module(self, objects: list[Path]) -> None:
        packages = [self.package.name, *self.used]
        needs = [f'{package}__{part}' for package in packages
                 for part in (PYTHON, TYPESUPPORT, C)]
        self._link_shared(self.modules / f'{self.package.name}_s__{TYPESUPPORT}.so', objects,
                          [*needs, 'rmw', TYPESUPPORT], is_cpp=False)

    def _link_shared(self, target: Path, objects: list[Path], needs: list[str],
                     is_cpp: bool) -> None:
        folders = [prefix / 'lib' for prefix in self.prefixes]
        check_call([self.tools.cxx if is_cpp else self.tools.cc, '-shared',
                    f'-Wl,-soname,{target.name}', '-o', target, *objects,
                    *(f'-L{folder}' for folder in folders),
                    *(f'-Wl,-rpath-link,{folder}' for folder in folders),
                    *(f'-l{name}' for name in needs)], f'linking {target.name}')

    def _register(self) -> None:
        """Enter the package into the ament index, where ROS tools look."""
        index = self.prefix / 'share' / 'ament_index' / 'resource_index'
        definitions = [f'{interface}.{suffix}' for interface in self.package.interfaces
                       for suffix in ('idl', interface.split('/')[0])]
        for resource, content in (('packages', ''),
                                  ('rosidl_interfaces', '\n'.join(definitions))):
            (index / resource).mkdir(parents=True)
            (index / resource / self.package.name).write_text(content, 'utf-8')


def _object(unit: Path) -> Path:
    return unit.with_name(f'{unit.name}.o')
