import { defineConfig } from 'rolldown';
import { createNodeCheck, PARSE_TARGET } from './hack/supply-chain/node-check.ts';
import { supplyChain } from './hack/supply-chain/rolldown-plugin.ts';
import {
  asciiOnly,
  lazyBuiltins,
  smallCronParser,
  smallPromClient,
  smallUndici,
} from './hack/supply-chain/small-bundle.ts';
import packageJson from './package.json' with { type: 'json' };

/** The oldest supported Node. */
const oldest = packageJson.engines.node.replace('>=', '');

/** The manager as one file: it starts many times faster than from the thousand files of its dependencies. */
export default defineConfig({
  input: 'cmd/main.ts',
  platform: 'node',
  plugins: [lazyBuiltins, smallUndici, smallCronParser, smallPromClient, asciiOnly, supplyChain(import.meta.dirname)],
  transform: { target: PARSE_TARGET },
  output: {
    file: 'dist/manager.mjs',
    format: 'esm',
    intro: createNodeCheck({ program: 'manager', oldest, alternative: 'run the image, which contains Node' }),
    // Readable stack traces matter more than the last kilobytes.
    minify: false,
    comments: { jsdoc: false, annotation: false },
    sourcemap: false,
  },
});
