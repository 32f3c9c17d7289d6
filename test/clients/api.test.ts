/** cronjob-operator-api from a registry: the program of its README, beside a manager, on the oldest and the newest Node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { NEWEST_NODE_VERSION } from '../../hack/control-plane/versions.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { parseExample } from '../packages/page-blocks.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { installReleased } from './support/install-released.ts';
import { OLDEST_NODES } from './support/provision-node.ts';
import { getNode, runOnNode } from './support/run-on-node.ts';

const home = createTemporaryFolderForFile();

beforeAll(() => installReleased(home, `cronjob-operator-api@${packageJson.version}`));

test('the package requires the oldest tested Node version', () => {
  const manifest = readFileSync(join(home, 'node_modules/cronjob-operator-api/package.json'), 'utf8');
  expect(JSON.parse(manifest).engines.node).toBe(`>=${OLDEST_NODES.api}`);
});

describe.each([OLDEST_NODES.api, NEWEST_NODE_VERSION])('on Node %s', (version) => {
  test('the README example creates a CronJob and sees its first run', async () => {
    await using scene = await Scene.open();
    await using manager = new ManagerProcess(inject('kubeconfig'), [`--namespaces=${scene.namespace}`]);
    await manager.waitUntilReady();
    const { code, output } = parseExample(readFileSync('api/README.md', 'utf8'));
    const file = join(home, `${version}.mjs`);
    writeFileSync(file, stripTypeScriptTypes(code).replace("'default'", `'${scene.namespace}'`));
    const env = { HOME: home, KUBECONFIG: inject('kubeconfig') };
    const result = await runOnNode(version, getNode(version), ['--pending-deprecation', file], env);
    expect(result).toEqual({ code: 0, stdout: output, stderr: '' });
    expect(await scene.cronJob('hello')).toMatchObject({ spec: { concurrencyPolicy: 'Allow' } });
  });
});
