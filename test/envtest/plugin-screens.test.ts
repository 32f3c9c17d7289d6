/** What kubectl tcj prints, as a person sees it on screens of 80 and of 200 columns. The CronJobs are in a real API server. */
import { SystemClock } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import type { CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { runCommand } from '../../kubectl-tcj/plugin/run-command.ts';
import { connect } from '../../kubectl-tcj/plugin/session.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { Scene } from '../support/scene.ts';
import { screenOf } from '../support/screen.ts';

const NOW = new Date('2026-11-23T11:22:41Z');
const time = (text: string) => `2026-11-23T${text}Z`;
const condition = (type: string, reason: string, message = '', status: 'True' | 'False' = 'True') => ({
  ...{ type, reason, message, status },
  lastTransitionTime: time('00:00:00'),
});
const fine = [condition('Available', 'AsExpected'), condition('Degraded', 'AsExpected', '', 'False')];
const LONG_NAME = 'postgres-cluster-eu-central-1-nightly-backup-to-s3-a'; // the longest that there may be

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

async function sceneWithObjects(): Promise<Scene> {
  const scene = await Scene.open();
  for (const [name, spec, status] of OBJECTS) {
    await scene.createCronJob(spec, name);
    const key = { namespace: scene.namespace, name };
    if (status) await scene.client.patch(cronJobs, key, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }
  return scene;
}

/** What the command writes to a screen of so many columns; without `width` to a file. */
async function written(scene: Scene, line: string, width?: number): Promise<string> {
  const terminal = new CapturedTerminal('', { ...(width !== undefined && { width }), hasColors: width !== undefined });
  const code = await runCommand([...line.split(' '), '-n', scene.namespace, '--kubeconfig', inject('kubeconfig')], {
    terminal,
    now: NOW,
    clock: new SystemClock(),
    signal: new AbortController().signal,
    connect: (options) => connect(options, 'test'),
  });
  const { out, err } = terminal.texts;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.replaceAll(scene.namespace, 'team-a');
}

async function seen(scene: Scene, line: string, width: number): Promise<string> {
  return ['', ...(await screenOf(await written(scene, line, width), width)), ''].join('\n');
}

test('list', async () => {
  await using scene = await sceneWithObjects();
  expect(await seen(scene, 'list', 80)).toMatchInlineSnapshot(`
    "
    NAME      STATE        LAST RUN                NEXT     SCHEDULE        TIMEZONE
    report    Failed       Failed 2m39s ago        in 17m   */20 6-18 *…    Amer…via
    archive   Unobserved   <none>                  <none>   0 0,4,8,12,1…   UTC
    by-hand   OK           Succeeded 41s ago (m…   <none>   0 0 1 1 *       UTC
    postgres-cluster-eu-central-1-nightly-backup-to-s3-a
              OK           <none>                  in 14h   30 2 * * *      Euro…lin
    2 of 4 need attention
    "
  `);
  expect(await seen(scene, 'list', 200)).toMatchInlineSnapshot(`
    "
    NAME                                                   STATE        LAST RUN                     NEXT     SCHEDULE                                             TIMEZONE
    report                                                 Failed       Failed 2m39s ago             in 17m   */20 6-18 * * 1-5                                    America/Argentina/ComodRivadavia
    archive                                                Unobserved   <none>                       <none>   0 0,4,8,12,16,20 1,2,3,4,5,6,7 1,2,3,4,5,6,7,8,9 *   UTC
    by-hand                                                OK           Succeeded 41s ago (manual)   <none>   0 0 1 1 *                                            UTC
    postgres-cluster-eu-central-1-nightly-backup-to-s3-a   OK           <none>                       in 14h   30 2 * * *                                           Europe/Berlin
    2 of 4 need attention
    "
  `);
  expect(await written(scene, 'list', 80)).toContain('\u001b[31mFailed\u001b[39m       Failed 2m39s ');
});

test('next', async () => {
  await using scene = await sceneWithObjects();
  expect(await seen(scene, 'next --within 1h', 80)).toMatchInlineSnapshot(`
    "
    Times are those of UTC.
    TIME                   IN    NAME     SCHEDULE
    Mon 2026-11-23 11:40   17m   report   */20 6-18 * * 1-5
    Mon 2026-11-23 12:00   37m   report   */20 6-18 * * 1-5
    Mon 2026-11-23 12:20   57m   report   */20 6-18 * * 1-5
    Suspended or paused, and not listed: archive
    "
  `);
  expect(await seen(scene, 'next --within 20h', 80)).toMatchInlineSnapshot(`
    "
    Times are those of UTC.
    TIME                   IN    NAME   SCHEDULE
    Tue 2026-11-24 01:30   14h
                                postgres-cluster-eu-central-1-nightly-backup-to-s3-a
                                        30 2 * * *
    More than 20 times each:
      report: Every 20 minutes of hours 6 to 18, on Monday to Friday, by the clock
        of America/Argentina/ComodRivadavia (31 times)
    Suspended or paused, and not listed: archive
    "
  `);
});

test('history', async () => {
  await using scene = await sceneWithObjects();
  expect(await seen(scene, 'history report', 80)).toMatchInlineSnapshot(`
    "
    TIME                                 RESULT      TOOK   LATE   JOB
    Mon 2026-11-23 08:20 America/Arge…   Failed      2s     -      report-1795432800
        DeadlineExceeded: Job was active longer than specified deadline: 予算の報告
        \\u{1b}[31m✂️ did not end
    Mon 2026-11-23 08:00 America/Arge…   Succeeded   5m3s   1s     report-1795431600
    Mon 2026-11-23 07:40 America/Arge…   Skipped     -      -      -
        DeadlineExceeded: it could not start within spec.startingDeadlineSeconds
    "
  `);
  expect(await seen(scene, 'history report', 200)).toMatchInlineSnapshot(`
    "
    TIME                                                    RESULT      TOOK   LATE   JOB                 DETAILS
    Mon 2026-11-23 08:20 America/Argentina/ComodRivadavia   Failed      2s     -      report-1795432800   DeadlineExceeded: Job was active longer than specified deadline: 予算の報告 \\u{1b}[31m✂️ did not
                                                                                                          end
    Mon 2026-11-23 08:00 America/Argentina/ComodRivadavia   Succeeded   5m3s   1s     report-1795431600   -
    Mon 2026-11-23 07:40 America/Argentina/ComodRivadavia   Skipped     -      -      -                   DeadlineExceeded: it could not start within spec.startingDeadlineSeconds
    "
  `);
});

test('why', async () => {
  await using scene = await sceneWithObjects();
  expect(await seen(scene, 'why report', 80)).toMatchInlineSnapshot(`
    "
    The run of Mon 2026-11-23 08:20 America/Argentina/ComodRivadavia failed after
    2s: DeadlineExceeded: Job was active longer than specified deadline: 予算の報告
    \\u{1b}[31m✂️ did not end. The exit codes of its containers are no longer known:
    its Pods are gone. The next one is due Mon 2026-11-23 08:40
    America/Argentina/ComodRivadavia (in 17m).
    "
  `);
});

test('nothing is cut, wrapped or coloured in a file, nor with -o wide, json or yaml', async () => {
  await using scene = await sceneWithObjects();
  for (const line of ['list', 'next --within 20h', 'history report', 'why report']) {
    const text = await written(scene, line);
    for (const sign of ['…', '\u001b']) expect(text).not.toContain(sign);
  }
  expect((await written(scene, 'history report')).split('\n')).toHaveLength(5);
  expect((await written(scene, 'why report')).split('\n')).toHaveLength(2);
  const wide = await written(scene, 'list -o wide', 80);
  expect(wide).toMatch(
    / 0 0,4,8,12,16,20 1,2,3,4,5,6,7 1,2,3,4,5,6,7,8,9 \* .* No controller has looked at it yet\.\n/,
  );
  expect(wide.split('\n')).toHaveLength(6);
  for (const format of ['json', 'yaml']) {
    expect(await written(scene, `list -o ${format}`, 80)).toBe(await written(scene, `list -o ${format}`));
  }
});
