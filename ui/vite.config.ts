import { defineConfig } from 'vite';

/** The page of `kubectl tcj ui`, as three files that the plugin has in it. Names without hashes: nothing is cached. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { 'node:crypto': `${import.meta.dirname}/node-crypto.ts` } },
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // What a browser does not have would be missed only when it is called.
      onLog: (level, log) => {
        if (level !== 'debug') throw new Error(log.message);
      },
      output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]', codeSplitting: false },
    },
  },
});
