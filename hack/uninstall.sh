#!/usr/bin/env bash
# `make uninstall`: warns about the CronJobs and Jobs that are deleted too, and deletes the CRD. KUBECTL is the path of kubectl.
set -euo pipefail
source "$(dirname "$0")/confirm.sh"
source "$(dirname "$0")/reach.sh"

crd=cronjobs.batch.tutorial.kubebuilder.io
run_crd=cronjobruns.batch.tutorial.kubebuilder.io
reach_cluster
server=$("$KUBECTL" config view --minify -o 'jsonpath={.clusters[0].cluster.server}')

if ! "$KUBECTL" get crd "$crd" >/dev/null 2>&1; then
  echo "$crd is not installed in $server: nothing to do"
  exit 0
fi

count=$("$KUBECTL" get "${crd/./.v1.}" --all-namespaces --no-headers 2>/dev/null | wc -l)
echo "This deletes $crd and $run_crd from $server."
echo "This also deletes all CronJobs of that kind in every namespace (currently $((count))) and their Jobs."
confirm uninstall
"$KUBECTL" delete crd --ignore-not-found "$run_crd" "$crd"
