# For scripts that change a cluster, which source it. KUBECTL names the kubectl to use.

# Fails with a message when no cluster is reachable. kubectl itself would recommend to turn off its validation.
reach_cluster() {
  local message
  message=$("$KUBECTL" version --request-timeout=20s 2>&1 >/dev/null) && return
  echo "Cannot reach the cluster: ${message##*$'\n'}" >&2
  echo 'Set KUBECONFIG to the kubeconfig of a running cluster, or start a local cluster: make dev' >&2
  return 1
}
