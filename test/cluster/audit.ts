/** What an API server of ours writes down about the requests that it gets. */

/** Every request with who asked, for what, and the answer; but no bodies. */
export const METADATA_OF_EVERYTHING: object = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/**
 * Flags of kube-apiserver.
 * @param files Paths of the policy, in JSON or YAML, and of the log: a JSON event per line.
 */
export function auditFlags({ policy, log }: { readonly policy: string; readonly log: string }): readonly string[] {
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${log}`,
    '--audit-log-mode=blocking', // an event is in the file before its request is answered
    '--audit-log-maxsize=2000', // in megabytes: never put aside for a new one
  ];
}
