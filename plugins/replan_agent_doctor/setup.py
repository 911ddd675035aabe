"""Packaging of replan_agent_doctor, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_doctor'

setup(
    name=NAME,
    version='0.1.0',
    description='For a person at a cell of replan_agent: what is wrong; stop, release, approve',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'shtab>=1.8'],
    entry_points={
        'console_scripts': ['doctor = replan_agent_doctor.doctor:main'],
        'replan_agent.commands': ['stop = replan_agent_doctor.terminal_commands:add_commands'],
    },
    zip_safe=False,
)
