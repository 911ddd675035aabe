"""Packaging of replan_agent_bench, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_bench'

setup(
    name=NAME,
    version='0.1.0',
    description='Benchmarks of replan_agent: suites, worlds, judges, and servers of models',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'rich>=11.2'],
    # local: llama.cpp with its server, for `replan-agent local-model`
    extras_require={'plot': ['matplotlib>=3.7'], 'ray': ['ray>=2.9'],
                    'local': ['xllamacpp>=2026.10']},
    entry_points={
        'replan_agent.commands': [
            'bench = replan_agent_bench.bench_commands:add_commands'],
    },
    zip_safe=False,
)
