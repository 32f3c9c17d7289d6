import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { createEmbeddedPage } from '../hack/plugin/embedded-page.ts';
import { createNodeCheck, PARSE_TARGET } from '../hack/supply-chain/node-check.ts';
import { supplyChain } from '../hack/supply-chain/rolldown-plugin.ts';
import { asciiOnly, lazyBuiltins, smallUndici } from '../hack/supply-chain/small-bundle.ts';
import manifest from './package.json' with { type: 'json' };

/** The oldest Node that runs the plugin when the user's own Node runs it: the minimum of undici. */
export const OLDEST_NODE = manifest.engines.node.replace('>=', '');

/** First statement of the file that the user's own Node runs. */
export const NODE_CHECK = createNodeCheck({
  program: 'kubectl tcj',
  oldest: OLDEST_NODE,
  alternative: 'the executable that needs no Node',
});

const PROJECT = join(import.meta.dirname, '..');
const page = createEmbeddedPage();

/** kubectl-tcj as one file that node runs directly. */
export default defineConfig({
  input: 'kubectl-tcj/plugin/main.ts',
  platform: 'node',
  plugins: [page.plugin, lazyBuiltins, smallUndici, asciiOnly, supplyChain(PROJECT, manifest, page.modules)],
  transform: { target: PARSE_TARGET },
  output: {
    file: 'dist/plugin/kubectl-tcj.mjs',
    format: 'esm',
    intro: NODE_CHECK,
    minify: false,
    sourcemap: false,
  },
});
