import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');
const BAD = 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: Cronjob\n';

/** What `kubectl tcj lint -` prints, not to a terminal. */
function lint(env: NodeJS.ProcessEnv): Promise<string> {
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, 'lint', '-'], { env: { ...rest, ...env } }, (_error, stdout) =>
      resolve(stdout),
    );
    child.stdin?.end(BAD);
  });
}

test('where there is no terminal nothing is coloured, unless FORCE_COLOR says so', async () => {
  expect(await lint({})).toContain(': error: kind: ');
  expect(await lint({ FORCE_COLOR: '1' })).toContain(': \u001b[31merror\u001b[39m: kind: ');
});
