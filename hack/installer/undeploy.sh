#!/usr/bin/env bash
# `make undeploy`: warns about the CronJobs and Jobs that are deleted too, and deletes the objects of `make deploy` with the same OVERLAY
# and NAMESPACE. KEEP_CRD=1 keeps the CRD and all CronJobs. KUBECTL is the path of kubectl.
set -euo pipefail
source "$(dirname "$0")/../confirm.sh"
source "$(dirname "$0")/../reach.sh"

crd=cronjobs.batch.tutorial.kubebuilder.io
lease=cronjob-controller.batch.tutorial.kubebuilder.io
pods=control-plane=controller-manager,app.kubernetes.io/name=cronjob-operator
render=(node hack/installer/render.ts "--overlay=$OVERLAY" "--namespace=${NAMESPACE:-}" --reverse)
[ "${KEEP_CRD:-}" != 1 ] || render+=(--without=CustomResourceDefinition)

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
"${render[@]}" >"$manifests"
reach_cluster
server=$("$KUBECTL" config view --minify -o 'jsonpath={.clusters[0].cluster.server}')
namespace=$(sed -n '/^kind: Deployment$/,/^---$/s/^  namespace: //p' "$manifests")

if grep -q '^kind: CustomResourceDefinition$' "$manifests" && "$KUBECTL" get crd "$crd" >/dev/null 2>&1; then
  count=$("$KUBECTL" get "${crd/./.v1.}" --all-namespaces --no-headers 2>/dev/null | wc -l)
  echo "This deletes the operator and $crd from $server."
  echo "This also deletes all CronJobs of that kind in every namespace (currently $((count))) and their Jobs."
  echo 'To keep them: make undeploy KEEP_CRD=1'
  if [ -n "$namespace" ] && [ -z "$("$KUBECTL" get deployments --namespace="$namespace" --output=name 2>/dev/null)" ]; then
    echo "No manager found in $namespace. If you set OVERLAY or NAMESPACE for deploy, set them for undeploy too."
  fi
  confirm undeploy
fi
"$KUBECTL" delete --ignore-not-found -f "$manifests"

# Deletes the lease, which is not in the manifests, after the manager has stopped.
if [ -n "$namespace" ] && ! grep -q '^kind: Namespace$' "$manifests"; then
  "$KUBECTL" wait --namespace="$namespace" --for=delete pod --selector="$pods" --timeout=60s
  "$KUBECTL" delete --namespace="$namespace" --ignore-not-found lease "$lease"
fi
