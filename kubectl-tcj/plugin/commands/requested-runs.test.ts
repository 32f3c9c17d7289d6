/** `run`, `retry` and `backfill` with CronJobRuns, at an API server in memory. */
import { describe, expect, test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CronJobRun, type CronJobRunStatus } from '../../../api/v1/cronjobrun-types.ts';
import { toRequestedJobName } from '../../../api/v1/job-names.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { OUTAGES } from '../../../test/support/outages.ts';
import { WaitingCommand } from '../../../test/support/waiting-command.ts';

const MINUTE_MS = 60_000;
const SLOT = new Date('2025-12-31T23:00:00Z');
const FAILED_RUN = `2025-12-31T23:00:00Z Failed hello-${SLOT.getTime() / 1000} Schedule took=5s`;
const BACKFILL = ['backfill', 'hello', '--from', '2025-12-31T20:00', '--to', '2025-12-31T22:00'];
const CREATE = { verb: 'create', resource: CronJobRun } as const;

async function openWithFailedRun(): Promise<WaitingCommand> {
  const command = await WaitingCommand.open();
  command.status({ recentRuns: [FAILED_RUN] });
  return command;
}

/** Resolves when the CronJobRun is stored. */
async function waitForRequest(command: WaitingCommand): Promise<CronJobRun> {
  return await command.eventually(() => command.server.list(CronJobRun)[0] ?? expect.fail('no CronJobRun'));
}

/** Writes the status of a manager. */
function setStatus({ server }: WaitingCommand, { metadata, spec }: CronJobRun, status: CronJobRunStatus): void {
  server.put(CronJobRun, { metadata, spec, status });
}

const condition = (type: string, isTrue: boolean, reason: string, message = '') => ({
  ...{ type, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
  status: isTrue ? ('True' as const) : ('False' as const),
});
const accepted = condition('Accepted', true, 'Accepted');
const running = (message: string) => ({ conditions: [accepted, condition('Complete', false, 'Running', message)] });
const completed = (message: string) => ({ conditions: [accepted, condition('Complete', true, 'Succeeded', message)] });
const failed = (message: string) => ({
  conditions: [
    accepted,
    condition('Complete', false, 'RunsFailed', message),
    condition('Failed', true, 'RunsFailed', message),
  ],
});

describe('retry', () => {
  test('creates a CronJobRun for the scheduled time of the failed run, and prints its result', async () => {
    await using command = await openWithFailedRun();
    command.start('retry', 'hello', '--wait');
    const run = await waitForRequest(command);
    expect(run.metadata.name).toMatch(/^hello-retry-[0-9a-f]{8}$/);
    expect(run.spec).toEqual({
      cronJobName: 'hello',
      scheduledTime: '2025-12-31T23:00:00Z',
      ttlSecondsAfterFinished: 86_400,
    });
    const name = toRequestedJobName(run, SLOT);
    const job = { name, scheduledTime: '2025-12-31T23:00:00Z', startTime: '2026-01-01T00:00:00Z' };
    setStatus(command, run, { ...running(''), jobs: [{ ...job, result: 'Running' }] });
    await command.eventually(() => expect(command.terminal.texts.out).toContain(`Job ${name} created\n`));
    const cause = { reason: 'BackoffLimitExceeded', message: 'it failed twice' };
    const end = { result: 'Failed', ...cause, completionTime: '2026-01-01T00:01:00Z' } as const;
    setStatus(command, run, { ...failed('no'), jobs: [{ ...job, ...end }] });
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts).toEqual({
      out: `default/hello repeats the run of Wed 2025-12-31 23:00 UTC\nJob ${name} created\nThe requested run of Wed 2025-12-31 23:00 UTC failed after 60s: BackoffLimitExceeded: it failed twice.\n`,
      err: `to see its logs, use: kubectl tcj logs hello -n default --run ${name}\n`,
    });
  });

  test('reports the reason that the run does not start', async () => {
    await using command = await openWithFailedRun();
    command.start('retry', 'hello');
    const run = await waitForRequest(command);
    const message = 'Error creating job: denied';
    const failedStart = { jobName: 'hello-b1', reason: 'Refused', message: 'denied' } as const;
    const conditions = [accepted, condition('Complete', false, 'FailedCreate', message)];
    setStatus(command, run, { conditions, failedStart });
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toMatch(/^Job hello-b\S+ has not started: its Job cannot be created: denied\n$/);
  });

  test('fails when the CronJobRun is refused or deleted', async () => {
    for (const [change, message] of [
      [
        (command: WaitingCommand, run: CronJobRun) => setStatus(command, run, failed('it is too old')),
        'failed: it is too old',
      ],
      [
        ({ server }: WaitingCommand, { metadata }: CronJobRun) => server.remove(CronJobRun, metadata),
        'was deleted while',
      ],
    ] as const) {
      await using command = await openWithFailedRun();
      command.start('retry', 'hello', '--wait');
      change(command, await waitForRequest(command));
      expect(await command.exitCode()).toBe(1);
      expect(command.terminal.texts.err).toContain(message);
    }
  });

  test('copies the overrides of the run, and reports that they are unknown', async () => {
    const overrides = { containers: [{ name: 'hello', args: ['--full'] }] };
    for (const isStored of [true, false]) {
      await using command = await WaitingCommand.open();
      const spec = { cronJobName: 'hello', manual: {}, overrides, concurrencyPolicy: 'Ignore' } as const;
      const first = command.server.put(CronJobRun, { metadata: { name: 'first', namespace: 'default' }, spec });
      if (!isStored) command.server.remove(CronJobRun, first.metadata);
      const jobName = toRequestedJobName(first);
      command.status({ recentRuns: [`2026-01-01T00:00:00Z Failed ${jobName} Manual by=first took=5s`] });
      command.start('retry', 'hello', '--run', jobName);
      await command.exitCode();
      const retried = command.server.list(CronJobRun).find(({ metadata }) => metadata.name !== 'first');
      const copied = { overrides, concurrencyPolicy: 'Ignore' };
      expect(retried?.spec).toEqual({
        ...{ cronJobName: 'hello', manual: {}, ttlSecondsAfterFinished: 86_400 },
        ...(isStored && copied),
      });
      const note = 'the retry has no overrides, because CronJobRun first of the run no longer exists\n';
      expect(command.terminal.texts.err.includes(note)).toBe(!isStored);
    }
  });

  test.each([
    [
      404,
      'the CustomResourceDefinition cronjobruns.batch.tutorial.kubebuilder.io is not installed in this cluster; upgrade the operator as docs/install.md describes',
    ],
    [
      403,
      'the API server: injected fault; the ClusterRole cronjob-operator-cronjob-runner-role allows you to create CronJobRuns',
    ],
    [500, 'the API server: injected fault'],
  ])('explains the status %i', async (code, message) => {
    await using command = await openWithFailedRun();
    command.server.fail(CREATE, { kind: 'error', code });
    command.start('retry', 'hello');
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toBe(`kubectl tcj retry: ${message}\n`);
  });

  test('checks a request without a response, and repeats it if it was lost', async () => {
    for (const kind of ['drop', 'cutAnswer'] as const) {
      await using command = await openWithFailedRun();
      command.server.fail(CREATE, { kind }, 2);
      command.start('retry', 'hello');
      await command.exitCode();
      expect(command.server.list(CronJobRun)).toHaveLength(1);
      expect(command.server.count(CREATE)).toBe(kind === 'drop' ? 3 : 1);
    }
  });

  test('finds its CronJobRun when the API server stores it after the connection was lost', async () => {
    await using command = await openWithFailedRun();
    command.server.fail(CREATE, { kind: 'cutAnswer' });
    command.server.fail({ verb: 'get', resource: CronJobRun }, { kind: 'error', code: 404 });
    command.start('retry', 'hello');
    await command.exitCode();
    expect(command.server.count(CREATE)).toBe(2);
    expect(command.terminal.texts.err).not.toContain('kubectl tcj retry:');
  });

  test('repeats a request for which the API server is too busy', async () => {
    await using command = await openWithFailedRun();
    command.server.fail(CREATE, { kind: 'error', code: 429, retryAfterSeconds: 1 }, 2);
    command.start('retry', 'hello');
    await command.exitCode();
    expect(command.server.list(CronJobRun)).toHaveLength(1);
    expect(command.terminal.texts.err).not.toContain('kubectl tcj retry:');
  });
});

describe('backfill --wait', () => {
  test.each(OUTAGES)('survives minutes in which $title, and reports it once', async ({ begin, end, error }) => {
    await using command = await WaitingCommand.open();
    command.start(...BACKFILL, '--wait');
    const run = await waitForRequest(command);
    setStatus(command, run, running('0 of 2 succeeded'));
    await command.eventually(() => expect(command.terminal.texts.out).toContain('0 of 2 succeeded\n'));
    await begin(command.server);
    await command.eventually(() => expect(command.terminal.texts.err).not.toBe(''));
    await command.advance(3 * MINUTE_MS);
    await end(command.server);
    setStatus(command, run, completed('2 of 2 succeeded'));
    expect(await command.exitCode()).toBe(0);
    const lines = command.terminal.texts.err.split('\n');
    expect(lines).toEqual([expect.stringMatching(/; reconnecting$/), 'reconnected to the API server', '']);
    expect(lines[0]?.replace('; reconnecting', '')).toMatch(error);
    expect(command.terminal.texts.out).toBe(
      `default/hello starts 2 runs, one at a time: first the run of Wed 2025-12-31 20:00 UTC, last the run of Wed 2025-12-31 21:00 UTC (CronJobRun ${run.metadata.name})\n` +
        `0 of 2 succeeded\nCronJobRun ${run.metadata.name} completed: 2 of 2 succeeded\n`,
    );
  });

  test('ends at its --timeout, and says how to see the state', async () => {
    await using command = await WaitingCommand.open();
    command.start(...BACKFILL, '--wait', '--timeout', '2m');
    const { name } = (await waitForRequest(command)).metadata;
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.err).toBe(
      `CronJobRun ${name} starts no run now: no manager has handled the request yet; the run starts as soon as a manager does\n` +
        `kubectl tcj backfill: timed out: CronJobRun ${name} continues; to see its state later, use: kubectl get cronjobruns.batch.tutorial.kubebuilder.io ${name} -n default\n`,
    );
  });

  test('explains why no run starts, and fails with the CronJobRun', async () => {
    await using command = await WaitingCommand.open();
    const spec = cronJob({ concurrencyPolicy: 'Forbid' }).spec;
    const status = { observedGeneration: 1, activeCount: 1, active: [{ name: 'hello-1' }] };
    command.server.put(CronJob, { metadata: { name: 'hello', namespace: 'default' }, spec, status });
    command.start(...BACKFILL, '--wait', '--reverse', '--max-concurrent', '2', '--limit', '5');
    const run = await waitForRequest(command);
    expect(run.spec.backfill).toEqual({
      ...{ startTime: '2025-12-31T20:00:00Z', endTime: '2025-12-31T22:00:00Z' },
      ...{ order: 'NewestFirst', maxConcurrentRuns: 2, limit: 5 },
    });
    setStatus(command, run, { conditions: [accepted, condition('Complete', false, 'Waiting', 'the next run waits')] });
    await command.eventually(() =>
      expect(command.terminal.texts.err).toBe(
        `CronJobRun ${run.metadata.name} starts no run now: it waits for the active run to end (concurrencyPolicy Forbid): hello-1\n`,
      ),
    );
    setStatus(command, run, failed('1 of 2 succeeded, 1 failed'));
    expect(await command.exitCode()).toBe(1);
    expect(command.terminal.texts.out).toContain('failed: 1 of 2 succeeded, 1 failed\n');
    expect(command.terminal.texts.err).toContain('to see its runs, use: kubectl tcj history hello -n default\n');
  });
});

describe('a wrong command line', () => {
  test.each([
    [['backfill', 'hello', '--from', '02:00'], '--to is required'],
    [['backfill', 'hello', '--from', 'now', '--to', '02:00'], '--from: "now" is not valid'],
    [[...BACKFILL, '--limit', '1001'], '--limit: "1001" is not valid'],
    [[...BACKFILL, '--max-concurrent', '0'], '--max-concurrent: "0" is not valid'],
    [[...BACKFILL, '--timeout', '5m'], '--timeout requires --wait'],
    [['run', 'hello', '--container', 'a'], '--container requires --arg or --env'],
    [['run', 'hello', '--env', '=a'], '--env: "=a" is not valid: use NAME=VALUE'],
  ])('%j', async (args, message) => {
    await using command = await WaitingCommand.open();
    command.start(...args);
    expect(await command.exitCode()).toBe(2);
    expect(command.terminal.texts.err).toContain(message);
    expect(command.server.list(CronJobRun)).toEqual([]);
  });
});

describe('backfill -o', () => {
  test.each(['json', 'name'])('%s prints the CronJobRun to stdout, and the messages to stderr', async (format) => {
    await using command = await WaitingCommand.open();
    command.start(...BACKFILL, '-o', format);
    const { metadata } = await waitForRequest(command);
    expect(await command.exitCode()).toBe(0);
    const { out, err } = command.terminal.texts;
    expect(err).toMatch(/^default\/hello starts 2 runs, /);
    if (format === 'name') expect(out).toBe(`cronjobrun.batch.tutorial.kubebuilder.io/${metadata.name}\n`);
    else expect(JSON.parse(out)).toMatchObject({ kind: 'CronJobRun', metadata: { name: metadata.name } });
  });

  test('with --wait prints it after its end', async () => {
    await using command = await WaitingCommand.open();
    command.start(...BACKFILL, '-o', 'yaml', '--wait');
    const run = await waitForRequest(command);
    setStatus(command, run, { ...completed('2 of 2 succeeded'), succeeded: 2 });
    expect(await command.exitCode()).toBe(0);
    expect(command.terminal.texts.out).toMatch(/^apiVersion: [\s\S]+\n {2}succeeded: 2\n/);
    expect(command.terminal.texts.err).toContain(' completed: 2 of 2 succeeded\n');
  });

  test('with --dry-run prints what would be created', async () => {
    await using command = await WaitingCommand.open();
    command.start(...BACKFILL, '-o', 'json', '--dry-run');
    expect(await command.exitCode()).toBe(0);
    expect(JSON.parse(command.terminal.texts.out).spec.backfill).toMatchObject({ limit: 100 });
    expect(command.server.list(CronJobRun)).toEqual([]);
  });
});

describe('run', () => {
  async function openWithOverrides(): Promise<WaitingCommand> {
    const command = await WaitingCommand.open();
    const containers = ['first', 'second'].map((name) => ({ name, image: 'busybox' }));
    const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
    const { spec } = cronJob({ runOverrides: 'ArgsAndEnv', jobTemplate });
    command.server.put(CronJob, {
      metadata: { name: 'hello', namespace: 'default' },
      spec,
      status: { observedGeneration: 1 },
    });
    return command;
  }

  test('-o name reads no Job, because the ClusterRole cronjob-runner-role does not allow that', async () => {
    await using command = await openWithOverrides();
    command.start('run', 'hello', '--arg', 'a', '-o', 'name');
    const run = await waitForRequest(command);
    const name = toRequestedJobName(run);
    setStatus(command, run, { ...running(''), jobs: [{ name, result: 'Running' }] });
    expect(await command.exitCode()).toBe(0);
    expect(command.terminal.texts).toEqual({ out: `job.batch/${name}\n`, err: `Job ${name} created\n` });
  });

  test('changes the first container by default', async () => {
    await using command = await openWithOverrides();
    command.start('run', 'hello', '--arg', '--full', '--arg=a,b', '--env', 'A=1', '--env', 'B=', '--env', 'A=x=y');
    expect((await waitForRequest(command)).spec).toEqual({
      cronJobName: 'hello',
      manual: {},
      overrides: {
        containers: [
          {
            name: 'first',
            args: ['--full', 'a,b'],
            env: [
              { name: 'A', value: 'x=y' },
              { name: 'B', value: '' },
            ],
          },
        ],
      },
      ttlSecondsAfterFinished: 86_400,
    });
  });

  test('changes the container of --container, and names the containers of the CronJob', async () => {
    await using command = await openWithOverrides();
    command.start('run', 'hello', '--arg', 'a', '--container', 'second');
    expect((await waitForRequest(command)).spec.overrides?.containers).toEqual([{ name: 'second', args: ['a'] }]);
    await using other = await openWithOverrides();
    other.start('run', 'hello', '--arg', 'a', '--container', 'third');
    expect(await other.exitCode()).toBe(1);
    expect(other.terminal.texts.err).toBe(
      'kubectl tcj run: the CronJob has no container third; it has first, second\n',
    );
  });
});
