"""Packaging of replan_agent_page, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_page'

setup(
    name=NAME,
    version='0.1.0',
    description='The page of replan_agent, and its MCP server',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    package_data={'': ['assets/*']},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'replan_agent_talk', 'replan_agent_export',
                      'jupyter_threejs_sage>=130',
                      'starlette', 'uvicorn>=0.29'],
    extras_require={'mcp': ['mcp>=2.3,<3', 'anyio', 'pydantic>=2']},
    entry_points={
        'console_scripts': ['web = replan_agent_page.web.web_command:ros_main'],
        'replan_agent.commands': [
            'mcp = replan_agent_page.mcp_server.mcp_command:add_commands',
            'web = replan_agent_page.web.web_command:add_commands'],
    },
    zip_safe=False,
)
