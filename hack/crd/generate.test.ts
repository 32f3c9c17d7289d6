import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const FILE = 'batch.tutorial.kubebuilder.io_cronjobs.yaml';

function generate(...args: readonly string[]) {
  return new Promise<{ code: number | string | null | undefined; stderr: string }>((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'generate.ts'), ...args], (error, _stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stderr }),
    );
  });
}

async function emptyDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'crd-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

test('the checked-in CRD is what the schemas say', async () => {
  expect(await generate('--check')).toEqual({ code: 0, stderr: '' });
});

test('--check writes nothing and says which file is missing and what to run', async () => {
  const dir = await emptyDir();
  const { code, stderr } = await generate('--check', '--output-dir', dir);
  expect(code).toBe(1);
  expect(stderr).toContain(`${FILE} is stale: run \`make manifests\``);
  expect(await readdir(dir)).toEqual([]);
});

test('mends a file that was edited', async () => {
  const dir = await emptyDir();
  const file = join(dir, FILE);
  await generate('--output-dir', dir);
  const fresh = await readFile(file, 'utf8');
  await appendFile(file, '# edited\n');
  expect((await generate('--check', '--output-dir', dir)).code).toBe(1);
  expect((await generate('--output-dir', dir)).code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe(fresh);
});
