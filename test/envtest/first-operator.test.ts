/**
 * runtime/docs/first-operator.md, and its continuation in deploying.md, webhooks.md and testing.md, executed exactly as written, on
 * separate API servers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { findFreePort } from '../../hack/control-plane/free-port.ts';
import { startApiServer } from '../cluster/api-server.ts';
import { installPacked } from '../packages/install-packed.ts';
import { type Block, readPage } from '../packages/page-blocks.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { linkDevelopmentTools, PageReader } from './support/page-reader.ts';

/** Timeout: compiles, packs and installs the package, and starts an API server. */
const TIMEOUT_MS = 1_200_000;
/** The page creates it in a new folder. */
const HOME = 'website-operator';
const OPERATOR = 'system:serviceaccount:website-operator-system:website-operator';

/** As in the page, but without a network. */
async function install(_block: Block, home: string): Promise<void> {
  const file = join(home, 'package.json');
  const before = JSON.parse(readFileSync(file, 'utf8'));
  await installPacked('runtime', home, createTemporaryFolder());
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...before, dependencies }));
  linkDevelopmentTools(home);
}

test('the commands of the page create an operator with webhooks', { timeout: TIMEOUT_MS }, async () => {
  const { kubeconfig, kubectl, stop } = await startApiServer();
  try {
    await using reader = new PageReader(kubectl, { folder: HOME, install });
    const port = await findFreePort();
    await reader.follow(readPage('runtime', 'docs/first-operator.md'), { kubeconfig, operator: kubeconfig, port });
    await reader.follow(readPage('runtime', 'docs/deploying.md'), { kubeconfig, operator: kubeconfig, port });
    // With only the permissions that the pages give it.
    await reader.follow(readPage('runtime', 'docs/webhooks.md'), {
      kubeconfig,
      operator: writeKubeconfigAs(OPERATOR, kubeconfig),
      port,
    });
    // On an API server without the webhook configurations of the previous page.
    const empty = await startApiServer();
    try {
      const env = { USE_EXISTING_CLUSTER: 'true' };
      const emptyCluster = { kubeconfig: empty.kubeconfig, operator: empty.kubeconfig, port, env };
      await reader.follow(readPage('runtime', 'docs/testing.md'), emptyCluster);
    } finally {
      await empty.stop();
    }
  } finally {
    await stop();
  }
});
