import { defineConfig } from 'rolldown';

/** The manager as one file: it starts many times faster than from the thousand files of its dependencies. */
export default defineConfig({
  input: 'cmd/main.ts',
  platform: 'node',
  output: {
    file: 'dist/manager.mjs',
    format: 'esm',
    // Readable stack traces matter more than the last kilobytes.
    minify: false,
    sourcemap: false,
  },
});
