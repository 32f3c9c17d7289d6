#!/bin/sh
# enter.sh FOLDER COMMAND…: runs a command as a process of the node in FOLDER: in the namespaces of its PID 1, and before that in
# its control groups, without which the kubelet would see itself outside of the tree it manages.
set -eu
pid=$(cat "$1/pid")
while read -r cgroup; do echo $$ >"$cgroup/cgroup.procs"; done <"$1/cgroups"
shift
exec nsenter --target "$pid" --mount --pid --net --uts --ipc --cgroup --wd="$PWD" -- "$@"
