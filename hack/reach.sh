# For scripts that change a cluster, which source it. KUBECTL names the kubectl to use.

# Fails with a message when no cluster is reachable. kubectl itself would recommend to turn off its validation.
reach_cluster() {
  local said
  said=$("$KUBECTL" version --request-timeout=20s 2>&1 >/dev/null) && return
  echo "No cluster to talk to: ${said##*$'\n'}" >&2
  echo 'Set KUBECONFIG to the path of a kubeconfig whose cluster is up, or try it without one: make dev' >&2
  return 1
}
