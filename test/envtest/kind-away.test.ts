/** A CRD that is deleted while a manager runs, and is back later. */
import { defineKind } from 'controller-runtime';
import { apiextensions } from 'controller-runtime/kubernetes';
import {
  eventually,
  FakeClock,
  RecordingLogger,
  startTestEnvironment,
  startTestManager,
} from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import './support/provided.ts';

const Crate = defineKind({
  group: 'away.example.com',
  version: 'v1',
  kind: 'Crate',
  plural: 'crates',
  spec: z.object({}),
});

const GONE = 'the API server does not serve this kind, will retry; install its CustomResourceDefinition';
const BACK = 'the API server serves this kind again';

test('a kind whose definition was away for minutes is reconciled seconds after it is back', async () => {
  await using environment = await startTestEnvironment({ kinds: [Crate], kubeconfig: inject('kubeconfig') });
  const { client } = environment;
  const namespace = await environment.createNamespace('away');
  const [clock, log, seen] = [new FakeClock(new Date().toISOString()), new RecordingLogger(), new Set<string>()];
  await using _ = await startTestManager({
    ...{ cluster: environment, clock, log },
    setUp: (manager) =>
      void manager
        .controller('crate')
        .for(Crate)
        .reconcile(async ({ metadata }) => void seen.add(metadata.name)),
  });
  const passTime = (assertion: () => void) =>
    eventually(async () => {
      await clock.advance(1000);
      assertion();
    });
  const create = (name: string) => client.create(Crate, { metadata: { namespace, name }, spec: {} });
  const waitsMs = () => log.records.flatMap(({ fields: { retryAfterMs } }) => retryAfterMs ?? []) as number[];

  await create('before');
  await passTime(() => expect(seen).toContain('before'));
  await client.delete(apiextensions.v1.customResourceDefinitions, { name: 'crates.away.example.com' });
  await passTime(() => expect(log.records.filter(({ message }) => message === GONE).length).toBeGreaterThan(10));
  expect(log.records.filter(({ level, message }) => level === 'info' && message === GONE)).toHaveLength(1);

  await using again = await startTestEnvironment({ kinds: [Crate], kubeconfig: inject('kubeconfig') });
  await create('after');
  await passTime(() => expect(seen).toContain('after'));
  expect(Math.max(...waitsMs())).toBeLessThanOrEqual(5000);
  expect(log.records.map(({ message }) => message)).toContain(BACK);
  await again.client.delete(apiextensions.v1.customResourceDefinitions, { name: 'crates.away.example.com' });
});
