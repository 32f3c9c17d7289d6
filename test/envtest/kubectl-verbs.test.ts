/** What kubectl does with a kind that it does not know by heart, as docs/from-batch-v1.md says. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import './support/provided.ts';

const PAGE = readFileSync(new URL('../../docs/from-batch-v1.md', import.meta.url), 'utf8');
const CRON_JOB = 'cronjobs.batch.tutorial.kubebuilder.io/hello';
const cacheDir = temporaryFolderOfFile();

function kubectl(
  namespace: string,
  ...args: readonly string[]
): Promise<{ readonly isDone: boolean; readonly said: string }> {
  const own = ['--kubeconfig', inject('kubeconfig'), '--cache-dir', cacheDir, '-n', namespace];
  return new Promise((resolve) => {
    execFile(inject('kubectl'), [...own, ...args], (error, out, err) =>
      resolve({ isDone: error === null, said: out + err }),
    );
  });
}

test('takes merge patches and JSON patches, the one of the page included', async () => {
  await using scene = await Scene.open();
  const { namespace } = scene;
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'hello');
  const suspend = JSON.stringify({ spec: { suspend: true } });
  expect(await kubectl(namespace, 'patch', CRON_JOB, '-p', suspend)).toMatchObject({ isDone: false });
  expect(await kubectl(namespace, 'patch', CRON_JOB, '--type', 'merge', '-p', suspend)).toMatchObject({ isDone: true });
  const [, patch = ''] = /kubectl patch tcj nightly-backup --type json \\\n {2}-p '([^']+)'/.exec(PAGE) ?? [];
  expect(await kubectl(namespace, 'patch', CRON_JOB, '--type', 'json', '-p', patch)).toMatchObject({ isDone: true });
  const { spec } = await scene.cronJob('hello');
  expect(spec.suspend).toBe(true);
  expect(spec.jobTemplate.spec?.template.spec?.containers[0]?.image).toBe('backup:2');
});

test('does not know the kind where the page says what to use instead', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'hello');
  for (const line of [
    `set image ${CRON_JOB} hello=busybox:2`,
    `set env ${CRON_JOB} A=1`,
    `set resources ${CRON_JOB} --limits=cpu=1`,
    `create job other --from=${CRON_JOB}`,
  ]) {
    expect(await kubectl(scene.namespace, ...line.split(' ')), line).toEqual({
      isDone: false,
      said: expect.stringContaining('no kind "CronJob" is registered'),
    });
  }
  for (const line of [
    `label ${CRON_JOB} a=b`,
    `annotate ${CRON_JOB} a=b`,
    `describe ${CRON_JOB}`,
    `delete ${CRON_JOB}`,
  ])
    expect(await kubectl(scene.namespace, ...line.split(' ')), line).toMatchObject({ isDone: true });
});
