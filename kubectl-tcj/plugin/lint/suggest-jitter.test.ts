import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { runCommand } from '../run-command.ts';

/** Runs `lint --suggest-jitter` on Thursday at midnight. */
async function suggest(input: string, ...args: readonly string[]) {
  const terminal = new CapturedTerminal(input);
  const now = new Date('2026-01-01T00:00:00Z');
  const code = await runCommand(['lint', '-q', '--suggest-jitter', ...(args.length === 0 ? ['-'] : args)], {
    terminal,
    now,
    clock: new FakeClock(now),
    signal: new AbortController().signal,
    connect: () => expect.unreachable('lint needs no cluster'),
  });
  return { code, ...terminal.texts };
}

/** The manifests of CronJobs, each with its name. */
function manifests(specs: Readonly<Record<string, Partial<CronJobSpec>>>, namespace?: string): string {
  return Object.entries(specs)
    .map(([name, spec]) => {
      const { apiVersion, kind, spec: fields } = cronJob(spec);
      return JSON.stringify({ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, spec: fields });
    })
    .join('\n---\n');
}

const NIGHTLY = { schedule: '0 2 * * *' };
const NOTHING = '# In the next 7 days, no minute has runs of two CronJobs that a jitter could spread.\n';

test('prints a patch for each CronJob that starts in the busiest minute', async () => {
  const others = { hourly: { schedule: '30 * * * *' }, later: { schedule: '0 3 * * *' } };
  const frequent = { frequent: { schedule: '*/10 2 * * *' } };
  expect(await suggest(manifests({ one: NIGHTLY, two: NIGHTLY, ...others, ...frequent }, 'team'))).toEqual({
    code: 0,
    out:
      '# 3 runs start at Thu 2026-01-01 02:00 UTC. With these patches, on average 0.2 of these runs would start in a minute. ' +
      'The exact number depends on the UID that each CronJob gets when it is created.\n' +
      "# '<stdin>:1'\n" +
      `kubectl patch cronjobs.batch.tutorial.kubebuilder.io one -n team --type merge -p '{"spec":{"jitterSeconds":1800}}'\n` +
      "# '<stdin>:3'\n" +
      `kubectl patch cronjobs.batch.tutorial.kubebuilder.io two -n team --type merge -p '{"spec":{"jitterSeconds":1800}}'\n` +
      "# '<stdin>:9'\n" +
      `kubectl patch cronjobs.batch.tutorial.kubebuilder.io frequent -n team --type merge -p '{"spec":{"jitterSeconds":599}}'\n`,
    err: '',
  });
});

test.each<[name: string, input: string]>([
  ['one CronJob', manifests({ one: NIGHTLY })],
  ['CronJobs with a jitter', manifests({ one: NIGHTLY, two: { ...NIGHTLY, jitterSeconds: 600 } })],
  ['suspended CronJobs', manifests({ one: NIGHTLY, two: { ...NIGHTLY, suspend: true } })],
  ['CronJobs for every minute', manifests({ one: { schedule: '* * * * *' }, two: { schedule: '* * * * *' } })],
  ['a CronJob that starts twice in a minute', manifests({ one: { schedule: '@every 90s' } })],
])('suggests nothing for %s', async (_, input) => {
  expect((await suggest(input)).out).toBe(NOTHING);
});

test('omits CronJobs with errors', async () => {
  const { code, out } = await suggest(
    manifests({ one: NIGHTLY, two: NIGHTLY, three: { ...NIGHTLY, timeZone: 'Mars' } }),
  );
  expect(code).toBe(1);
  expect(out).toContain('# 2 runs start at');
  expect(out).not.toContain('three');
});

test('adds the suggestion to JSON, or null', async () => {
  const { out } = await suggest(manifests({ one: NIGHTLY, two: NIGHTLY }), '-', '-o', 'json');
  expect(JSON.parse(out).suggestedJitter).toEqual({
    time: '2026-01-01T02:00:00Z',
    cronJobs: [
      { file: '<stdin>', line: 1, name: 'one', jitterSeconds: 1800 },
      { file: '<stdin>', line: 3, name: 'two', jitterSeconds: 1800 },
    ],
    expectedPerMinute: expect.closeTo(120 / 1801),
  });
  expect(JSON.parse((await suggest(manifests({}), '-', '-o', 'json')).out).suggestedJitter).toBeNull();
});

test('a shell runs no file name of the output', async () => {
  const folder = createTemporaryFolder();
  const name = "it's $(touch evil)\n`touch evil`;touch evil";
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'a.yaml'), manifests({ one: NIGHTLY, two: NIGHTLY }));
  const { out } = await suggest('', join(folder, name));
  // zsh and other shells with this option read a comment as a command.
  const script = out.replaceAll(/^#/gm, 'true').replaceAll(/^kubectl/gm, 'true');
  execFileSync('sh', ['-c', script], { cwd: folder });
  expect(() => execFileSync('ls', [join(folder, 'evil')], { stdio: 'pipe' })).toThrow('No such file');
});
