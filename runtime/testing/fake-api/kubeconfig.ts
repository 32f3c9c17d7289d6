/**
 * Returns a kubeconfig in JSON, which is valid YAML. The kubeconfig disables the verification of the server's
 * certificate.
 */
export function formatKubeconfig(server: URL, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server: server.origin, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'fake', user: { token } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    'current-context': 'fake',
  });
}
