/** CronJobs that were stored with nulls, because there are no webhooks: nothing that reads them takes null for a value. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { countNulls, storedNulls } from './support/null-documents.ts';
import { CronJobPlace } from './support/null-verbs.ts';
import { RawApi } from './support/raw-api.ts';
import { tcj } from './support/tcj.ts';

let api: RawApi;
beforeAll(() => {
  api = new RawApi();
});
afterAll(() => api[Symbol.dispose]());

/** Two CronJobs: `nulls` with every null that can be stored, and `plain` without. */
async function openScene(): Promise<Scene> {
  const scene = await Scene.open();
  await scene.createCronJob({ suspend: true }, 'clock');
  const place = new CronJobPlace(api, scene.namespace);
  const { spec, withoutNulls } = storedNulls();
  const { body } = await place.apply('nulls', spec);
  expect(countNulls(body.spec)).toBe(countNulls(spec));
  await place.apply('plain', withoutNulls);
  return scene;
}

test('a manager starts the same Job for one with nulls, and writes the same status', async () => {
  await using scene = await openScene();
  await scene.startManager();
  await scene.passNextMinute();
  const started = await scene.hasJobs(2);
  const withoutNames = started.map(({ metadata, spec }) => {
    const name = metadata.name.replace(/-.*/, '');
    const text = JSON.stringify({ labels: metadata.labels, annotations: metadata.annotations, spec });
    return text.replaceAll(metadata.uid, '').replaceAll(name, 'x');
  });
  expect(withoutNames[0]).toBe(withoutNames[1]);
  const [nulls, plain] = await scene.eventually(async () => {
    const both = [await scene.cronJob('nulls'), await scene.cronJob('plain')];
    for (const { status } of both) expect(status?.activeCount).toBe(1);
    return both;
  });
  const reasonsOf = (cronJob = nulls) => cronJob?.status?.conditions?.map(({ type, reason }) => [type, reason]);
  expect(reasonsOf(nulls)).toEqual(reasonsOf(plain));
});

test('the plugin says the same of one with nulls, and changes it', async () => {
  await using scene = await openScene();
  await scene.startManager();
  await scene.observed('nulls');
  await scene.observed('plain');
  const says = async (line: string) => {
    const [nulls, plain] = [await tcj(scene, line, 'nulls'), await tcj(scene, line, 'plain')];
    const ofPlain = (text: string) => text.replace(/-m[\da-f]+/g, '').replaceAll('nulls', 'plain');
    expect(ofPlain(nulls.out), line).toBe(ofPlain(plain.out));
    return nulls;
  };
  for (const line of ['why', 'history', 'suspend', 'why', 'resume', 'run']) {
    expect(await says(line), line).toMatchObject({ code: 0, err: '' });
  }
  expect(await tcj(scene, 'list')).toMatchObject({
    code: 0,
    err: '',
    out: expect.not.stringMatching(/null\b|invalid/i),
  });
});
