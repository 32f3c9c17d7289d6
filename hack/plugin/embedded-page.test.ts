/** kubectl tcj ui from a bundle, as a process, with a stub instead of a browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { readPageFiles } from '../../kubectl-tcj/plugin/ui-server/page-files.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { UiClient } from '../../test/support/ui.ts';
import { createUnreachableKubeconfig } from '../../test/support/unreachable-kubeconfig.ts';
import { bundleManager } from '../supply-chain/bundle-manager.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import { bundlePlugin } from './bundle.ts';
import { buildPage } from './embedded-page.ts';

async function buildBundle(): Promise<string> {
  const file = join(createTemporaryFolder(), 'kubectl-tcj.cjs');
  await bundlePlugin(file);
  return file;
}

function start(
  file: string,
  env: NodeJS.ProcessEnv = {},
): { readonly child: ChildProcess; readonly readOutput: () => string } {
  const args = [file, 'ui', '-n', 'default', '--kubeconfig', createUnreachableKubeconfig()];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  return { child, readOutput: () => output };
}

/** A folder with a program that the plugin starts as a browser, and the arguments of its start. */
function createBrowserStub(): { readonly folder: string; readonly links: () => readonly string[] } {
  const folder = createTemporaryFolder();
  const file = join(folder, 'links');
  writeFileSync(file, '');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$@" >>'${file}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, links: () => readFileSync(file, 'utf8').split('\n').slice(0, -1) };
}

test('the bundle contains the page, opens it once with a separate link, and stops on Ctrl-C', async () => {
  const { folder, links } = createBrowserStub();
  const { child, readOutput } = start(await buildBundle(), { PATH: `${folder}:${process.env['PATH']}` });
  await eventually(() => expect(readOutput()).toContain('Press Ctrl-C to stop.\n'));
  const link = new URL(/http\S+/.exec(readOutput())?.[0] ?? '');
  await eventually(() => expect(links()).toHaveLength(1));
  const launch = new URL(links()[0] ?? '');
  expect(launch.origin).toBe(link.origin);
  expect(launch.search).not.toBe(link.search);
  const opened = await UiClient.with(launch);
  const { files } = await buildPage();
  expect([...files.keys()]).toEqual(['/index.html', '/app.js', '/app.css']);
  for (const [path, { body }] of files) expect(await opened.request(path)).toMatchObject({ status: 200, body });
  expect(await opened.request('/')).toMatchObject({ status: 200, body: files.get('/index.html')?.body });
  expect(await (await UiClient.with(launch)).request('/')).toMatchObject({ status: 403 });
  expect(await (await UiClient.with(link)).request('/')).toMatchObject({ status: 200 });
  await using events = await opened.events('/api/events');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await eventually(() => expect(events.hasEnded).toBe(true));
});

test('the page leaves out luxon and the search for times of cron-parser', async () => {
  const { modules } = await buildPage();
  expect(modules).toContainEqual(expect.stringMatching(/cron-parser\/dist\/CronExpressionParser\.js/));
  expect(modules.filter((path) => /\/luxon\/|\/CronExpression\.js/.test(path))).toEqual([]);
});

test('prints the link without a browser', async () => {
  const { child, readOutput } = start(await buildBundle(), { PATH: createTemporaryFolder() });
  await eventually(() => expect(readOutput()).toMatch(/^(port .*\n)?http\S+\nPress Ctrl-C to stop\.\n$/));
  expect(await (await UiClient.with(new URL(/http\S+/.exec(readOutput())?.[0] ?? ''))).request('/')).toMatchObject({
    status: 200,
  });
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(readOutput()).not.toContain('Error');
});

test('says how to build a missing page', () => {
  expect(() => readPageFiles(createTemporaryFolder())).toThrow(
    'the page is not built; run "npm run build:ui" in the repository',
  );
});

test('the plugin contains the licences of the packages in the page', async () => {
  const licences = readFileSync(join(dirname(await buildBundle()), LICENCES_FILE), 'utf8');
  for (const name of ['preact', '@preact/signals', 'd3-scale']) expect(licences).toContain(name);
});

test('the manager does not contain the plugin', async () => {
  const { code } = await bundleManager();
  expect(code).not.toContain('kubectl-tcj');
});
