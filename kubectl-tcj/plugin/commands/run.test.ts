import { describe, expect, test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { toManualJobName } from '../../../api/v1/job-names.ts';
import { OUTAGES } from '../../../test/support/outages.ts';
import { WaitingCommand } from '../../../test/support/waiting-command.ts';

const MINUTE_MS = 60_000;

/** Resolves when the request for the run is stored. */
async function waitForRequest(command: WaitingCommand): Promise<{ readonly value: string; readonly jobName: string }> {
  return await command.eventually(() => {
    const stored = command.server.get(CronJob, { namespace: 'default', name: 'hello' });
    const value = stored?.metadata.annotations?.[RUN_NOW_ANNOTATION];
    if (stored === undefined || value === undefined) throw new Error('not asked for');
    return { value, jobName: toManualJobName(stored, value) };
  });
}

/** The status that a manager writes. */
function setStatus(
  command: WaitingCommand,
  { value, jobName }: { value: string; jobName: string },
  result: 'Running' | 'Succeeded',
) {
  const lastRun = { jobName, result, scheduledTime: value, trigger: 'Manual' } as const;
  const isActive = result === 'Running';
  command.status({
    lastManualRun: value,
    activeCount: isActive ? 1 : 0,
    ...(isActive ? { active: [{ name: jobName, scheduledTime: value }] } : { lastRun }),
  } as object);
}

describe('run --wait', () => {
  test.each(OUTAGES)('survives minutes in which $title, and reports it once', async ({ begin, end, error }) => {
    await using command = await WaitingCommand.open();
    command.start('run', 'hello', '--wait');
    const run = await waitForRequest(command);
    setStatus(command, run, 'Running');
    await command.eventually(() => expect(command.terminal.texts.out).toBe(`Job ${run.jobName} created\n`));
    await begin(command.server);
    await command.eventually(() => expect(command.terminal.texts.err).not.toBe(''));
    await command.advance(3 * MINUTE_MS);
    await end(command.server);
    setStatus(command, run, 'Succeeded');
    expect(await command.exitCode()).toBe(0);
    const lines = command.terminal.texts.err.split('\n');
    expect(lines).toEqual([expect.stringMatching(/; reconnecting$/), 'reconnected to the API server', '']);
    expect(lines[0]?.replace('; reconnecting', '')).toMatch(error);
    expect(command.terminal.texts.out).toContain('Succeeded');
  });

  test.each(OUTAGES)('ends at its --timeout while $title', async ({ begin, error }) => {
    await using command = await WaitingCommand.open();
    command.start('run', 'hello', '--wait', '--timeout', '2m');
    setStatus(command, await waitForRequest(command), 'Running');
    await command.eventually(() => expect(command.terminal.texts.out).not.toBe(''));
    await begin(command.server);
    expect(await command.exitCode()).toBe(1);
    expect(command.clock.monotonicMs()).toBeLessThan(3 * MINUTE_MS);
    expect(command.terminal.texts.err.split('\n')[0]?.replace('; reconnecting', '')).toMatch(error);
    expect(command.terminal.texts.err).toMatch(/^kubectl tcj run: .*; timed out\n$/m);
  });

  test('retries after credentials were refused once, but not forever', async () => {
    await using command = await WaitingCommand.open();
    command.start('run', 'hello', '--wait');
    setStatus(command, await waitForRequest(command), 'Running');
    await command.eventually(() => expect(command.terminal.texts.out).not.toBe(''));
    // The transport itself sends the request again.
    command.server.fail({}, { kind: 'error', code: 401, message: 'expired' }, 4);
    await command.eventually(() => expect(command.terminal.texts.err).toContain('reconnected to the API server\n'));
    command.server.fail({}, { kind: 'error', code: 401, message: 'expired' }, Number.POSITIVE_INFINITY);
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toMatch(/kubectl tcj run: the API server: expired\n$/);
  });

  test('checks a request without a response, and repeats it if it was lost', async () => {
    for (const kind of ['drop', 'cutAnswer'] as const) {
      await using command = await WaitingCommand.open();
      command.server.fail({ verb: 'patch' }, { kind }, 2);
      command.start('run', 'hello', '--wait');
      const run = await waitForRequest(command);
      setStatus(command, run, 'Succeeded');
      expect(await command.exitCode()).toBe(0);
      expect(command.server.count({ verb: 'patch' })).toBe(kind === 'drop' ? 3 : 1);
    }
  });

  test('repeats a request for which the API server is too busy', async () => {
    await using command = await WaitingCommand.open();
    command.server.fail({ verb: 'patch' }, { kind: 'error', code: 429, retryAfterSeconds: 1 }, 2);
    command.start('run', 'hello', '--wait');
    setStatus(command, await waitForRequest(command), 'Succeeded');
    expect(await command.exitCode()).toBe(0);
  });

  test('reports a refusal of the API server immediately', async () => {
    await using command = await WaitingCommand.open();
    command.server.fail({ verb: 'patch' }, { kind: 'error', code: 500, message: 'no' });
    command.start('run', 'hello', '--wait');
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toBe('kubectl tcj run: the API server: no\n');
  });
});

test('run --logs ends at its --timeout', async () => {
  await using command = await WaitingCommand.open();
  command.start('run', 'hello', '--logs', '--timeout', '2m');
  setStatus(command, await waitForRequest(command), 'Running');
  expect(await command.exitCode()).toBe(1);
  expect(command.clock.monotonicMs()).toBeLessThan(3 * MINUTE_MS);
  expect(command.terminal.texts.err).toMatch(
    /is still running; to see its result later, use: kubectl tcj history hello .*\n$/,
  );
});

test('a command that does not wait fails immediately without an API server', async () => {
  await using command = await WaitingCommand.open();
  await command.server.goDown();
  command.start('run', 'hello', '--wait');
  expect(await command.exitCode()).toBe(1);
  expect(command.terminal.texts.err).toMatch(/^kubectl tcj run: cannot reach the API server \(ECONNRESET\)/);
});
