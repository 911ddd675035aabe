"""Packaging of replan_agent_trouble, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_trouble'

setup(
    name=NAME,
    version='0.1.0',
    description='A recovery benchmark for agents and policies: troubles, and what cannot be done',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'replan_agent_bench', 'replan_agent_contact',
                      'gymnasium>=1.0'],
    entry_points={
        'replan_agent_trouble.worlds': [
            'tabletop = replan_agent_trouble.tabletop:TABLETOP'],
        'replan_agent.suites': ['trouble = replan_agent_trouble.trouble_suite:TROUBLE'],
    },
    zip_safe=False,
)
