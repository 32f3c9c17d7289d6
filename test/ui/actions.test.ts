/**
 * Run now, suspend and resume, with a manager that executes them: only with the keyboard, and only after the page has announced the effect.
 */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CREATED_BY_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJobRuns, cronJobs } from '../../controllers/resources.ts';
import { buildRun } from '../envtest/support/requested-runs.ts';
import type { Scene } from '../support/scene.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';

const testBrowser = new TestBrowser();
/** Half a year in the future, so that no slot comes during a test. */
const NEXT_RUN_MONTH = new Date(Date.now() + 183 * 86_400_000);
const SCHEDULE = `0 3 15 ${NEXT_RUN_MONTH.getUTCMonth() + 1} *`;
const NEXT_RUN_DATE = `${NEXT_RUN_MONTH.getUTCFullYear()}-${String(NEXT_RUN_MONTH.getUTCMonth() + 1).padStart(2, '0')}-15`;

/** The details of a CronJob with a running manager. */
async function openDetail(spec: Partial<CronJobSpec> = {}) {
  const scene = await openTestScene();
  await scene.startManager();
  await scene.createCronJob({ schedule: SCHEDULE, ...spec }, 'report');
  await scene.waitUntilObserved('report');
  const query = `?cronjob=${scene.namespace}/report`;
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene), { query });
  await ui.button('Run now …').waitFor();
  return { scene, ui, keyboard: ui.page.keyboard };
}

/** Starts a manual run as kubectl does. */
async function startManualRun(scene: Scene): Promise<Job> {
  await scene.annotate({ [RUN_NOW_ANNOTATION]: 'first' }, 'report');
  const [job] = await scene.waitForJobs(1);
  return job ?? expect.fail('no Job');
}

/** Presses Tab until the button has focus. */
async function tabTo(ui: UiPage, name: string): Promise<void> {
  const button = ui.button(name);
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await button.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await ui.page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}

async function openDialog(ui: UiPage, button: string, name: string): Promise<void> {
  await tabTo(ui, button);
  await ui.page.keyboard.press('Enter');
  await ui.page.getByRole('dialog', { name }).waitFor();
}

const readFocusedText = ({ page }: UiPage) => page.evaluate<string>('document.activeElement.textContent.trim()');

test('run now announces the run, starts it, and shows it', async () => {
  const { scene, ui, keyboard } = await openDetail();
  await openDialog(ui, 'Run now …', `Run ${scene.namespace}/report now?`);
  await ui.dialog.getByText('This starts a run now. The schedule does not change.').waitFor();
  expect(await scene.jobs()).toEqual([]);
  await tabTo(ui, 'Run now');
  await keyboard.press('Enter');
  await ui.dialog.waitFor({ state: 'detached' });
  await ui.page.getByText(`${scene.namespace}/report starts a run now.`).waitFor();
  expect(await readFocusedText(ui)).toBe('Run now …');
  const [job] = await scene.waitForJobs(1);
  const runs = ui.page.getByRole('region', { name: 'Runs and skipped times' });
  const row = runs.getByRole('row').filter({ hasText: job!.metadata.name });
  await row.getByRole('cell', { name: 'Running', exact: true }).waitFor();
  await row.getByText('manual run').waitFor();
  await scene.finish(job!, 'Failed');
  await row.getByRole('cell', { name: 'Failed', exact: true }).waitFor();
  await row.getByText('Test').waitFor();
});

test('run now can change the arguments and variables that the CronJob allows', async () => {
  const { scene, ui, keyboard } = await openDetail({ runOverrides: 'ArgsAndEnv' });
  await openDialog(ui, 'Run now …', `Run ${scene.namespace}/report now?`);
  await ui.dialog.getByLabel('Other arguments of the first container, one per line').fill('--full\na b\n');
  const variables = ui.dialog.getByLabel('Environment variables to change or add, one NAME=VALUE per line');
  await variables.fill('LEVEL=a=b\nEMPTY=\nwrong');
  await ui.dialog.getByText('Not a variable: wrong. Use NAME=VALUE.').waitFor();
  expect(await ui.dialog.getByRole('button', { name: 'Run now' }).count()).toBe(0);
  await variables.fill('LEVEL=a=b\nEMPTY=');
  await tabTo(ui, 'Run now');
  await keyboard.press('Enter');
  await ui.page.getByText(`${scene.namespace}/report starts a run now.`).waitFor();
  const [job] = await scene.waitForJobs(1);
  expect(job?.spec.template.spec?.containers).toMatchObject([
    {
      args: ['--full', 'a b'],
      env: [{ name: 'LEVEL', value: 'a=b' }, { name: 'EMPTY' }],
    },
  ]);
});

test('shows who created the CronJobRun of a run, and what is the proof', async () => {
  const { scene, ui } = await openDetail();
  const metadata = { annotations: { [CREATED_BY_ANNOTATION]: 'alice' } };
  await scene.client.create(cronJobRuns, buildRun(scene, { cronJobName: 'report', manual: {} }, metadata));
  await ui.page.getByText('manual run, requested by again (alice)').waitFor();
  await ui.page.getByText('The audit log of the API server is the proof.').waitFor();
});

test('retry repeats a failed run, and backfill announces the runs', async () => {
  const { scene, ui, keyboard } = await openDetail();
  const manual = await startManualRun(scene);
  await scene.finish(manual, 'Failed');
  const retry = `Retry ${manual.metadata.name} …`;
  await ui.button(retry).waitFor();
  await openDialog(ui, retry, `Retry ${manual.metadata.name}?`);
  await ui.dialog.getByText(`This repeats manual run ${manual.metadata.name}.`).waitFor();
  await tabTo(ui, 'Retry');
  await keyboard.press('Enter');
  await ui.page.getByText(`${scene.namespace}/report repeats manual run ${manual.metadata.name}.`).waitFor();
  expect(await readFocusedText(ui)).toBe(retry);
  await scene.waitForJobs(2);

  await openDialog(ui, 'Backfill …', `Backfill ${scene.namespace}/report?`);
  await ui.dialog.getByText(/^Nothing to start: no run was scheduled between /).waitFor();
  expect(await ui.dialog.getByRole('button', { name: 'Backfill' }).count()).toBe(0);
  const year = NEXT_RUN_MONTH.getUTCFullYear() - 3;
  await ui.dialog.getByLabel('From (UTC)').fill(`${year}-01-01T00:00`);
  await ui.dialog.getByLabel('To (UTC)').fill(`${year + 2}-01-01T00:00`);
  await ui.dialog.getByText(/^This starts 2 runs, one at a time: first the run of /).waitFor();
  await ui.dialog.getByLabel('Start with the newest scheduled time').check();
  await tabTo(ui, 'Backfill');
  await keyboard.press('Enter');
  await ui.page.getByText(/report starts 2 runs, one at a time: .* \(CronJobRun report-backfill-\w+\)\.$/).waitFor();
  expect(await readFocusedText(ui)).toBe('Backfill …');
  await scene.waitForJobs(3);
  const newest = `run of .* ${year + 1}-\\d\\d-15 03:00 UTC, requested by report-backfill-`;
  await ui.page.getByText(new RegExp(newest)).waitFor();
});

test('suspend until a time announces the skipped runs, and resume reverts it', async () => {
  const { scene, ui, keyboard } = await openDetail();
  await openDialog(ui, 'Suspend …', `Suspend ${scene.namespace}/report?`);
  await ui.dialog.getByText('The suspension skips no runs.').waitFor();
  await ui.dialog.getByLabel('Until (UTC)').fill(`${NEXT_RUN_DATE}T03:01`);
  await ui.dialog.getByText('The suspension skips one run:').waitFor();
  expect(await ui.dialog.getByText('The suspension skips one run:').innerText()).toMatch(
    new RegExp(
      `^It will be suspended until \\w{3} ${NEXT_RUN_DATE} 03:01 UTC \\(in \\d+d\\)\\. The suspension skips one run: \\w{3} ${NEXT_RUN_DATE} 03:00 UTC\\.$`,
    ),
  );
  // The slot at the end of the suspension runs.
  await ui.dialog.getByLabel('Until (UTC)').fill(`${NEXT_RUN_DATE}T03:00`);
  await ui.dialog.getByText('The suspension skips no runs.').waitFor();
  expect((await scene.cronJob('report')).spec).not.toHaveProperty('suspendUntil');
  await ui.dialog.getByLabel('Until (UTC)').fill(`${NEXT_RUN_DATE}T03:01`);
  await keyboard.press('Enter');
  await ui.dialog.waitFor({ state: 'detached' });
  await ui.page.getByText(`${scene.namespace}/report suspended until`).waitFor();
  expect((await scene.cronJob('report')).spec).toMatchObject({
    suspend: false,
    suspendUntil: `${NEXT_RUN_DATE}T03:01:00Z`,
  });
  await scene.waitUntilObserved('report');
  await ui.page.getByText(new RegExp(`^No run starts before \\w{3} ${NEXT_RUN_DATE} 03:01 UTC`)).waitFor();
  expect(await readFocusedText(ui)).toBe('Suspend …');

  await openDialog(ui, 'Resume …', `Resume ${scene.namespace}/report?`);
  await ui.dialog.getByText(/^It will be resumed\. The next run is due /).waitFor();
  await tabTo(ui, 'Resume');
  await keyboard.press('Enter');
  await ui.page.getByText(`${scene.namespace}/report resumed.`).waitFor();
  await eventually(async () => expect((await scene.cronJob('report')).spec).not.toHaveProperty('suspendUntil'));
  await ui.button('Resume …').waitFor({ state: 'detached' });
  // Its button is gone, and the focus is on the message.
  expect(await readFocusedText(ui)).toBe(`${scene.namespace}/report resumed.`);
  await keyboard.press('Shift+Tab');
  expect(await readFocusedText(ui)).toBe('Backfill …');
});

test('suspend without an end', async () => {
  const { scene, ui, keyboard } = await openDetail();
  await ui.button('Suspend …').click();
  await ui.dialog.getByLabel(/^Until a time/).focus();
  await keyboard.press('ArrowDown');
  await ui.dialog.getByText('No scheduled run starts until you resume the CronJob.').waitFor();
  await tabTo(ui, 'Suspend');
  await keyboard.press('Space');
  await ui.page.getByText(`${scene.namespace}/report suspended.`).waitFor();
  expect((await scene.cronJob('report')).spec.suspend).toBe(true);
  await scene.waitUntilObserved('report');
  await ui.page.getByText('No run starts: spec.suspend is true.').waitFor();
  await ui.page.getByText('No run starts until you resume the CronJob.').waitFor();
  await ui.button('Suspend …').waitFor({ state: 'detached' });
});

test('refuses to suspend until a time in the past', async () => {
  const { scene, ui } = await openDetail();
  await ui.button('Suspend …').click();
  await ui.dialog.getByLabel('Until (UTC)').fill('2026-01-01T00:00');
  await ui.dialog.getByText('Enter a time in the future.').waitFor();
  expect(await ui.dialog.getByRole('button', { name: 'Suspend' }).count()).toBe(0);
  // Also not with a direct request.
  const path = `/api/cronjobs/${scene.namespace}/report/suspend`;
  const [status, body] = await ui.page.evaluate(async (address) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ until: '2026-01-01T00:00:00Z' }),
    });
    return [answer.status, await answer.json()];
  }, path);
  expect([status, body]).toEqual([400, { message: 'The time is in the past.', change: 'Use a future time.' }]);
  expect((await scene.cronJob('report')).spec).toMatchObject({ suspend: false });
});

test('Cancel and Escape change nothing', async () => {
  const name = 'Suspend …';
  const { scene, ui, keyboard } = await openDetail();
  const before = await scene.cronJob('report');
  await tabTo(ui, name);
  await keyboard.press('Enter');
  await ui.dialog.waitFor();
  await keyboard.press('Escape');
  await ui.dialog.waitFor({ state: 'detached' });
  expect(await readFocusedText(ui)).toBe(name);
  await keyboard.press('Enter');
  await tabTo(ui, 'Cancel');
  await keyboard.press('Enter');
  await ui.dialog.waitFor({ state: 'detached' });
  expect(await readFocusedText(ui)).toBe(name);
  expect((await scene.cronJob('report')).metadata).toEqual(before.metadata);
});

test('resume can skip missed runs', async () => {
  const scene = await openTestScene();
  const manager = await scene.startManager();
  await scene.createCronJob({ suspend: true }, 'report');
  await scene.waitUntilObserved('report');
  await scene.stopManager(manager);
  const process = await UiProcess.startInScene(scene);
  // Five minutes later, and so five runs.
  const now = new Date(scene.clock.now().getTime() + 300_000);
  const ui = await UiPage.open(testBrowser, process, { now, query: `?cronjob=${scene.namespace}/report` });
  await ui.button('Resume …').click();
  await ui.dialog
    .getByText(/^It will be resumed; the missed run of .* UTC starts now\. The next run is due /)
    .waitFor();
  await ui.dialog.getByLabel('Skip the run missed during the suspension').check();
  await ui.dialog.getByText(/^It will be resumed\. The next run is due [^;]*$/).waitFor();
  await ui.dialog.getByRole('button', { name: 'Resume' }).click();
  await ui.page.getByText(`${scene.namespace}/report resumed.`).waitFor();
  const { spec } = await scene.cronJob('report');
  expect(spec.suspend).toBe(false);
  expect(spec.suspendUntil).toMatch(/Z$/);
});

test('reports a failed action, and closes the dialog when the CronJob is deleted', async () => {
  const { scene, ui } = await openDetail();
  await ui.button('Suspend …').click();
  await ui.dialog.waitFor();
  await ui.page.context().setOffline(true);
  await ui.dialog.getByRole('button', { name: 'Suspend' }).click();
  await ui.page.getByText('Cannot connect to kubectl tcj ui.').waitFor();
  await ui.page.context().setOffline(false);
  await ui.button('Run now …').click();
  await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'report' });
  await ui.page.getByText('This CronJob was deleted.').waitFor();
  expect(await ui.dialog.count()).toBe(0);
});
