#!/usr/bin/env bash
# Deletes the CRD, after telling what goes with it. Behind `make uninstall`; KUBECTL names the kubectl to use.
set -euo pipefail
source "$(dirname "$0")/confirm.sh"

crd=cronjobs.batch.tutorial.kubebuilder.io
server=$("$KUBECTL" config view --minify -o 'jsonpath={.clusters[0].cluster.server}')

if ! "$KUBECTL" get crd "$crd" >/dev/null 2>&1; then
  "$KUBECTL" version >/dev/null # tells an unreachable cluster from one without the CRD
  echo "$crd is not installed in $server: nothing to do"
  exit 0
fi

count=$("$KUBECTL" get "$crd" --all-namespaces --no-headers 2>/dev/null | wc -l)
echo "This deletes $crd from $server."
echo "With it go all CronJobs of that kind, in every namespace ($((count)) now), and the Jobs they own."
confirm uninstall
"$KUBECTL" delete crd "$crd"
