import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inClusterNamespace } from './in-cluster-namespace.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'namespace-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test.each([
  ['system', 'system'],
  ['system\n', 'system'],
  ['', undefined],
])('of a file with %j is %j', async (content, want) => {
  const file = join(await folder(), 'namespace');
  await writeFile(file, content);
  expect(await inClusterNamespace(file)).toBe(want);
});

test('is nothing where there is no such file', async () => {
  expect(await inClusterNamespace(join(await folder(), 'namespace'))).toBeUndefined();
});

test('that cannot be read is an error', async () => {
  const path = await folder();
  await expect(inClusterNamespace(path)).rejects.toThrow(`read ${path}`);
});
