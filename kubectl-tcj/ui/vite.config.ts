import { defineConfig, type Plugin } from 'vite';
// biome-ignore lint/style/noRestrictedImports: this file builds the page and is not part of it
import { smallCronParser } from '../../hack/supply-chain/small-bundle.ts';

/**
 * Fails the build if the page imports a Node module. Vite would replace the Node module with an empty module, which fails only at
 * runtime.
 */
const rejectNodeModules: Plugin = {
  name: 'without-node',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id.startsWith('node:')) throw new Error(`browsers have no ${id}, which ${importer} imports`);
  },
};

/**
 * Builds the page of `kubectl tcj ui` as three files, which the plugin embeds. File names have no hashes, because browsers do not
 * cache the files.
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  // `pre`: before Vite itself resolves the modules.
  plugins: [rejectNodeModules, { ...smallCronParser, enforce: 'pre' }],
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
