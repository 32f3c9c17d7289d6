/** kubectl tcj diff predicts what kubectl apply then does, on a real API server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { Scene } from '../support/scene.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { kubectl } from './support/crd.ts';
import { tcj } from './support/tcj.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } };
const DAILY = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };

/** Writes the manifest of the CronJob `nightly`. */
function write(file: string, spec: Partial<CronJobSpec>): void {
  const fields = { jobTemplate: { spec: { template } }, ...spec };
  writeFileSync(file, stringify({ apiVersion: API_VERSION, kind: KIND, metadata: { name: 'nightly' }, spec: fields }));
}

test.each([{ flags: [] }, { flags: ['--server-side'] }])('predicts kubectl apply $flags', async ({ flags }) => {
  await using scene = await Scene.open();
  const file = join(createTemporaryFolder(), 'nightly.yaml');
  const apply = () => kubectl(['apply', '-n', scene.namespace, '-f', file, ...flags]);
  const diff = () => tcj(scene, `diff -f ${file}`);
  write(file, { ...DAILY, endTime: '2020-01-01T00:00:00Z' });
  expect(await diff()).toMatchObject({ code: 1, out: `${scene.namespace}/nightly: created; no run starts\n` });
  await apply();
  expect(await diff()).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No start changes for \S+\/nightly until /),
  });

  // The manifest no longer has the field, so apply removes it.
  write(file, DAILY);
  const added = await diff();
  expect(added).toMatchObject({ code: 1, err: '' });
  expect(added.out).toMatch(
    /^\S+\/nightly: starts 7 added until \w{3} \S+ \S+ Europe\/Berlin\nCHANGE +OLD START +NEW START\n/,
  );
  await apply();
  expect((await scene.cronJob('nightly')).spec).not.toHaveProperty('endTime');
  expect((await diff()).code).toBe(0);

  // A suspension by another client stays.
  await tcj(scene, 'suspend nightly');
  write(file, { ...DAILY, schedule: '30 3 * * *' });
  expect((await diff()).code).toBe(0);
  await apply();
  expect((await scene.cronJob('nightly')).spec).toMatchObject({ suspend: true, schedule: '30 3 * * *' });
});

test('compares every file and folder of -f, and prints JSON', async () => {
  await using scene = await Scene.open();
  const [folder, other] = [createTemporaryFolder(), createTemporaryFolder()];
  write(join(folder, 'nightly.yaml'), DAILY);
  write(join(other, 'nightly.json'), { ...DAILY, suspend: true });
  const { code, out } = await tcj(scene, `diff -f ${folder} -f ${other} -o json`);
  expect(code).toBe(1);
  expect(JSON.parse(out).cronJobs).toMatchObject([
    { name: 'nightly', change: 'Created', firstStarts: [{}, {}, {}] },
    { name: 'nightly', change: 'Created', firstStarts: [] },
  ]);
});
