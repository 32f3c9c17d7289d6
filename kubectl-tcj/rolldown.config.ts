import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { createEmbeddedPage } from '../hack/plugin/embedded-page.ts';
import { createNodeCheck, PARSE_TARGET } from '../hack/supply-chain/node-check.ts';
import { supplyChain } from '../hack/supply-chain/rolldown-plugin.ts';
import { asciiOnly, lazyBuiltins, smallCronParser, smallUndici } from '../hack/supply-chain/small-bundle.ts';
import manifest from './package.json' with { type: 'json' };

/** The minimum version of Node for the npm package. undici requires this version. */
export const MIN_NODE_VERSION = manifest.engines.node.replace('>=', '');

/** The bundle begins with this statement, which exits with a message if the version of Node is too old. */
export const NODE_VERSION_CHECK = createNodeCheck({
  program: 'kubectl tcj',
  oldest: MIN_NODE_VERSION,
  alternative: 'the executable that needs no Node',
});

const PROJECT = join(import.meta.dirname, '..');
const page = createEmbeddedPage();

/** Bundles kubectl-tcj into one file for Node. */
export default defineConfig({
  input: 'kubectl-tcj/plugin/main.ts',
  platform: 'node',
  plugins: [
    page.plugin,
    lazyBuiltins,
    smallUndici,
    smallCronParser,
    asciiOnly,
    supplyChain(PROJECT, manifest, page.modules),
  ],
  transform: { target: PARSE_TARGET },
  output: {
    file: 'dist/plugin/kubectl-tcj.mjs',
    format: 'esm',
    intro: NODE_VERSION_CHECK,
    minify: false,
    comments: { jsdoc: false, annotation: false },
    sourcemap: false,
  },
});
