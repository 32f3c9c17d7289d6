import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import type { KeyPair } from './key-pair.ts';
import { KeyPairFiles } from './key-pair-files.ts';
import { createSelfSignedKeyPair } from './self-signed-key-pair.ts';

let folder: string;
beforeEach(() => {
  folder = createTemporaryFolder();
});

const now = new Date('2030-01-01');
const files = (log = new RecordingLogger(), clock = new FakeClock()) => new KeyPairFiles({ folder, clock, log });

async function write({ cert, key }: KeyPair, into = folder): Promise<void> {
  await Promise.all([writeFile(join(into, 'tls.crt'), cert), writeFile(join(into, 'tls.key'), key)]);
}

describe('load', () => {
  test('reads tls.crt and tls.key', async () => {
    const pair = await createSelfSignedKeyPair(['localhost'], now);
    await write(pair);
    expect(await files().load()).toEqual(pair);
  });

  test('names a missing file', async () => {
    await expect(files().load()).rejects.toThrow(`read ${join(folder, 'tls.crt')}`);
  });

  test('rejects a key of another certificate', async () => {
    const [one, other] = await Promise.all([createSelfSignedKeyPair(['a'], now), createSelfSignedKeyPair(['b'], now)]);
    await write({ cert: one.cert, key: other.key });
    await expect(files().load()).rejects.toThrow('are not a key pair');
  });
});

describe('reload', () => {
  test('returns undefined while the files are unchanged', async () => {
    await write(await createSelfSignedKeyPair(['localhost'], now));
    const source = files();
    await source.load();
    expect(await source.reload()).toBeUndefined();
  });

  test('returns the new pair when a symbolic link above the files changes, as in a mounted Secret', async () => {
    const [before, after] = await Promise.all([
      createSelfSignedKeyPair(['a'], now),
      createSelfSignedKeyPair(['b'], now),
    ]);
    await Promise.all([mkdir(join(folder, '1')), mkdir(join(folder, '2'))]);
    await Promise.all([write(before, join(folder, '1')), write(after, join(folder, '2'))]);
    await symlink('1', join(folder, '..data'));
    await symlink('..data/tls.crt', join(folder, 'tls.crt'));
    await symlink('..data/tls.key', join(folder, 'tls.key'));
    const source = files();
    expect(await source.load()).toEqual(before);
    await symlink('2', join(folder, '..new'));
    await rename(join(folder, '..new'), join(folder, '..data'));
    expect(await source.reload()).toEqual(after);
  });

  test('keeps the old pair while the new one is half written, and logs it once', async () => {
    const [before, after] = await Promise.all([
      createSelfSignedKeyPair(['a'], now),
      createSelfSignedKeyPair(['b'], now),
    ]);
    await write(before);
    const log = new RecordingLogger();
    const source = files(log);
    await source.load();
    await writeFile(join(folder, 'tls.crt'), after.cert);
    expect(await source.reload()).toBeUndefined();
    expect(await source.reload()).toBeUndefined();
    expect(log.errors).toHaveLength(1);
    await writeFile(join(folder, 'tls.key'), after.key);
    expect(await source.reload()).toEqual(after);
  });
});

test('watch checks every ten seconds until it is stopped', async () => {
  const [before, after] = await Promise.all([createSelfSignedKeyPair(['a'], now), createSelfSignedKeyPair(['b'], now)]);
  await write(before);
  const clock = new FakeClock();
  const source = files(undefined, clock);
  await source.load();
  const pairs: KeyPair[] = [];
  const stop = new AbortController();
  const watching = source.watch(stop.signal, (pair) => pairs.push(pair));
  await write(after);
  await clock.advance(9_999);
  expect(pairs).toEqual([]);
  await clock.advance(1);
  await vi.waitFor(() => expect(pairs).toEqual([after]));
  stop.abort();
  await watching;
  expect(clock.pendingTimers).toBe(0);
});
