import { defineConfig, type Plugin } from 'vite';

/** Vite would use an empty module instead, which fails only when it is called. */
const withoutNode: Plugin = {
  name: 'without-node',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id.startsWith('node:')) throw new Error(`browsers have no ${id}, which ${importer} imports`);
  },
};

/** The page of `kubectl tcj ui`, as three files that the plugin contains. Their names have no hashes, because nothing is cached. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [withoutNode],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { 'node:crypto': `${import.meta.dirname}/node-crypto.ts` } },
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]', codeSplitting: false },
    },
  },
});
