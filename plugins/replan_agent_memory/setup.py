"""Packaging of replan_agent_memory, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_memory'

setup(
    name=NAME,
    version='0.1.0',
    description='The failure memory of replan_agent: what failed, and what helped',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent'],
    entry_points={
        'replan_agent.memory': ['failures = replan_agent_memory.failure_memory:failures'],
        'replan_agent.commands': ['memory = replan_agent_memory.memory_command:add_commands'],
    },
    zip_safe=False,
)
