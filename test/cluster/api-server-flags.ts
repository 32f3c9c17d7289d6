/** Flags of kube-apiserver that the clusters of test/e2e must share. */
import type { ClusterCredentials } from './credentials.ts';

/**
 * Plugins in addition to the default ones. Some distributions enable this plugin: a client that lets an object block the deletion of its
 * owner needs permission to write the owner's finalizers.
 */
export const ADMISSION_PLUGINS: readonly string[] = ['OwnerReferencesPermissionEnforcement'];

/** Audit policy: every request with its user, its object and the response, without bodies. */
export const AUDIT_ALL_METADATA: object = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** @param files Paths of the policy, in JSON or YAML, and of the log: a JSON event per line. */
export function auditFlags({ policy, log }: { readonly policy: string; readonly log: string }): readonly string[] {
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${log}`,
    '--audit-log-mode=blocking', // an event is in the file before its request is answered
    '--audit-log-maxsize=2000', // in megabytes: the log is never rotated
  ];
}

interface ApiServerOptions {
  /** URL. */
  readonly etcd: string;
  readonly port: number;
  readonly address: string;
  readonly serviceRange: string;
  readonly files: ClusterCredentials['files'];
}

/** Addresses that it listens on, its storage, and the certificates that it trusts. */
export function apiServerFlags({ etcd, port, address, serviceRange, files }: ApiServerOptions): readonly string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--advertise-address=${address}`,
    `--secure-port=${port}`,
    `--service-cluster-ip-range=${serviceRange}`,
    `--tls-cert-file=${files.servingCertificate}`,
    `--tls-private-key-file=${files.servingKey}`,
    `--client-ca-file=${files.ca}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--allow-privileged',
  ];
}
