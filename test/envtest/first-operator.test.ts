/**
 * runtime/docs/first-operator.md, and its continuation in deploying.md, webhooks.md, testing.md and versions.md, executed exactly as
 * written, on separate API servers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineKind, int32 } from 'controller-runtime';
import { customResourceDefinition } from 'controller-runtime/manifests';
import { findFreePort } from 'controller-runtime/testing';
import { test } from 'vitest';
import { z } from 'zod';
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

/** The kind of versions.md before its hub version. */
const OldWebsite = defineKind({
  ...{ group: 'example.com', version: 'v1alpha1', kind: 'Website' },
  spec: z.object({ image: z.string().max(253), size: z.enum(['small', 'large']) }),
  status: z.object({ readyReplicas: int32().optional() }),
});

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
    // On API servers without the CRDs and webhook configurations of the previous pages.
    for (const page of ['docs/testing.md', 'docs/versions.md']) {
      const empty = await startApiServer();
      try {
        const env = { USE_EXISTING_CLUSTER: 'true' };
        writeFileSync(join(reader.home, 'website-v1alpha1.yaml'), JSON.stringify(customResourceDefinition(OldWebsite)));
        const cluster = { kubeconfig: empty.kubeconfig, operator: empty.kubeconfig, port, env };
        await reader.follow(readPage('runtime', page), cluster);
      } finally {
        await empty.stop();
      }
    }
  } finally {
    await stop();
  }
});
