#!/bin/sh
# init.sh FOLDER NODE_NAME NODE_IP SERVICE_CIDR: PID 1 of the node. Makes everything private that the node would
# otherwise change on the machine, creates FOLDER/namespaces-ready, and then only reaps orphans.
set -eu
folder=$1 node_name=$2 node_ip=$3 service_cidr=$4

# A fresh view of the kernel: the links of this network namespace, and only our part of the control groups.
umount -R /sys
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
cut -d: -f2 /proc/self/cgroup | grep . | while read -r controllers; do
  case $controllers in name=*) options=none,$controllers ;; *) options=$controllers ;; esac
  point=/sys/fs/cgroup/${controllers#name=}
  mkdir "$point"
  # A hierarchy that another machine manager has not mounted is none that we were put in a group of.
  mount -t cgroup -o "$options" cgroup "$point"
done

# /run, and new folders in /var/lib and /var/log, are the node's own.
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/var-lib /run/var-lib-work "$folder/var-log"
mount -t overlay -o lowerdir=/var/lib,upperdir=/run/var-lib,workdir=/run/var-lib-work overlay /var/lib
mkdir -p /var/lib/kubelet /var/lib/cni
mount --bind "$folder/var-log" /var/log

# These settings belong to the whole machine, and the kubelet requires certain values. It gets files with these values.
fake_setting() {
  echo "$2" >"$folder/$(basename "$1")"
  mount --bind "$folder/$(basename "$1")" "/proc/sys/$1"
}
fake_setting vm/overcommit_memory 1
fake_setting vm/panic_on_oom 0
fake_setting kernel/panic 10
fake_setting kernel/panic_on_oops 1

# Mounts of the node are not visible outside, but the kubelet sees the volumes that containers mount.
mount --make-rshared /
hostname "$node_name"

# The node's address is on the loopback link; the network plugin of the Pods creates their bridge.
ip link set lo up
ip address add "$node_ip/32" dev lo
# kube-proxy's rules apply only to a packet with a route: the API server calls webhooks at the address of a Service.
ip route add "$service_cidr" dev lo src "$node_ip"

: >"$folder/namespaces-ready"
trap 'exit 0' TERM
while :; do
  sleep 86400 &
  wait "$!" || :
done
