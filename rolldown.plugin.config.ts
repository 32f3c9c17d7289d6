import { defineConfig } from 'rolldown';
import { embeddedPage } from './hack/plugin/embedded-page.ts';
import { supplyChain } from './hack/supply-chain/rolldown-plugin.ts';
import { asciiOnly, lazyHttp, smallUndici } from './hack/supply-chain/small-bundle.ts';

/** What the package for npm says too. */
export const PLUGIN = {
  name: 'kubectl-tcj',
  description: 'A plugin of kubectl for CronJobs of cronjob-operator: what has failed, why, and what runs next',
};

const page = embeddedPage();

/** kubectl-tcj as one file, which node runs as it is. */
export default defineConfig({
  input: 'plugin/main.ts',
  platform: 'node',
  plugins: [page.plugin, lazyHttp, smallUndici, asciiOnly, supplyChain(import.meta.dirname, PLUGIN, page.modules)],
  treeshake: { moduleSideEffects: [{ test: /node_modules\/@kubernetes\/client-node\//, sideEffects: false }] },
  output: { file: 'dist/plugin/kubectl-tcj.mjs', format: 'esm', minify: false, sourcemap: false },
});
