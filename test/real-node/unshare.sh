#!/bin/sh
# unshare.sh FOLDER COMMAND…: runs a command as PID 1 of new namespaces, in the control groups that FOLDER/cgroups lists.
set -eu
while read -r cgroup; do echo $$ >"$cgroup/cgroup.procs"; done <"$1/cgroups"
shift
# --kill-child: when unshare dies, so does PID 1, and with PID 1 all other processes, mounts and links of the node.
exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child --mount-proc -- "$@"
