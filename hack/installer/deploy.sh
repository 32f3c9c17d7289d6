#!/usr/bin/env bash
# `make deploy`: installs the manifests of the folder OVERLAY, and prints the next steps. KUBECTL is the path of kubectl.
set -euo pipefail
source "$(dirname "$0")/../reach.sh"

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
node hack/installer/render.ts "--overlay=$OVERLAY" "--image=${IMG:-}" "--namespace=${NAMESPACE:-}" >"$manifests"
reach_cluster
"$KUBECTL" apply -f "$manifests"

namespace=$(sed -n '/^kind: Deployment$/,/^---$/s/^  namespace: //p' "$manifests")
[ -n "$namespace" ] || exit 0
cat <<EOF

Wait until the manager is ready. With webhooks, the API server rejects CronJobs until then. If it takes long, check the events.
  kubectl --namespace=$namespace rollout status deployment --timeout=2m
  kubectl --namespace=$namespace get pods,events
EOF
