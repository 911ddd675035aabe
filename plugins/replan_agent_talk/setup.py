"""Packaging of replan_agent_talk, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_talk'

setup(
    name=NAME,
    version='0.1.0',
    description='Conversations with replan_agent: orders, answers, corrections, questions',
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
        'replan_agent.commands': ['chat = replan_agent_talk.chat_arguments:add_commands'],
    },
    zip_safe=False,
)
