# For scripts that are about to change a cluster, to be sourced. KUBECTL names the kubectl to use.

# Says so when there is no cluster to talk to, and fails. kubectl itself would advise to leave out its validation.
reach_cluster() {
  local said
  said=$("$KUBECTL" version --request-timeout=20s 2>&1 >/dev/null) && return
  echo "No cluster to talk to: ${said##*$'\n'}" >&2
  echo 'Set KUBECONFIG to the path of a kubeconfig whose cluster is up, or try it without one: make dev' >&2
  return 1
}
