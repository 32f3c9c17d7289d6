/** Times in the zones of the schedule and of the browser, and in UTC: each shows its zone, also at a clock change. */
import { beforeAll, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { storeCronJobs } from './support/stored-cron-jobs.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { useUiProcess } from './support/ui-process.ts';

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
const process = useUiProcess(() => inject('kubeconfig'), ['-n', NAMESPACE]);
const testBrowser = new TestBrowser();

async function openAt(now: string, query: string): Promise<UiPage> {
  return await UiPage.open(testBrowser, process(), { now: new Date(now), timezoneId: 'America/New_York', query });
}

test('shows times in the zone of the browser or in UTC, and names the zone', async () => {
  const ui = await openAt('2026-03-29T12:00:00Z', '?hours=72');
  await ui.rows.first().waitFor();
  expect(await ui.zoneSelect.locator('option:checked').innerText()).toBe('America/New_York');
  const busiest = (sentence: string) => ui.table.getByRole('img', { name: sentence }).waitFor();
  await busiest('Upcoming starts. Busiest minute: Sun 2026-03-29 20:30 America/New_York, 1 start');
  await ui.table.getByText('Timeline, times in America/New_York').waitFor();
  await ui.zoneSelect.selectOption('utc');
  await busiest('Upcoming starts. Busiest minute: Mon 2026-03-30 00:30 UTC, 1 start');
  await ui.table.getByText('Timeline, times in UTC').waitFor();
  await ui.timeRange.selectOption('Custom');
  expect(await ui.page.getByLabel('From (UTC)').inputValue()).toBe('2026-03-28T00:00');
});

test.each([
  {
    side: 'before the clock goes forward',
    now: '2026-03-28T12:00:00Z',
    ran: 'Fri 2026-03-27 21:30 America/New_York (10h ago) Sat 2026-03-28 02:30 Europe/Berlin',
    // Half past two does not exist on the 29th.
    next: ['Sun 2026-03-29 20:30 America/New_York (in 36h)', 'Mon 2026-03-30 20:30 America/New_York (in 2d12h)'],
    inScheduleZone: ['Mon 2026-03-30 02:30 Europe/Berlin', 'Tue 2026-03-31 02:30 Europe/Berlin'],
    note: '2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00',
  },
  {
    side: 'after the clock went back',
    now: '2026-10-25T12:00:00Z',
    ran: 'Sat 2026-10-24 20:30 America/New_York (11h ago) Sun 2026-10-25 02:30 Europe/Berlin',
    next: ['Sun 2026-10-25 21:30 America/New_York (in 13h)', 'Mon 2026-10-26 21:30 America/New_York (in 37h)'],
    inScheduleZone: ['Mon 2026-10-26 02:30 Europe/Berlin', 'Tue 2026-10-27 02:30 Europe/Berlin'],
    note: '2027-03-28 02:30 is skipped: the clock goes from 02:00 to 03:00',
  },
])('shows scheduled times in the chosen zone and in the zone of the schedule, $side', async (testCase) => {
  const { now, ran, next, inScheduleZone, note } = testCase;
  const ui = await openAt(now, `?cronjob=${NAMESPACE}/nightly`);
  const schedule = ui.page.getByRole('region', { name: 'Schedule' });
  await schedule.waitFor();
  const items = await schedule.getByRole('listitem').allInnerTexts();
  expect(items.slice(0, 2)).toEqual(next.map((time, index) => `${time} ${inScheduleZone[index]}`));
  await ui.page.getByRole('cell', { name: ran }).waitFor();
  expect(await ui.page.locator('.why').innerText()).toMatch(/^[^B]*America\/New_York[^B]*$/);
  const tooltips = await ui.readTooltips();
  expect(tooltips.filter((text) => text.includes('Berlin'))).toEqual([]);
  await schedule.getByRole('heading', { name: 'Clock changes' }).waitFor();
  expect(items.at(5)).toBe(note);
});
