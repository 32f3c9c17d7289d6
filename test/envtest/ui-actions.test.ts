/** What somebody does in a page of kubectl tcj ui, at a real API server with a manager that runs. */
import { type Clock, SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { cronJobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';
import { openUi, type Ui } from '../support/ui.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import './support/provided.ts';
import { tcj } from './support/tcj.ts';

const NEVER = { schedule: '0 0 1 1 *' };

/** It waits as the machine does, and says what time it is in the scene. */
function clockOf({ clock }: Scene): Clock {
  const system = new SystemClock();
  return {
    now: () => clock.now(),
    monotonicMs: () => system.monotonicMs(),
    schedule: (delayMs, callback) => system.schedule(delayMs, callback),
  };
}

async function uiOf(scene: Scene): Promise<Ui> {
  const ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig'), clock: clockOf(scene) });
  onTestFinished(() => ui[Symbol.asyncDispose]());
  return ui;
}

async function seen(scene: Scene, spec: object = NEVER): Promise<string> {
  await scene.createCronJob(spec, 'backup');
  await scene.startManager();
  await scene.observed('backup');
  return `/api/cronjobs/${scene.namespace}/backup`;
}

test('a run starts, and the page is told its name', async () => {
  await using scene = await Scene.open();
  const path = await seen(scene);
  const { browser } = await uiOf(scene);
  const { status, body } = await browser.post(`${path}/run`, {});
  const [job] = await scene.hasJobs(1);
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: `${scene.namespace}/backup starts a run now.`, jobName: job?.metadata.name },
  });
});

test('suspend and resume say what the commands say, and do it', async () => {
  await using scene = await Scene.open();
  const path = await seen(scene, {});
  const { browser } = await uiOf(scene);
  const name = `${scene.namespace}/backup`;
  const until = new Date(scene.clock.now().getTime() + 7_200_000).toISOString();
  expect(await browser.post(`${path}/suspend`, { until })).toMatchObject({
    status: 200,
    body: { message: expect.stringMatching(`^${name} suspended until .* UTC \\(in .*\\)\\.$`) },
  });
  expect((await scene.cronJob('backup')).spec).toMatchObject({ suspend: false, suspendUntil: expect.any(String) });
  expect(await browser.post(`${path}/suspend`, { until: null })).toEqual({
    status: 200,
    body: { message: `${name} suspended.` },
  });
  expect((await scene.cronJob('backup')).spec).toMatchObject({ suspend: true });
  expect(await tcj(scene, 'suspend backup --for 1h')).toMatchObject({ err: expect.stringContaining('without an end') });
  expect(await browser.post(`${path}/suspend`, { until })).toMatchObject({
    status: 200,
    body: { message: `${name} is suspended already, without an end, and left so; resume it first to change that.` },
  });
  await scene.observed('backup');
  const minute = await scene.passNextMinute();
  expect(await browser.post(`${path}/resume`, { skipMissed: false })).toMatchObject({
    status: 200,
    body: { message: expect.stringMatching(`^${name} resumed; the run of .*, which it missed, starts now\\.$`) },
  });
  const [job] = await scene.hasJobs(1);
  expect(job?.metadata.name).toBe(`backup-${Date.parse(minute) / 1000}`);
  expect(await browser.post(`${path}/resume`, { skipMissed: true })).toMatchObject({
    body: { message: `${name} is neither suspended nor paused.` },
  });
});

test.each([
  ['suspend', {}],
  ['suspend', { until: 'tomorrow' }],
  ['suspend', { until: '2001-01-01T00:00:00Z' }],
  ['resume', {}],
  ['resume', { skipMissed: 'yes' }],
])('%s with %j makes no sense, and changes nothing', async (action, given) => {
  await using scene = await Scene.open();
  const { spec } = await scene.createCronJob({ ...NEVER, suspend: true }, 'backup');
  const { browser } = await uiOf(scene);
  const path = `/api/cronjobs/${scene.namespace}/backup/${action}`;
  expect(await browser.post(path, given)).toMatchObject({ status: 400 });
  expect((await scene.cronJob('backup')).spec).toEqual(spec);
});

test('the manifest is the one that is stored, without managed fields', async () => {
  await using scene = await Scene.open();
  const { metadata } = await scene.createCronJob(NEVER, 'backup');
  const { browser } = await uiOf(scene);
  const { status, headers, body } = await browser.ask(`/api/cronjobs/${scene.namespace}/backup/yaml`);
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/plain; charset=utf-8' });
  const { managedFields: _, ...stored } = (await scene.client.get(cronJobs, metadata))!.metadata as typeof metadata & {
    managedFields: unknown;
  };
  expect(parse(body)).toMatchObject({ spec: { jobTemplate: { spec: {} } } });
  expect(parse(body).metadata).toEqual(stored);
});

test('what the Pods of its run tell is told', async () => {
  await using scene = await Scene.open();
  const path = await seen(scene);
  const { browser } = await uiOf(scene);
  await browser.post(`${path}/run`, {});
  await scene.eventually(async () => {
    const { status, body } = await browser.ask(`${path}/pods`);
    expect(status).toBe(200);
    // No controller of Jobs runs here.
    expect(JSON.parse(body).told).toMatchObject({
      sentence: 'It has no Pod yet.',
      remedy: { change: 'see its events', command: { line: expect.stringMatching(/^kubectl describe job /) } },
    });
  });
});

test('a run that no manager would start, and what is not there, are refused', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob(NEVER, 'backup');
  const { browser } = await uiOf(scene);
  expect(await browser.post(`/api/cronjobs/${scene.namespace}/backup/run`, {})).toEqual({
    status: 409,
    body: { message: expect.stringContaining('no manager has looked at this CronJob') },
  });
  const path = `/api/cronjobs/${scene.namespace}/nothing`;
  for (const each of [`${path}/yaml`, `${path}/pods`, `${path}/logs?job=a`]) {
    const { status, body } = await browser.ask(each);
    expect({ status, ...JSON.parse(body) }).toEqual({
      status: 404,
      message: `There is no CronJob "nothing" in the namespace ${scene.namespace}.`,
    });
  }
});

test('logs come as they are printed, with why there are none, until the run is over', async () => {
  await using scene = await Scene.open();
  const path = await seen(scene);
  const { browser } = await uiOf(scene);
  await browser.post(`${path}/run`, {});
  const [job] = await scene.hasJobs(1);
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ write }) => {
    write('begins\n');
    await isOver;
    write('ends');
  });
  await using events = await browser.events(`${path}/logs?job=${job!.metadata.name}`);
  await kubelet.addPod(job!.metadata.name, 'pod', { work: undefined, sidecar: 'ImagePullBackOff' });
  const line = (text: string) => ({ kind: 'line', pod: 'pod', container: 'work', text });
  await eventually(() =>
    expect(events.seen.map(({ data }) => data)).toEqual(
      expect.arrayContaining([line('begins'), { kind: 'note', text: 'pod/sidecar has not started: ImagePullBackOff' }]),
    ),
  );
  expect(events.hasEnded).toBe(false);
  end();
  await scene.finish(job!, 'Complete');
  await scene.eventually(async () => expect(events.hasEnded).toBe(true));
  expect(events.seen.slice(-2).map(({ data }) => data)).toEqual([line('ends'), { kind: 'end' }]);
});

test('a page that is closed ends what was asked for its logs, and nothing else', async () => {
  await using scene = await Scene.open();
  const path = await seen(scene);
  const { browser } = await uiOf(scene);
  await browser.post(`${path}/run`, {});
  const [job] = await scene.hasJobs(1);
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  const ended: string[] = [];
  await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ pod, write, closed }) => {
    write('begins\n');
    await closed;
    ended.push(pod);
  });
  await kubelet.addPod(job!.metadata.name, 'pod', { work: undefined });
  const events = await browser.events(`${path}/logs?job=${job!.metadata.name}`);
  await eventually(() => expect(events.seen).toHaveLength(1));
  expect(ended).toEqual([]);
  await events[Symbol.asyncDispose]();
  await eventually(() => expect(ended).toEqual(['pod']));
  expect(await browser.ask('/')).toMatchObject({ status: 200 });
});
