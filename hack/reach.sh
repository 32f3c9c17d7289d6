# Fails with a message if no cluster is reachable, because the message of kubectl recommends to turn off validation.
# KUBECTL is the path of kubectl.
reach_cluster() {
  local message
  message=$("$KUBECTL" version --request-timeout=20s 2>&1 >/dev/null) && return
  echo "Cannot reach the cluster: ${message##*$'\n'}" >&2
  echo 'Set KUBECONFIG to the kubeconfig of a running cluster, or start a local cluster: make dev' >&2
  return 1
}
