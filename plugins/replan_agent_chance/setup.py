"""Packaging of replan_agent_chance, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_chance'

setup(
    name=NAME,
    version='0.1.0',
    description='The chance that a plan of replan_agent works, from sampled twins',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    package_data={NAME: ['measured/*.yaml']},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'replan_agent_bench'],
    entry_points={
        'replan_agent.chances': ['plans = replan_agent_chance.chance_rehearsal:with_chance'],
        'replan_agent.commands': ['chance = replan_agent_chance.chance_command:add_commands'],
        'replan_agent.planners': ['likeliest = replan_agent_chance.likeliest:likeliest'],
        'replan_agent.suites': ['chance = replan_agent_chance.chance_suite:CHANCE',
                                'choice = replan_agent_chance.choice_suite:CHOICE'],
    },
    zip_safe=False,
)
