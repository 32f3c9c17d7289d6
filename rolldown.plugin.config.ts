import { defineConfig } from 'rolldown';
import { embeddedPage } from './hack/plugin/embedded-page.ts';
import { nodeCheck, PARSED_SINCE } from './hack/supply-chain/node-check.ts';
import { supplyChain } from './hack/supply-chain/rolldown-plugin.ts';
import { asciiOnly, lateBuiltins, smallUndici } from './hack/supply-chain/small-bundle.ts';

/** What the package for npm says too. */
export const PLUGIN = {
  name: 'kubectl-tcj',
  description: 'A plugin of kubectl for CronJobs of cronjob-operator: what has failed, why, and what runs next',
};

/** The oldest Node that runs the plugin where a Node of the user does: that of undici, and what the package for npm says too. */
export const OLDEST_NODE = '22.19.0';

/** First statement of what a Node of the user runs. */
export const NODE_CHECK = nodeCheck({
  program: 'kubectl tcj',
  oldest: OLDEST_NODE,
  otherwise: 'the executable that needs no Node',
});

const page = embeddedPage();

/** kubectl-tcj as one file, which node runs as it is. */
export default defineConfig({
  input: 'plugin/main.ts',
  platform: 'node',
  plugins: [page.plugin, lateBuiltins, smallUndici, asciiOnly, supplyChain(import.meta.dirname, PLUGIN, page.modules)],
  transform: { target: PARSED_SINCE },
  output: {
    file: 'dist/plugin/kubectl-tcj.mjs',
    format: 'esm',
    intro: NODE_CHECK,
    minify: false,
    sourcemap: false,
  },
});
