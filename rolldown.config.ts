import { defineConfig } from 'rolldown';
import { supplyChain } from './hack/supply-chain/rolldown-plugin.ts';
import { asciiOnly, lazyHttp, smallUndici } from './hack/supply-chain/small-bundle.ts';

/** The manager as one file: it starts many times faster than from the thousand files of its dependencies. */
export default defineConfig({
  input: 'cmd/main.ts',
  platform: 'node',
  plugins: [lazyHttp, smallUndici, asciiOnly, supplyChain(import.meta.dirname)],
  // client-node does not say so, but importing its hundreds of models has no effect: those that nobody names can go.
  treeshake: { moduleSideEffects: [{ test: /node_modules\/@kubernetes\/client-node\//, sideEffects: false }] },
  output: {
    file: 'dist/manager.mjs',
    format: 'esm',
    // Readable stack traces matter more than the last kilobytes.
    minify: false,
    sourcemap: false,
  },
});
