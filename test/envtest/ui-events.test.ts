/** What a page of kubectl tcj ui is told of CronJobs, at a real API server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { GROUP } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { GATHER_MS } from '../../kubectl-tcj/plugin/ui-server/open-page.ts';
import { Scene } from '../support/scene.ts';
import { shuttableWay } from '../support/shuttable-way.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openUi, type UiEvents } from '../support/ui.ts';
import { grant } from './support/grant.ts';
import { EmptyCluster } from './support/installation.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import './support/provided.ts';

const NEVER = { schedule: '0 0 1 1 *' };
/** Which a page needs to watch. */
const READ = { apiGroups: [GROUP], resources: ['cronjobs'], verbs: ['list', 'watch'] };
/** Between the tries of a watch there is up to half a minute, and a minute. */

async function isLive(events: UiEvents): Promise<void> {
  await eventually(() => expect(events.watch).toEqual({ kind: 'Live' }));
}

test('a page is told of all CronJobs, then that it has them, then of each change', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob(NEVER, 'first', { [`${GROUP}/run-now`]: 'a', 'example.com/notes': 'b' });
  await using ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig') });
  await using events = await ui.browser.events('/api/events');
  await isLive(events);
  expect(events.seen.map(({ event, data }) => [event, data.kind])).toEqual([
    ['watch', 'Reading'],
    ['cronjobs', undefined],
    ['watch', 'Live'],
  ]);
  const [first] = events.seen[1]?.data.changed ?? [];
  expect(Object.keys(first).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  expect(first.metadata).toEqual({
    ...{ namespace: scene.namespace, name: 'first', generation: 1 },
    ...{ uid: expect.any(String), creationTimestamp: expect.any(String) },
    annotations: { [`${GROUP}/run-now`]: 'a' },
  });
  expect(first.spec).toMatchObject({ schedule: NEVER.schedule, concurrencyPolicy: 'Allow' });
  expect(first.spec).not.toHaveProperty('jobTemplate');

  await scene.createCronJob(NEVER, 'second');
  await eventually(() => expect(events.shown).toEqual(['first', 'second']));
  await scene.edit({ suspend: true }, 'second');
  await eventually(() => expect(events.seen.at(-1)?.data.changed?.[0]?.spec.suspend).toBe(true));
  await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'first' });
  await eventually(() => expect(events.shown).toEqual(['second']));

  await using another = await ui.browser.events('/api/events');
  await isLive(another);
  expect(another.shown).toEqual(['second']);
});

test('many come in events of 200 at most', async () => {
  await using scene = await Scene.open();
  const names = Array.from({ length: 450 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
  await Promise.all(names.map((name) => scene.createCronJob(NEVER, name)));
  await using ui = await openUi(['-n', scene.namespace], { kubeconfig: inject('kubeconfig') });
  await using events = await ui.browser.events('/api/events');
  await isLive(events);
  const counts = events.seen.flatMap(({ data }) => (data.changed ? [data.changed.length] : []));
  expect(counts).toEqual([200, 200, 50]);
  expect(events.shown).toEqual(names);
});

test('while the API server is gone a page says so, and then has what became of its CronJobs', async () => {
  await using way = await shuttableWay(inject('kubeconfig'));
  await using scene = await Scene.open();
  for (const name of ['deleted', 'kept', 'made-again']) await scene.createCronJob(NEVER, name);
  await using ui = await openUi(['-n', scene.namespace], { kubeconfig: way.kubeconfig });
  await using events = await ui.browser.events('/api/events');
  await isLive(events);
  await way.shut();
  await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Unreachable' }));
  expect(events.watch.message).toMatch(/^The API server https:\/\/\S+ cannot be reached \(\w+\)\.$/);
  expect(events.watch.change).toContain('Check the network');
  // One that comes now sees what there was.
  await using late = await ui.browser.events('/api/events');
  await eventually(() => expect(late.watch).toMatchObject({ kind: 'Broken' }));
  expect(late.shown).toEqual(['deleted', 'kept', 'made-again']);
  const { namespace } = scene;
  for (const name of ['deleted', 'made-again']) await scene.client.delete(cronJobs, { namespace, name });
  await scene.createCronJob(NEVER, 'made-again');
  await scene.createCronJob(NEVER, 'new');
  way.open();
  for (const each of [events, late]) {
    await isLive(each);
    await eventually(() => expect(each.shown).toEqual(['kept', 'made-again', 'new']));
  }
  // By itself, when nobody opens a page meanwhile.
  await way.shut();
  await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken' }));
  await scene.client.delete(cronJobs, { namespace, name: 'kept' });
  way.open();
  await isLive(events);
  await eventually(() => expect(events.shown).toEqual(['made-again', 'new']));
});

test('a page that is opened again makes a watch that is broken try at once', async () => {
  const system = new SystemClock();
  // The wait for the next try never ends.
  const clock: Clock = {
    now: () => system.now(),
    monotonicMs: () => system.monotonicMs(),
    schedule: (delayMs, callback) => (delayMs <= GATHER_MS ? system.schedule(delayMs, callback) : () => {}),
  };
  await using way = await shuttableWay(inject('kubeconfig'));
  await using scene = await Scene.open();
  await using ui = await openUi(['-n', scene.namespace], { kubeconfig: way.kubeconfig, clock });
  await way.shut();
  await using events = await ui.browser.events('/api/events');
  await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken' }));
  way.open();
  await using again = await ui.browser.events('/api/events');
  for (const each of [again, events]) await isLive(each);
});

describe('rights', () => {
  test('without the right to watch a page says which is missing, and goes on when it is granted', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob(NEVER, 'secret');
    const user = `user-of-${scene.namespace}`;
    const kubeconfig = kubeconfigAs(user, inject('kubeconfig'));
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig });
    await using events = await ui.browser.events('/api/events');
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Forbidden' }));
    expect(events.watch.message).toBe(
      `You may not list and watch CronJobs in the namespace ${scene.namespace}: the verbs list and watch of cronjobs.${GROUP} are missing.`,
    );
    expect(events.shown).toEqual([]);
    expect(await ui.browser.json(`/api/rights?namespace=${scene.namespace}`)).toEqual({
      patchCronJobs: false,
      readLogs: false,
    });
    const { status, body } = await ui.browser.ask(`/api/cronjobs/${scene.namespace}/secret/yaml`);
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 403,
      message: expect.stringContaining('forbidden'),
    });
    await grant(scene.client, user, scene.namespace, [READ]);
    await isLive(events);
    expect(events.shown).toEqual(['secret']);
  });

  test('decide what is shown where nobody asks for a namespace', async () => {
    await using scene = await Scene.open();
    const user = `user-of-${scene.namespace}`;
    await grant(scene.client, user, scene.namespace, [
      READ,
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    ]);
    const kubeconfig = inNamespace(kubeconfigAs(user, inject('kubeconfig')), scene.namespace);
    await using narrow = await openUi([], { kubeconfig });
    expect(await narrow.browser.json('/api/about')).toMatchObject({
      namespace: scene.namespace,
      narrowedBecause: 'You may not list and watch CronJobs in all namespaces.',
    });
    expect(await narrow.browser.json(`/api/rights?namespace=${scene.namespace}`)).toEqual({
      patchCronJobs: false,
      readLogs: true,
    });
    await using wide = await openUi([], { kubeconfig: inject('kubeconfig') });
    const context = parse(readFileSync(inject('kubeconfig'), 'utf8'))['current-context'];
    expect(await wide.browser.json('/api/about')).toEqual({ version: expect.any(String), context });
    expect(await wide.browser.json(`/api/rights?namespace=${scene.namespace}`)).toEqual({
      patchCronJobs: true,
      readLogs: true,
    });
  });

  test('that have expired are told of', async () => {
    await using scene = await Scene.open();
    const kubeconfig = parse(readFileSync(inject('kubeconfig'), 'utf8'));
    kubeconfig.users = kubeconfig.users.map(({ name }: { name: string }) => ({ name, user: { token: 'expired' } }));
    const file = join(temporaryFolder(), 'kubeconfig');
    writeFileSync(file, stringify(kubeconfig));
    await using ui = await openUi(['-n', scene.namespace], { kubeconfig: file });
    await using events = await ui.browser.events('/api/events');
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Unauthorized' }));
    const { status, body } = await ui.browser.ask('/api/rights?namespace=a');
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 502, change: expect.stringContaining('Sign in') });
    expect(body + JSON.stringify(events.seen)).not.toContain('expired"');
  });
});

function inNamespace(path: string, namespace: string): string {
  const kubeconfig = parse(readFileSync(path, 'utf8'));
  for (const { context } of kubeconfig.contexts) context.namespace = namespace;
  writeFileSync(path, stringify(kubeconfig));
  return path;
}

describe('without the kind', () => {
  const cluster = new EmptyCluster();

  test('a page says so, and goes on when it is installed', async () => {
    await using ui = await openUi([], { kubeconfig: cluster.running.kubeconfig });
    await using events = await ui.browser.events('/api/events');
    await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'NotInstalled' }));
    expect(events.watch.change).toContain('Install the operator');
    await cluster.kubectl('create', '-f', 'config/crd/bases');
    await isLive(events);
  });
});
