import '../../support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** PEM: vouches for the certificate that the API server shows to webhooks. */
    webhookClientCa: string;
    /** URL of the API server's etcd. */
    etcd: string;
    /** Path of a helm. */
    helm: string;
    /** Of the API server: 36 of 1.36. */
    kubernetesMinor: number;
  }
}
