#!/bin/sh
# enter.sh FOLDER COMMAND…: runs a command as a process of the node in FOLDER: enters its control groups, and then the namespaces of its
# PID 1. Without the control groups, the kubelet would see itself outside of the tree that it manages.
set -eu
pid=$(cat "$1/pid")
while read -r cgroup; do echo $$ >"$cgroup/cgroup.procs"; done <"$1/cgroups"
shift
exec nsenter --target "$pid" --mount --pid --net --uts --ipc --cgroup --wd="$PWD" -- "$@"
