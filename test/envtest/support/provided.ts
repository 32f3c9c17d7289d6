import '../../support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** PEM: the CA of the certificate that the API server presents to webhooks. */
    webhookClientCa: string;
    /** URL of the API server's etcd. */
    etcd: string;
    /** Path of helm. */
    helm: string;
    /** Minor version of the API server: 36 for 1.36. */
    kubernetesMinor: number;
  }
}
