import '../../envtest/support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Chromium. */
    chromium: string;
    /** Path of an administrator's kubeconfig of a cluster that holds lively-scene.ts and never changes. */
    sceneKubeconfig: string;
  }
}
