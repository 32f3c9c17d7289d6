/** kubectl tcj as users download it: without a Node, against a real API server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { ARCHIVE_FILES } from '../../hack/plugin/archive.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const executable = inject('executable');
const archive = inject('archive');

/** Runs it with this environment only. */
function tcj(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<string> {
  return run(executable, args, { env, cwd: '/' });
}

test("runs on a machine without Node, and ignores Node's environment variables", async () => {
  expect(await tcj({}, '--help')).toMatch(/^Inspect and manage CronJobs/);
  const env = { NODE_OPTIONS: '--require=/nowhere' };
  expect(await tcj(env, '--version')).toBe(`kubectl tcj ${packageJson.version}\n`);
});

test('knows all time zones, and reads from the cluster', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '30 2 * * *', timeZone: 'Pacific/Chatham' }, 'backup');
  const env = { KUBECONFIG: inject('kubeconfig') };
  expect(await tcj(env, 'list', '-n', scene.namespace)).toMatch(
    /^NAME .*\nbackup {3}Unobserved .* Pacific\/Chatham\n$/,
  );
  expect(await tcj(env, 'next', '-n', scene.namespace, '--time-zone', 'Pacific/Chatham', '--within', '25h')).toMatch(
    /^Times are in Pacific\/Chatham\.\nTIME .*\n.* 02:30 /,
  );
});

test('the archive contains its licences and those of Node', async () => {
  expect((await run('tar', ['-tzf', archive])).trimEnd().split('\n').sort()).toEqual([...ARCHIVE_FILES].sort());
  const output = createTemporaryFolder();
  await run('tar', ['-xzf', archive], { cwd: output });
  const text = (name: string) => readFileSync(join(output, name), 'utf8');
  expect(text('LICENSE')).toMatch(/^\s+Apache License/);
  expect(text('NODE_LICENSE')).toContain('- V8, located at deps/v8');
  expect(text('THIRD_PARTY_LICENSES')).toMatch(/^kubectl-tcj\.cjs contains code of/);
});
