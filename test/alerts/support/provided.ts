import '../../envtest/support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Prometheus. */
    prometheus: string;
    /** Path of its promtool. */
    promtool: string;
  }
}
