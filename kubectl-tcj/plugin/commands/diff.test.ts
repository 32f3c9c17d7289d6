import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CronJob, type CronJobSpec, type CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { runTcj } from '../../../test/support/run-tcj.ts';

let server: FakeApiServer;
beforeAll(async () => {
  server = await FakeApiServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  for (const name of ['hello', 'other']) {
    const key = { namespace: 'default', name };
    if (server.get(CronJob, key) !== undefined) server.remove(CronJob, key);
  }
});

/** Stores the CronJob `hello`, or another one. */
function store(spec: Partial<CronJobSpec> = {}, name = 'hello', status?: CronJobStatus): void {
  const { metadata, ...rest } = cronJob(spec, status);
  server.put(CronJob, { ...rest, metadata: { ...metadata, name } });
}

/** A manifest of a CronJob for the standard input. */
function manifest(spec: Partial<CronJobSpec> = {}, metadata: object = {}): string {
  const { apiVersion, kind, spec: fields } = cronJob(spec);
  return JSON.stringify({ apiVersion, kind, metadata: { name: 'hello', ...metadata }, spec: fields });
}

/** Runs `diff` on Thursday at 12:10. */
async function diff(input: string, ...args: readonly string[]) {
  const terminal = new CapturedTerminal(input);
  const clock = new FakeClock(at('12:10:00'));
  const code = await runTcj(server, ['diff', '-f', '-', ...args], { terminal, clock });
  return { code, ...terminal.texts };
}

const DAILY = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };

test('prints the starts that an edit drops and adds, in the time zone of the CronJob', async () => {
  store(DAILY);
  expect(await diff(manifest({ ...DAILY, schedule: '30 3 * * *' }), '--days', '2')).toEqual({
    code: 1,
    out:
      'default/hello: starts 2 dropped, 2 added until Sat 2026-01-03 13:10 Europe/Berlin\n' +
      'CHANGE    OLD START              NEW START\n' +
      'dropped   Fri 2026-01-02 02:30   <none>\n' +
      'added     <none>                 Fri 2026-01-02 03:30\n' +
      'dropped   Sat 2026-01-03 02:30   <none>\n' +
      'added     <none>                 Sat 2026-01-03 03:30\n',
    err: '',
  });
});

test('prints the waiting runs that an edit drops', async () => {
  const queue = { schedule: '0 * * * *', concurrencyPolicy: 'Queue' } as const;
  const effectiveSchedule = { schedule: queue.schedule, timeZone: 'UTC', since: at('00:00:00') };
  store(queue, 'hello', { effectiveSchedule, lastScheduleTime: at('09:00:00') });
  expect(await diff(manifest({ ...queue, queueLimit: 1 }), '--days', '1')).toEqual({
    code: 1,
    out:
      'default/hello: starts 2 dropped until Fri 2026-01-02 12:10 UTC\n' +
      'CHANGE    OLD START                             NEW START\n' +
      'dropped   waiting run of Thu 2026-01-01 10:00   <none>\n' +
      'dropped   waiting run of Thu 2026-01-01 11:00   <none>\n',
    err: '',
  });
});

test('prints both starts of a run that moves', async () => {
  store(DAILY);
  const { code, out } = await diff(manifest({ ...DAILY, jitterSeconds: 3599 }), '--days', '1');
  expect(code).toBe(1);
  expect(out).toMatch(/^moved {4}Fri 2026-01-02 02:30 {3}Fri 2026-01-02 0[23]:\S+\n$/m);
});

test('exits with 0 without a change, and prints one line for all CronJobs', async () => {
  store(DAILY);
  store({}, 'other');
  const same = `${manifest(DAILY)}\n---\n${manifest({ successfulJobsHistoryLimit: 9 }, { name: 'other' })}`;
  expect(await diff(same)).toEqual({
    code: 0,
    out: 'No start changes for 2 CronJobs until Thu 2026-01-08 12:10 UTC.\n',
    err: '',
  });
});

test('limits the rows of a schedule for every minute', async () => {
  store({ schedule: '* * * * *' });
  const { out } = await diff(manifest({ schedule: '0 0 1 1 *' }));
  const lines = out.split('\n');
  expect(lines[0]).toBe('default/hello: starts 10080 dropped until Thu 2026-01-08 12:10 UTC');
  expect(lines.slice(-2)).toEqual(['… and 10060 more', '']);
  expect(lines).toHaveLength(24);
});

test('lists at most 100 starts in JSON', async () => {
  store({ schedule: '* * * * *' });
  const { out } = await diff(manifest({ suspend: true }), '-o', 'json');
  const { dropped } = JSON.parse(out).cronJobs[0];
  expect([dropped.count, dropped.starts.length]).toEqual([10_080, 100]);
});

test('names the end of the comparison of a schedule for every second', async () => {
  store({ schedule: '@every 1s' });
  const { out } = await diff(manifest({ schedule: '@every 2s' }));
  expect(out).toMatch(
    /^default\/hello: starts \d+ dropped until Fri 2026-01-02 02:03:20 UTC, where the comparison stops because /,
  );
});

test('prints the first starts of a new CronJob, with the range of its jitter', async () => {
  expect(await diff(manifest({ ...DAILY, jitterSeconds: 1800 }))).toEqual({
    code: 1,
    out:
      'default/hello: created; first starts: Fri 2026-01-02 02:30, Sat 2026-01-03 02:30, Sun 2026-01-04 02:30 Europe/Berlin, ' +
      'each up to 1800 s later (jitterSeconds; the UID of the CronJob decides)\n',
    err: '',
  });
  expect((await diff(manifest({ suspend: true }))).out).toBe('default/hello: created; no run starts\n');
});

test('prints a missed run that starts at the end of a suspension', async () => {
  store({ suspend: true }, 'hello', { lastScheduleTime: at('10:00:00') });
  const { out } = await diff(manifest({ suspend: false }), '--days', '1');
  expect(out).toContain('added    <none>      now (missed run of Thu 2026-01-01 12:00)\n');
});

test('says that an edit of a paused CronJob ends the pause', async () => {
  store(DAILY, 'hello', { paused: { reason: 'TooManyFailures', since: at('00:00:00') } });
  const edited = manifest({ ...DAILY, successfulJobsHistoryLimit: 1 });
  expect(await diff(edited, '--days', '1')).toMatchObject({
    code: 1,
    out:
      'default/hello: the edit ends the pause; starts 1 added until Fri 2026-01-02 13:10 Europe/Berlin\n' +
      'CHANGE   OLD START   NEW START\n' +
      'added    <none>      Fri 2026-01-02 02:30\n',
  });
  expect(JSON.parse((await diff(edited, '-o', 'json')).out).cronJobs).toMatchObject([
    { paused: false, endsPause: true },
  ]);
});

test('reports a CronJob that stays paused', async () => {
  store(DAILY, 'hello', { paused: { reason: 'TooManyFailures', since: at('00:00:00') } });
  expect(await diff(manifest(DAILY))).toMatchObject({
    code: 0,
    out: 'No start changes for default/hello until Thu 2026-01-08 12:10 UTC.\nPaused, so no runs start: default/hello\n',
  });
});

test('prints JSON and YAML with counts', async () => {
  store(DAILY);
  const edited = manifest({ ...DAILY, jitterSeconds: 3599, schedules: ['1-59 3 * * *'] });
  const { out } = await diff(edited, '-o', 'json', '--days', '1');
  const json = JSON.parse(out);
  expect(json).toMatchObject({
    from: at('12:10:00'),
    until: '2026-01-02T12:10:00Z',
    cronJobs: [
      {
        ...{ namespace: 'default', name: 'hello', change: 'Edited', timeZone: 'Europe/Berlin' },
        dropped: { count: 0, starts: [] },
        moved: {
          count: 1,
          starts: [
            {
              scheduledTime: '2026-01-02T01:30:00Z',
              oldStartTime: '2026-01-02T01:30:00Z',
              newStartTime: expect.stringMatching(/^2026-01-02T0[12]:/),
            },
          ],
        },
        added: { count: 59 },
      },
    ],
  });
  expect(parse((await diff(edited, '-o', 'yaml', '--days', '1')).out)).toEqual(json);
});

test('prints the errors of a manifest, compares the others, and exits with 2', async () => {
  store({}, 'other');
  const files = `${manifest({ schedule: '61 * * * *' })}\n---\n${manifest({}, { name: 'other' })}`;
  const { code, out, err } = await diff(files);
  expect(code).toBe(2);
  expect(out).toContain('No start changes for default/other');
  expect(err).toMatch(/^<stdin>:\d+:\d+: error: spec\.schedule: Invalid value: "61 \* \* \* \*"/);
});

test.each<[name: string, input: string, args: readonly string[], err: RegExp]>([
  ['no CronJob', '{"kind": "List", "apiVersion": "v1", "items": []}', [], /diff: the files contain no CronJobs/],
  [
    'another namespace',
    manifest({}, { namespace: 'a' }),
    ['-n', 'b'],
    /<stdin>:1: the namespace is a, not b; remove -n/,
  ],
  ['too many days', manifest(), ['--days', '32'], /--days: "32" is not valid/],
  ['an unknown file', manifest(), ['-f', '/nowhere.yaml'], /^\/nowhere\.yaml: the path does not exist\n$/],
])('exits with 2 for %s', async (_, input, args, err) => {
  store();
  const result = await diff(input, ...args);
  expect(result.err).toMatch(err);
  expect(result.code).toBe(2);
});

test('exits with 2 when the API server refuses the request', async () => {
  store();
  server.fail({ verb: 'get', resource: CronJob }, { kind: 'error', code: 403 });
  const { code, err } = await diff(manifest());
  server.clearFaults();
  expect([code, err]).toEqual([2, expect.stringMatching(/^kubectl tcj diff: the API server: /)]);
});

test('reports a cluster without the CustomResourceDefinition', async () => {
  server.fail({ verb: 'list', resource: CronJob }, { kind: 'error', code: 404 });
  const { code, err } = await diff(manifest());
  server.clearFaults();
  expect([code, err]).toEqual([2, expect.stringContaining('is not installed in this cluster')]);
});

test('requires a file', async () => {
  const terminal = new CapturedTerminal();
  expect(await runTcj(server, ['diff'], { terminal })).toBe(2);
  expect(terminal.texts.err).toContain('specify at least one file, folder or - with -f');
});
