import { expect, test } from 'vitest';
import { widget } from '../test-support/objects.ts';
import { StatusWrites } from './status-writes.ts';

const KEY = 'default/a';

/** The status writes of a reconcile, and the versions whose events have started a reconcile. */
function scene() {
  const writes = new StatusWrites();
  const started: string[] = [];
  const version = (resourceVersion: string) => widget({ resourceVersion });
  return {
    writes,
    started,
    version,
    write: (resourceVersion: string) => writes.write(KEY, async () => version(resourceVersion)),
    deliver: (resourceVersion: string) => {
      const startReconcile = () => void started.push(resourceVersion);
      if (!writes.hold(KEY, version(resourceVersion), startReconcile)) startReconcile();
    },
  };
}

test('an event of a status write starts a reconcile only after a success, when it arrives during the reconcile', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  deliver('2');
  writes.endReconcile(KEY, true);
  writes.startReconcile(KEY);
  await write('3');
  deliver('3');
  expect(started).toEqual([]);
  writes.endReconcile(KEY, false);
  expect(started).toEqual(['3']);
});

test('an event that arrives after a failed reconcile starts no reconcile, one that arrives after a success does', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  writes.endReconcile(KEY, true);
  deliver('2');
  writes.startReconcile(KEY);
  await write('3');
  writes.endReconcile(KEY, false);
  deliver('3');
  expect(started).toEqual(['3']);
});

test('events of other changes start a reconcile', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  deliver('3');
  writes.endReconcile(KEY, true);
  deliver('4');
  expect(started).toEqual(['3', '4']);
});

test('an event may arrive before the response of its write; others of that time start a reconcile', async () => {
  const { writes, started, version, deliver } = scene();
  const response = Promise.withResolvers<ReturnType<typeof version>>();
  const written = writes.write(KEY, () => response.promise);
  deliver('2');
  deliver('3');
  expect(started).toEqual([]);
  response.resolve(version('3'));
  await written;
  expect(started).toEqual(['2']);
  writes.endReconcile(KEY, true);
  expect(started).toEqual(['2']);
});

test('after a failed write, the events of that time start a reconcile', async () => {
  const { writes, started, deliver } = scene();
  const response = Promise.withResolvers<ReturnType<typeof widget>>();
  const written = writes.write(KEY, () => response.promise);
  deliver('2');
  response.reject(new Error('conflict'));
  await expect(written).rejects.toThrow('conflict');
  expect(started).toEqual(['2']);
});
