import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../test/support/temporary-folder.ts';

test('--check fails on a missing file', async () => {
  const check = promisify(execFile)(process.execPath, [
    ...[join(import.meta.dirname, 'generate.ts'), '--check', '--output-dir', createTemporaryFolder()],
  ]);
  await expect(check).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is stale: run `make manifests`'),
  });
});
