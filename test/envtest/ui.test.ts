/** What a page of kubectl tcj ui shows of CronJobs, and the actions of its user, at a real API server with a manager. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Clock, SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { GROUP } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { BATCH_INTERVAL_MS } from '../../kubectl-tcj/plugin/ui-server/open-page.ts';
import { Scene } from '../support/scene.ts';
import { createSwitchableRelay } from '../support/switchable-relay.ts';
import { openUi, type Ui, type UiEvents } from '../support/ui.ts';
import { grant } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { LogKubelet } from './support/log-kubelet.ts';
import './support/provided.ts';
import { createObserved, getOnlyJob, startManualRun } from './support/tcj.ts';

const NEVER = { schedule: '0 0 1 1 *' };
/** The kinds that a page watches. */
const READ = { apiGroups: [GROUP], resources: ['cronjobs'], verbs: ['list', 'watch'] };

async function waitUntilLive(events: UiEvents): Promise<void> {
  await eventually(() => expect(events.watch).toEqual({ kind: 'Live' }));
}

/** A page of the scene. Its waits use the machine's clock, the times that it shows use the scene's. */
async function openSceneUi({ namespace, clock }: Scene): Promise<Ui> {
  const system = new SystemClock();
  const mixed: Clock = {
    now: () => clock.now(),
    monotonicMs: () => system.monotonicMs(),
    schedule: (delayMs, callback) => system.schedule(delayMs, callback),
  };
  const ui = await openUi(['-n', namespace], { kubeconfig: inject('kubeconfig'), clock: mixed });
  onTestFinished(() => ui[Symbol.asyncDispose]());
  return ui;
}

const getPath = ({ namespace }: Scene, name = 'backup') => `/api/cronjobs/${namespace}/${name}`;

describe('a page gets', () => {
  test('all CronJobs, then the end of the list, then each change', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob(NEVER, 'first', { [`${GROUP}/run-now`]: 'a', 'example.com/notes': 'b' });
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig') });
    await using events = await ui.browser.events('/api/events');
    await waitUntilLive(events);
    expect(events.received.map(({ event, data }) => [event, data.kind])).toEqual([
      ['watch', 'Reading'],
      ['cronjobs', undefined],
      ['watch', 'Live'],
    ]);
    const [first] = events.received[1]?.data.changed ?? [];
    expect(Object.keys(first).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(first.metadata).toEqual({
      ...{ namespace: scene.namespace, name: 'first', generation: 1 },
      ...{ uid: expect.any(String), creationTimestamp: expect.any(String) },
      annotations: { [`${GROUP}/run-now`]: 'a' },
    });
    expect(first.spec).toMatchObject({ schedule: NEVER.schedule, concurrencyPolicy: 'Allow' });
    expect(first.spec).not.toHaveProperty('jobTemplate');

    await scene.createCronJob(NEVER, 'second');
    await eventually(() => expect(events.listShownCronJobs).toEqual(['first', 'second']));
    await scene.edit({ suspend: true }, 'second');
    await eventually(() => expect(events.received.at(-1)?.data.changed?.[0]?.spec.suspend).toBe(true));
    await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'first' });
    await eventually(() => expect(events.listShownCronJobs).toEqual(['second']));

    await using another = await ui.browser.events('/api/events');
    await waitUntilLive(another);
    expect(another.listShownCronJobs).toEqual(['second']);
  });

  test('many CronJobs in events of at most 200', async () => {
    await using scene = await Scene.open();
    const names = Array.from({ length: 450 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => scene.createCronJob(NEVER, name)));
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig') });
    await using events = await ui.browser.events('/api/events');
    await waitUntilLive(events);
    const counts = events.received.flatMap(({ data }) => (data.changed ? [data.changed.length] : []));
    expect(counts).toEqual([200, 200, 50]);
    expect(events.listShownCronJobs).toEqual(names);
  });

  test('an outage of the API server, and the changed CronJobs after it', async () => {
    await using relay = await createSwitchableRelay(inject('kubeconfig'));
    await using scene = await Scene.open();
    for (const name of ['deleted', 'kept', 'made-again']) await scene.createCronJob(NEVER, name);
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig: relay.kubeconfig });
    await using events = await ui.browser.events('/api/events');
    await waitUntilLive(events);
    await relay.shut();
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Unreachable' }));
    expect(events.watch.message).toMatch(/^The API server https:\/\/\S+ cannot be reached \(\w+\)\.$/);
    expect(events.watch.change).toContain('Check the network');
    // A page that opens now sees the existing objects.
    await using lateEvents = await ui.browser.events('/api/events');
    await eventually(() => expect(lateEvents.watch).toMatchObject({ kind: 'Broken' }));
    expect(lateEvents.listShownCronJobs).toEqual(['deleted', 'kept', 'made-again']);
    const { namespace } = scene;
    for (const name of ['deleted', 'made-again']) await scene.client.delete(cronJobs, { namespace, name });
    await scene.createCronJob(NEVER, 'made-again');
    await scene.createCronJob(NEVER, 'new');
    relay.open();
    for (const each of [events, lateEvents]) {
      await waitUntilLive(each);
      await eventually(() => expect(each.listShownCronJobs).toEqual(['kept', 'made-again', 'new']));
    }
  });

  test('the CronJobs at once when it is reopened after an outage', async () => {
    const system = new SystemClock();
    // The wait for the next retry never ends.
    const clock: Clock = {
      now: () => system.now(),
      monotonicMs: () => system.monotonicMs(),
      schedule: (delayMs, callback) => (delayMs <= BATCH_INTERVAL_MS ? system.schedule(delayMs, callback) : () => {}),
    };
    await using relay = await createSwitchableRelay(inject('kubeconfig'));
    await using scene = await Scene.open();
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig: relay.kubeconfig, clock });
    await relay.shut();
    await using events = await ui.browser.events('/api/events');
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken' }));
    relay.open();
    await using reopened = await ui.browser.events('/api/events');
    for (const each of [reopened, events]) await waitUntilLive(each);
  });

  test('the missing permission, and the CronJobs after the permission is granted', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob(NEVER, 'secret');
    const user = `user-of-${scene.namespace}`;
    await using ui = await openUi(['-n', scene.namespace], {
      kubeconfig: writeKubeconfigAs(user, inject('kubeconfig')),
    });
    await using events = await ui.browser.events('/api/events');
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Forbidden' }));
    expect(events.watch.message).toBe(
      `You do not have permission to list and watch CronJobs in namespace ${scene.namespace} (verbs list and watch of cronjobs.${GROUP}).`,
    );
    expect(events.listShownCronJobs).toEqual([]);
    expect(await ui.browser.json(`/api/permissions?namespace=${scene.namespace}`)).toEqual({
      patchCronJobs: false,
      createRuns: false,
      readLogs: false,
    });
    const { status, body } = await ui.browser.request(`${getPath(scene, 'secret')}/yaml`);
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 403,
      message: expect.stringContaining('forbidden'),
    });
    await grant(scene.client, user, scene.namespace, [READ]);
    await waitUntilLive(events);
    expect(events.listShownCronJobs).toEqual(['secret']);
  });

  test('the CronJobs that its permissions allow without a namespace flag', async () => {
    await using scene = await Scene.open();
    const user = `user-of-${scene.namespace}`;
    await grant(scene.client, user, scene.namespace, [
      READ,
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    ]);
    const kubeconfig = addNamespace(writeKubeconfigAs(user, inject('kubeconfig')), scene.namespace);
    const permissions = `/api/permissions?namespace=${scene.namespace}`;
    await using narrow = await openUi([], { kubeconfig });
    expect(await narrow.browser.json('/api/about')).toMatchObject({
      namespace: scene.namespace,
      narrowedBecause: 'You do not have permission to list and watch CronJobs in all namespaces.',
    });
    expect(await narrow.browser.json(permissions)).toEqual({ patchCronJobs: false, createRuns: false, readLogs: true });
    await using wide = await openUi([], { kubeconfig: inject('kubeconfig') });
    const context = parse(readFileSync(inject('kubeconfig'), 'utf8'))['current-context'];
    expect(await wide.browser.json('/api/about')).toEqual({ version: expect.any(String), context });
    expect(await wide.browser.json(permissions)).toEqual({ patchCronJobs: true, createRuns: true, readLogs: true });
  });
});

function addNamespace(path: string, namespace: string): string {
  const kubeconfig = parse(readFileSync(path, 'utf8'));
  for (const { context } of kubeconfig.contexts) context.namespace = namespace;
  writeFileSync(path, stringify(kubeconfig));
  return path;
}

describe('a user', () => {
  test('starts a run, and gets its name and the state of its Pods', async () => {
    await using scene = await Scene.open();
    await createObserved(scene);
    const { browser } = await openSceneUi(scene);
    const { status, body } = await browser.post(`${getPath(scene)}/run`, {});
    const { metadata } = await getOnlyJob(scene);
    expect({ status, body }).toEqual({
      status: 200,
      body: { message: `${scene.namespace}/backup starts a run now.`, jobName: metadata.name },
    });
    await scene.eventually(async () => {
      const { podReport } = JSON.parse((await browser.request(`${getPath(scene)}/pods`)).body);
      // There is no Job controller here.
      expect(podReport).toMatchObject({
        sentence: 'It has no Pod yet.',
        remedy: {
          change: 'check its events',
          command: { commandLine: expect.stringMatching(/^kubectl describe job /) },
        },
      });
    });
  });

  test('suspends and resumes, and gets the messages of the commands', async () => {
    await using scene = await Scene.open();
    await createObserved(scene, { schedule: '* * * * *' });
    const { browser } = await openSceneUi(scene);
    const name = `${scene.namespace}/backup`;
    const post = (verb: string, body: object) => browser.post(`${getPath(scene)}/${verb}`, body);
    const formatSuccess = (message: unknown) => ({ status: 200, body: { message } });
    const until = new Date(scene.clock.now().getTime() + 7_200_000).toISOString();
    expect(await post('suspend', { until })).toEqual(
      formatSuccess(expect.stringMatching(`^${name} suspended until .* UTC \\(in .*\\)\\.$`)),
    );
    expect((await scene.cronJob('backup')).spec).toMatchObject({ suspend: false, suspendUntil: expect.any(String) });
    expect(await post('suspend', { until: null })).toEqual(formatSuccess(`${name} suspended.`));
    expect((await scene.cronJob('backup')).spec).toMatchObject({ suspend: true });
    expect(await post('suspend', { until })).toEqual(
      formatSuccess(`${name} is already suspended without an end; not changed: to set another time, resume it first.`),
    );
    await scene.waitUntilObserved('backup');
    const minute = await scene.passNextMinute();
    expect(await post('resume', { skipMissed: false })).toEqual(
      formatSuccess(expect.stringMatching(`^${name} resumed; the missed run of .* starts now\\.$`)),
    );
    await scene.waitForJob(minute);
    expect(await post('resume', { skipMissed: true })).toEqual(formatSuccess(`${name} is not suspended or paused.`));
  });

  test('reads the stored manifest without managed fields', async () => {
    await using scene = await Scene.open();
    const { metadata } = await scene.createCronJob(NEVER, 'backup');
    const { browser } = await openSceneUi(scene);
    const { status, headers, body } = await browser.request(`${getPath(scene)}/yaml`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/plain; charset=utf-8' });
    const { managedFields: _, ...stored } = metadata;
    expect(parse(body)).toMatchObject({ spec: { jobTemplate: { spec: {} } } });
    expect(parse(body).metadata).toEqual(stored);
  });

  test('gets an error for an invalid request, for a run that no manager would start, and for a missing CronJob', async () => {
    await using scene = await Scene.open();
    const { spec } = await scene.createCronJob({ ...NEVER, suspend: true }, 'backup');
    const { browser } = await openSceneUi(scene);
    for (const [action, body] of [
      ['suspend', {}],
      ['suspend', { until: 'tomorrow' }],
      ['suspend', { until: '2001-01-01T00:00:00Z' }],
      ['resume', {}],
      ['resume', { skipMissed: 'yes' }],
    ] as const) {
      expect(await browser.post(`${getPath(scene)}/${action}`, body)).toMatchObject({ status: 400 });
    }
    expect((await scene.cronJob('backup')).spec).toEqual(spec);
    expect(await browser.post(`${getPath(scene)}/run`, {})).toEqual({
      status: 409,
      body: { message: expect.stringContaining('no manager has reconciled this CronJob') },
    });
    for (const part of ['yaml', 'pods', 'logs?job=a']) {
      const { status, body } = await browser.request(`${getPath(scene, 'nothing')}/${part}`);
      expect({ status, ...JSON.parse(body) }).toEqual({
        status: 404,
        message: `CronJob "nothing" not found in namespace ${scene.namespace}.`,
      });
    }
  });

  test('reads logs while the run prints them, or the reason for missing ones', async () => {
    await using scene = await Scene.open();
    await createObserved(scene);
    const job = await startManualRun(scene);
    const { browser } = await openSceneUi(scene);
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let closedOnes = 0;
    await using kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ write, closed }) => {
      write('begins\n');
      await Promise.race([isOver, closed.then(() => closedOnes++)]);
      write('ends');
    });
    const logs = `${getPath(scene)}/logs?job=${job.metadata.name}`;
    await using events = await browser.events(logs);
    await kubelet.addPod(job.metadata.name, 'pod', { work: undefined, sidecar: 'ImagePullBackOff' });
    const line = (text: string) => ({ kind: 'line', pod: 'pod', container: 'work', text });
    const expectedEvents = [line('begins'), { kind: 'note', text: 'pod/sidecar has not started: ImagePullBackOff' }];
    const listLogTexts = ({ received }: UiEvents) => received.map(({ data }) => data);
    await eventually(() => expect(listLogTexts(events)).toEqual(expect.arrayContaining(expectedEvents)));
    const another = await browser.events(logs);
    await eventually(() => expect(listLogTexts(another)).toEqual(expect.arrayContaining(expectedEvents)));
    expect(closedOnes).toBe(0);
    await another[Symbol.asyncDispose]();
    await eventually(() => expect(closedOnes).toBe(1));
    expect(events.hasEnded).toBe(false);
    end();
    await scene.finish(job, 'Complete');
    await scene.eventually(async () => expect(events.hasEnded).toBe(true));
    expect(listLogTexts(events).slice(-2)).toEqual([line('ends'), { kind: 'end' }]);
  });
});
