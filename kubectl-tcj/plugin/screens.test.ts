/** The output of kubectl tcj on a screen of 80 columns, and in a file. */
import { FakeApiServer, FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob, type CronJobSpec, type CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CapturedTerminal } from '../../test/support/captured-terminal.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { renderScreen } from '../../test/support/render-screen.ts';
import { runTcj } from '../../test/support/run-tcj.ts';

const NOW = new Date('2026-11-23T11:22:41Z');
const time = (text: string) => `2026-11-23T${text}Z`;
const condition = (type: string, reason: string, message = '', status: 'True' | 'False' = 'True') => ({
  ...{ type, reason, message, status },
  lastTransitionTime: time('00:00:00'),
});
const fine = [condition('Available', 'AsExpected'), condition('Degraded', 'AsExpected', '', 'False')];
const LONG_NAME = 'postgres-cluster-eu-central-1-nightly-backup-to-s3-a'; // the maximum length

const OBJECTS: readonly (readonly [name: string, spec: Partial<CronJobSpec>, status?: CronJobStatus])[] = [
  [
    'report',
    { schedule: '*/20 6-18 * * 1-5', timeZone: 'America/Argentina/ComodRivadavia' },
    {
      conditions: [condition('Available', 'AsExpected'), condition('Degraded', 'LastRunFailed', 'x')],
      lastRun: {
        result: 'Failed',
        jobName: 'report-1795432800',
        startTime: time('11:20:00'),
        completionTime: time('11:20:02'),
      },
      nextScheduleTime: time('11:40:00'),
      recentRuns: [
        `${time('11:20:00')} Failed report-1795432800 Schedule took=2s DeadlineExceeded: Job was active longer than specified deadline: 予算の報告 \u001b[31m✂️ did not end`,
        `${time('11:00:00')} Succeeded report-1795431600 Schedule late=1s took=5m3s`,
      ],
      recentSkips: [`${time('10:40:00')} DeadlineExceeded`],
    },
  ],
  [
    LONG_NAME,
    { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
    { conditions: fine, nextScheduleTime: '2026-11-24T01:30:00Z' },
  ],
  [
    'by-hand',
    { schedule: '0 0 1 1 *' },
    {
      conditions: fine,
      lastRun: { result: 'Succeeded', jobName: 'by-hand-m012345678', completionTime: time('11:22:00') },
      recentRuns: [`${time('11:21:00')} Succeeded by-hand-m012345678 Manual took=1m`],
    },
  ],
  ['archive', { schedule: '0 0,4,8,12,16,20 1,2,3,4,5,6,7 1,2,3,4,5,6,7,8,9 *', suspend: true }],
];

/** The output of the command on a screen of this many columns; without `width`, in a file. */
async function readOutput(line: string, width?: number): Promise<string> {
  await using server = await FakeApiServer.start();
  for (const [name, spec, status] of OBJECTS) server.put(CronJob, cronJob(spec, status, { name }));
  const terminal = new CapturedTerminal('', { ...(width !== undefined && { width }), hasColors: width !== undefined });
  const code = await runTcj(server, line.split(' '), { terminal, clock: new FakeClock(NOW) });
  const { out, err } = terminal.texts;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

async function readScreen(line: string, width = 80): Promise<string> {
  return ['', ...(await renderScreen(await readOutput(line, width), width)), ''].join('\n');
}

test('list', async () => {
  expect(await readScreen('list')).toMatchInlineSnapshot(`
    "
    NAME      STATE        LAST RUN                NEXT     SCHEDULE        TIMEZONE
    report    Failed       Failed 2m39s ago        in 17m   */20 6-18 *…    Amer…via
    archive   Unobserved   <none>                  <none>   0 0,4,8,12,1…   UTC
    by-hand   OK           Succeeded 41s ago (m…   <none>   0 0 1 1 *       UTC
    postgres-cluster-eu-central-1-nightly-backup-to-s3-a
              OK           <none>                  in 14h   30 2 * * *      Euro…lin
    2 of 4 CronJobs need attention
    "
  `);
  expect(await readOutput('list', 80)).toContain('\u001b[31mFailed\u001b[39m       Failed 2m39s ');
});

test('next', async () => {
  expect(await readScreen('next --within 20h')).toMatchInlineSnapshot(`
    "
    Times are in UTC.
    TIME                   IN    NAME   SCHEDULE
    Tue 2026-11-24 01:30   14h
                                postgres-cluster-eu-central-1-nightly-backup-to-s3-a
                                        30 2 * * *
    CronJobs with more than 20 runs:
      report: Every 20 minutes of hours 6 to 18, Monday to Friday, in
        America/Argentina/ComodRivadavia (31 runs)
    Not listed because suspended or paused: archive
    "
  `);
});

test('history', async () => {
  expect(await readScreen('history report')).toMatchInlineSnapshot(`
    "
    TIME                            RESULT      DURATION   DELAY   JOB
    Mon 2026-11-23 08:20 America…   Failed      2s         -       report-1795432800
        DeadlineExceeded: Job was active longer than specified deadline: 予算の報告
        \\u{1b}[31m✂️ did not end
    Mon 2026-11-23 08:00 America…   Succeeded   5m3s       1s      report-1795431600
    Mon 2026-11-23 07:40 America…   Skipped     -          -       -
        DeadlineExceeded: it could not start within spec.startingDeadlineSeconds
    "
  `);
  expect(await readScreen('history report', 200)).toMatchInlineSnapshot(`
    "
    TIME                                                    RESULT      DURATION   DELAY   JOB                 DETAILS
    Mon 2026-11-23 08:20 America/Argentina/ComodRivadavia   Failed      2s         -       report-1795432800   DeadlineExceeded: Job was active longer than specified deadline: 予算の報告 \\u{1b}[31m✂️ did
                                                                                                               not end
    Mon 2026-11-23 08:00 America/Argentina/ComodRivadavia   Succeeded   5m3s       1s      report-1795431600   -
    Mon 2026-11-23 07:40 America/Argentina/ComodRivadavia   Skipped     -          -       -                   DeadlineExceeded: it could not start within spec.startingDeadlineSeconds
    "
  `);
});

test('why', async () => {
  expect(await readScreen('why report')).toMatchInlineSnapshot(`
    "
    The run of Mon 2026-11-23 08:20 America/Argentina/ComodRivadavia failed after
    2s: DeadlineExceeded: Job was active longer than specified deadline: 予算の報告
    \\u{1b}[31m✂️ did not end. The Pods no longer exist, so the exit codes of the
    containers are unknown. The next run is due Mon 2026-11-23 08:40
    America/Argentina/ComodRivadavia (in 17m).
    "
  `);
});

test('truncates, wraps and colours nothing in a file or with -o wide, json or yaml', async () => {
  for (const line of ['list', 'next --within 20h', 'history report', 'why report']) {
    const text = await readOutput(line);
    for (const sign of ['…', '\u001b']) expect(text).not.toContain(sign);
  }
  expect((await readOutput('history report')).split('\n')).toHaveLength(5);
  expect((await readOutput('why report')).split('\n')).toHaveLength(2);
  const wide = await readOutput('list -o wide', 80);
  expect(wide).toMatch(
    / 0 0,4,8,12,16,20 1,2,3,4,5,6,7 1,2,3,4,5,6,7,8,9 \* .* No manager has reconciled the CronJob yet\.\n/,
  );
  expect(wide.split('\n')).toHaveLength(6);
  for (const format of ['json', 'yaml']) {
    expect(await readOutput(`list -o ${format}`, 80)).toBe(await readOutput(`list -o ${format}`));
  }
});
