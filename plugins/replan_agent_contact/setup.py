"""Packaging of replan_agent_contact, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_contact'

setup(
    name=NAME,
    version='0.1.0',
    description='Drawers and doors for replan_agent, and the skills that open and close them',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    package_data={NAME: ['scenes/*.yaml']},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent'],
    entry_points={
        'replan_agent.robots': ['furnished = replan_agent_contact.cell:furnished_cell'],
        'replan_agent.suites': ['contact = replan_agent_contact.contact_suite:CONTACT'],
    },
    zip_safe=False,
)
