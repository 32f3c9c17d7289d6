import { batch } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { OUTAGES } from '../../../test/support/outages.ts';
import { WaitingCommand } from '../../../test/support/waiting-command.ts';

const sources = batch.v1.cronJobs;
const KEY = { namespace: 'default', name: 'hello' };
const MINUTE_MS = 60_000;

/** A command in a cluster with an imported source and the CronJob that replaces it. */
async function openImported(): Promise<WaitingCommand> {
  const command = await WaitingCommand.open();
  const { schedule, jobTemplate } = cronJob().spec;
  // The two types of Job templates differ only in their names.
  const spec = { schedule, suspend: true, jobTemplate: jobTemplate as object };
  const { metadata } = command.server.put(sources, { metadata: KEY, spec });
  command.server.put(CronJob, {
    ...cronJob(),
    metadata: { ...KEY, annotations: { [IMPORTED_FROM_ANNOTATION]: metadata.uid } },
  });
  return command;
}

describe('import --wait', () => {
  test.each(OUTAGES)('survives minutes in which $title, and reports it once', async ({ begin, end }) => {
    await using command = await openImported();
    command.start('import', 'hello', '--wait');
    await command.eventually(() => expect(command.terminal.texts.err).toContain('waiting for a successful run'));
    await begin(command.server);
    await command.eventually(() => expect(command.terminal.texts.err).toContain('; reconnecting\n'));
    await command.advance(3 * MINUTE_MS);
    await end(command.server);
    command.status({ lastSuccessfulTime: '2026-01-01T00:01:00Z' });
    expect(await command.exitCode()).toBe(0);
    expect(command.server.get(sources, KEY)).toBeUndefined();
    expect(command.terminal.texts.err.match(/; reconnecting|reconnected to/g)).toEqual([
      '; reconnecting',
      'reconnected to',
    ]);
  });

  test.each(OUTAGES)('ends at its --timeout while $title', async ({ begin }) => {
    await using command = await openImported();
    command.start('import', 'hello', '--wait', '--timeout', '2m');
    await command.eventually(() => expect(command.terminal.texts.err).toContain('waiting for a successful run'));
    await begin(command.server);
    expect(await command.exitCode()).toBe(1);
    expect(command.clock.monotonicMs()).toBeLessThan(3 * MINUTE_MS);
    expect(command.terminal.texts.err).toMatch(/^default\/hello: .*; timed out\n$/m);
  });

  test('retries to delete the source when there was no response', async () => {
    await using command = await openImported();
    command.start('import', 'hello', '--wait');
    await command.eventually(() => expect(command.terminal.texts.err).toContain('waiting for a successful run'));
    command.server.fail({ verb: 'delete' }, { kind: 'drop' }, 2);
    command.server.fail({ verb: 'delete' }, { kind: 'cutAnswer' });
    command.status({ lastSuccessfulTime: '2026-01-01T00:01:00Z' });
    expect(await command.exitCode()).toBe(0);
    expect(command.server.get(sources, KEY)).toBeUndefined();
  });
});
