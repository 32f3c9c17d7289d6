/** A small operator and its tests, as a user of the package writes them. */
import { conditions, core, defineKind, int32, type Manager, setCondition } from 'controller-runtime';
import { eventually, FakeApiServer, FakeClock, RecordingLogger, startTestManager } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';

const Timer = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Timer',
  spec: z.object({ seconds: int32().min(1) }),
  status: z.object({ conditions: conditions() }),
});

/** Creates a ConfigMap when the seconds of a Timer have passed since its creation. */
function setUp(manager: Manager): void {
  manager
    .controller('timer')
    .for(Timer)
    .owns(core.v1.configMaps)
    .reconcile(async ({ metadata, spec, status: stored }, { apply, status, now }) => {
      const leftMs = Date.parse(metadata.creationTimestamp) + spec.seconds * 1_000 - now.getTime();
      const [isOver, reason] = leftMs > 0 ? (['False', 'Waiting'] as const) : (['True', 'TimePassed'] as const);
      if (leftMs <= 0) await apply(core.v1.configMaps, { metadata: { name: metadata.name } });
      const rang = { type: 'Rang', status: isOver, reason, message: '' };
      await status({ conditions: setCondition(stored?.conditions, rang, now) });
      return leftMs > 0 ? { requeueAfterMs: leftMs } : {};
    });
}

const egg = { metadata: { namespace: 'default', name: 'egg' }, spec: { seconds: 300 } };
const withCondition = (status: string) => ({ status: { conditions: [{ type: 'Rang', status }] } });

test('rings after the delay, not before', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z'); // creation time of all objects in the fake API server
  await using server = await FakeApiServer.start({ kinds: [Timer] });
  await using _ = await startTestManager({ cluster: server, setUp, clock });
  await server.client.create(Timer, egg);
  await eventually(() => expect(server.get(Timer, egg.metadata)).toMatchObject(withCondition('False')));
  expect(server.list(core.v1.configMaps)).toEqual([]);
  await eventually(async () => {
    await clock.advance(60_000);
    expect(server.get(Timer, egg.metadata)).toMatchObject(withCondition('True'));
  });
  expect(server.list(core.v1.configMaps)).toMatchObject([{ metadata: { name: 'egg' } }]);
});

test('rings although the API server first rejects the ConfigMap', async () => {
  const [clock, log] = [new FakeClock('2026-01-01T01:00:00Z'), new RecordingLogger()];
  await using server = await FakeApiServer.start();
  server.fail({ verb: 'patch', resource: core.v1.configMaps }, { kind: 'error', code: 503 });
  server.put(Timer, egg);
  await using _ = await startTestManager({ cluster: server, setUp, clock, log });
  await eventually(async () => {
    await clock.advance(1_000); // the next attempt waits for that
    expect(server.get(Timer, egg.metadata)).toMatchObject(withCondition('True'));
  });
  expect(log.errors).toMatchObject([{ message: 'reconcile failed, will retry', fields: { name: 'egg' } }]);
});
