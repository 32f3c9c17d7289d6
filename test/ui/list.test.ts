/** The list of all CronJobs: what it shows of each, what is filtered out, and which address brings the same back. */
import { beforeAll, expect, test } from 'vitest';
import { Browsing } from './support/browsing.ts';
import { livelyScene, SCENE_NOW, SCENE_SIZE } from './support/lively-scene.ts';
import { ownApiServer } from './support/own-api-server.ts';
import { storeCronJobs } from './support/stored-cron-jobs.ts';
import { OpenedUi } from './support/ui-page.ts';

const server = ownApiServer();
const browsing = new Browsing();

beforeAll(() => storeCronJobs(server(), livelyScene()));

async function openList(query = '', options: { readonly timezoneId?: string } = {}): Promise<OpenedUi> {
  const ui = await OpenedUi.open(browsing, { kubeconfig: server().kubeconfig, now: SCENE_NOW, query, ...options });
  await ui.table.waitFor();
  await ui.rows.first().waitFor();
  return ui;
}

test('shows the worst first, each with its last run and its next', async () => {
  await using ui = await openList();
  console.log(JSON.stringify(await ui.listed(), null, 1));
  expect(await ui.rows.count()).toBe(SCENE_SIZE);
  await ui.page.screenshot({ path: '/tmp/ui-list.png' });
});
