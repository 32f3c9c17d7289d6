/** Times in the zones of the schedule and of the browser, and in UTC: each shows its zone, also at a clock change. */
import { beforeAll, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { Browsing } from './support/browsing.ts';
import { storeCronJobs } from './support/stored-cron-jobs.ts';
import { UiPage } from './support/ui-page.ts';
import { uiProcessOfFile } from './support/ui-process.ts';

const NAMESPACE = 'zones';

/** At half past two in Berlin: on 2026-03-29 the clock goes from 02:00 to 03:00, on 2026-10-25 from 03:00 back to 02:00. */
const NIGHTLY: CronJob = cronJob(
  { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
  {
    observedGeneration: 1,
    conditions: [],
    recentRuns: [
      '2026-10-25T00:30:00Z Succeeded nightly-2 Schedule late=1s took=5m',
      '2026-03-28T01:30:00Z Succeeded nightly-1 Schedule late=1s took=5m',
    ],
  },
  { name: 'nightly', namespace: NAMESPACE },
);

beforeAll(() =>
  storeCronJobs({ apiServer: inject('apiServer'), etcd: inject('etcd') }, new Map([[NAMESPACE, [NIGHTLY]]])),
);
const process = uiProcessOfFile(() => inject('kubeconfig'), ['-n', NAMESPACE]);
const browsing = new Browsing();

async function openAt(now: string, query: string): Promise<UiPage> {
  return await UiPage.open(browsing, process(), { now: new Date(now), timezoneId: 'America/New_York', query });
}

test('the time that is shown is that of the browser, or UTC, and says so', async () => {
  const ui = await openAt('2026-03-29T12:00:00Z', '?hours=72');
  await ui.rows.first().waitFor();
  expect(await ui.zone.locator('option:checked').innerText()).toBe('America/New_York');
  const busiest = (sentence: string) => ui.table.getByRole('img', { name: sentence }).waitFor();
  await busiest('Coming starts. Busiest minute: Sun 2026-03-29 20:30 America/New_York, 1 start');
  await ui.table.getByText('Timeline, times in America/New_York').waitFor();
  await ui.zone.selectOption('utc');
  await busiest('Coming starts. Busiest minute: Mon 2026-03-30 00:30 UTC, 1 start');
  await ui.table.getByText('Timeline, times in UTC').waitFor();
  await ui.span.selectOption('From … until …');
  expect(await ui.page.getByLabel('From (UTC)').inputValue()).toBe('2026-03-28T00:00');
});

test.each([
  {
    side: 'before the clock goes on',
    now: '2026-03-28T12:00:00Z',
    ran: 'Fri 2026-03-27 21:30 America/New_York (10h ago) Sat 2026-03-28 02:30 Europe/Berlin',
    // Half past two does not exist on the 29th.
    next: ['Sun 2026-03-29 20:30 America/New_York (in 36h)', 'Mon 2026-03-30 20:30 America/New_York (in 2d12h)'],
    ofSchedule: ['Mon 2026-03-30 02:30 Europe/Berlin', 'Tue 2026-03-31 02:30 Europe/Berlin'],
    note: '2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00',
  },
  {
    side: 'after the clock has gone back',
    now: '2026-10-25T12:00:00Z',
    ran: 'Sat 2026-10-24 20:30 America/New_York (11h ago) Sun 2026-10-25 02:30 Europe/Berlin',
    next: ['Sun 2026-10-25 21:30 America/New_York (in 13h)', 'Mon 2026-10-26 21:30 America/New_York (in 37h)'],
    ofSchedule: ['Mon 2026-10-26 02:30 Europe/Berlin', 'Tue 2026-10-27 02:30 Europe/Berlin'],
    note: '2027-03-28 02:30 is skipped: the clock goes from 02:00 to 03:00',
  },
])('a schedule means times of its zone, and they are told in the chosen one too, $side', async (given) => {
  const { now, ran, next, ofSchedule, note } = given;
  const ui = await openAt(now, `?cronjob=${NAMESPACE}/nightly`);
  const schedule = ui.page.getByRole('region', { name: 'Schedule' });
  await schedule.waitFor();
  const items = await schedule.getByRole('listitem').allInnerTexts();
  expect(items.slice(0, 2)).toEqual(next.map((time, index) => `${time} ${ofSchedule[index]}`));
  await ui.page.getByRole('cell', { name: ran }).waitFor();
  expect(await ui.page.locator('.why').innerText()).toMatch(/^[^B]*America\/New_York[^B]*$/);
  const told = await ui.told();
  expect(told.filter((text) => text.includes('Berlin'))).toEqual([]);
  await schedule.getByRole('heading', { name: 'Changes of the clock' }).waitFor();
  expect(items.at(5)).toBe(note);
});
