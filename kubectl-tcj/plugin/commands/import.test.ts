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
const REVIEW = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };

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

describe('import that loses the connection while it changes the source', () => {
  /** Starts an import, and answers for the manager that reconciles the copy of the new CronJob. */
  async function startImport(): Promise<WaitingCommand> {
    const command = await WaitingCommand.open();
    const { schedule, jobTemplate } = cronJob().spec;
    await command.server.client.delete(CronJob, KEY);
    command.server.put(sources, { metadata: KEY, spec: { schedule, jobTemplate: jobTemplate as object } });
    command.start('import', 'hello');
    await command.eventually(() => {
      const [copy] = command.server.list(CronJob);
      if (copy === undefined) throw new Error('no copy');
      command.server.put(CronJob, { ...copy, status: { observedGeneration: 1 } });
    });
    return command;
  }

  test.each(['drop', 'cutAnswer'] as const)('says that the source may be suspended: %s', async (kind) => {
    await using command = await startImport();
    command.server.fail({ verb: 'patch' }, { kind }, Number.POSITIVE_INFINITY);
    expect(await command.exitCode()).toBe(1);
    expect(command.server.get(sources, KEY)?.spec.suspend).toBe(kind === 'drop' ? undefined : true);
    expect(command.terminal.texts.err).toMatch(
      /^default\/hello: cannot reach the API server \(\w+\).*; the batch\/v1 CronJob may be suspended: run the same command again to continue, or add --revert to undo the import\n$/m,
    );
  });

  test('says so too when it cannot resume the source', async () => {
    await using command = await startImport();
    // This API server records no managedFields, so the import suspends the source and then tries to resume it.
    command.server.fail({ verb: 'patch' }, { kind: 'delay', delayMs: 0 });
    command.server.fail({ verb: 'patch' }, { kind: 'error', code: 403, message: 'no' }, Number.POSITIVE_INFINITY);
    expect(await command.exitCode()).toBe(1);
    expect(command.server.get(sources, KEY)?.spec.suspend).toBe(true);
    expect(command.terminal.texts.err).toContain(
      'default/hello: the API server: no; the batch/v1 CronJob may be suspended: run the same command again',
    );
  });
});

describe('import --revert that loses the connection', () => {
  test.each([
    ['patch', 'cutAnswer'],
    ['delete', 'drop'],
  ] as const)('says that both CronJobs may be suspended: %s', async (verb, kind) => {
    await using command = await openImported();
    command.status({ observedGeneration: 99 });
    // This API server answers no access reviews.
    const text = JSON.stringify({ ...REVIEW, metadata: {}, status: { allowed: true } });
    command.server.fail(
      { plural: 'selfsubjectaccessreviews' },
      { kind: 'text', code: 201, text, headers: { 'content-type': 'application/json' } },
    );
    command.server.fail({ verb }, { kind }, Number.POSITIVE_INFINITY);
    command.start('import', 'hello', '--revert');
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toMatch(
      /^default\/hello: cannot reach the API server \(\w+\).*; the CronJob may be suspended both here and in batch\/v1: run the same command again to continue\n$/m,
    );
    expect(command.server.get(CronJob, KEY)?.spec.suspend).toBe(true);
  });
});

describe('import that loses the connection while it checks for a manager', () => {
  test.each(['create', 'delete'])('leaves no copy of the CronJob, or says that it does: %s', async (verb) => {
    await using command = await WaitingCommand.open();
    const { schedule, jobTemplate } = cronJob().spec;
    await command.server.client.delete(CronJob, KEY);
    command.server.put(sources, { metadata: KEY, spec: { schedule, jobTemplate: jobTemplate as object } });
    if (verb === 'create') {
      command.server.fail({ verb }, { kind: 'delay', delayMs: 0 }); // the dry run
      command.server.fail({ verb }, { kind: 'cutAnswer' });
    }
    command.start('import', 'hello');
    if (verb === 'delete') {
      await command.eventually(() => {
        if (command.server.list(CronJob).length === 0) throw new Error('no copy');
      });
      command.server.fail({ verb }, { kind: 'drop' }, Number.POSITIVE_INFINITY);
      for (const copy of command.server.list(CronJob))
        command.server.put(CronJob, { ...copy, status: { observedGeneration: 1 } });
    }
    expect(await command.exitCode()).toBe(1);
    const copies = command.server.list(CronJob).map(({ metadata }) => metadata.name);
    expect(copies).toHaveLength(verb === 'create' ? 0 : 1);
    for (const name of copies)
      expect(command.terminal.texts.err).toContain(`could not delete the suspended CronJob default/${name}; delete it`);
  });
});
