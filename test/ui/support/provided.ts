import '../../envtest/support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Chromium. */
    chromium: string;
  }
}
