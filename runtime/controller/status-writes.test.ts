import { expect, test } from 'vitest';
import { widget } from '../test-support/objects.ts';
import { StatusWrites } from './status-writes.ts';

const KEY = 'default/a';

/** The status writes of a pass, and the versions whose events have started a pass. */
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
      const startPass = () => void started.push(resourceVersion);
      if (!writes.hold(KEY, version(resourceVersion), startPass)) startPass();
    },
  };
}

test('an event of a status write starts a pass only after a success, when it arrives during the pass', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  deliver('2');
  writes.endPass(KEY, true);
  writes.startPass(KEY);
  await write('3');
  deliver('3');
  expect(started).toEqual([]);
  writes.endPass(KEY, false);
  expect(started).toEqual(['3']);
});

test('an event that arrives after a failed pass starts no pass, one that arrives after a success does', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  writes.endPass(KEY, true);
  deliver('2');
  writes.startPass(KEY);
  await write('3');
  writes.endPass(KEY, false);
  deliver('3');
  expect(started).toEqual(['3']);
});

test('events of other changes start a pass', async () => {
  const { writes, started, write, deliver } = scene();
  await write('2');
  deliver('3');
  writes.endPass(KEY, true);
  deliver('4');
  expect(started).toEqual(['3', '4']);
});

test('an event may arrive before the response of its write; others of that time start a pass', async () => {
  const { writes, started, version, deliver } = scene();
  const response = Promise.withResolvers<ReturnType<typeof version>>();
  const written = writes.write(KEY, () => response.promise);
  deliver('2');
  deliver('3');
  expect(started).toEqual([]);
  response.resolve(version('3'));
  await written;
  expect(started).toEqual(['2']);
  writes.endPass(KEY, true);
  expect(started).toEqual(['2']);
});

test('after a failed write, the events of that time start a pass', async () => {
  const { writes, started, deliver } = scene();
  const response = Promise.withResolvers<ReturnType<typeof widget>>();
  const written = writes.write(KEY, () => response.promise);
  deliver('2');
  response.reject(new Error('conflict'));
  await expect(written).rejects.toThrow('conflict');
  expect(started).toEqual(['2']);
});
