/**
 * A real Prometheus that scrapes the real manager answers every query of the dashboards, and fires alerts for CronJobs that need attention.
 */
import { admissionReview, eventually, postReview, writeCertificate } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { jobs } from '../../controllers/resources.ts';
import { findFreePort } from '../../hack/control-plane/free-port.ts';
import { type Dashboard, dashboards, type Panel, panelsOf } from '../support/dashboards.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import { Grafana } from './support/grafana.ts';
import { NOT_SOON, PATIENCE, Watched } from './support/watched.ts';

/** Timeout for all tests below, on a machine that is busy with other work. Milliseconds. */
const SCENE_TIMEOUT_MS = 1_200_000;
const WEBHOOK = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';

const { 'cronjobs.json': onCronJobs, 'controller-runtime-metrics.json': onController } = dashboards();
const folder = temporaryFolderOfFile();
let watched: Watched;

beforeAll(async () => {
  const port = await findFreePort();
  writeCertificate(folder);
  watched = await Watched.open([`--webhook-cert-path=${folder}`, `--webhook-port=${port}`]);
  await watched.scraped();
  await postReview({ port, path: WEBHOOK, body: admissionReview({ operation: 'DELETE' }) });
  const { scene } = watched;
  await scene.createCronJob({ ...NOT_SOON, suspend: true }, 'suspended');
  await scene.createCronJob({ ...NOT_SOON, expectSuccessWithinSeconds: 1 }, 'overdue');
  await scene.createCronJob({ ...NOT_SOON, expectSuccessWithinSeconds: 1_000_000 }, 'succeeding');
  await watched.finish(await runOf('succeeding'), 'Complete');
  await scene.createCronJob(NOT_SOON, 'waiting');
  const startTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
  const body = { status: { startTime, active: 1 } };
  await scene.client.patch(jobs, (await runOf('waiting')).metadata, { kind: 'merge', body }, { subresource: 'status' });
  await scene.createCronJob({ schedule: '@every 1s', concurrencyPolicy: 'Forbid', pauseAfterFailures: 1 }, 'paused');
  await watched.finish(await jobOf('paused'), 'Failed');
}, SCENE_TIMEOUT_MS);

afterAll(async () => await watched?.[Symbol.asyncDispose]());

async function runOf(name: string): Promise<Job> {
  await watched.scene.observed(name);
  await watched.scene.annotate({ [RUN_NOW_ANNOTATION]: 'now' }, name);
  return await jobOf(name);
}

async function jobOf(name: string): Promise<Job> {
  return await eventually(async () => {
    const found = (await watched.scene.jobs()).find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    return found ?? Promise.reject(new Error(`no Job of ${name}`));
  }, PATIENCE);
}

function panelOf(dashboard: Dashboard | undefined, title: string): [Grafana, Panel] {
  if (dashboard === undefined) throw new Error('no such dashboard');
  const panel = panelsOf(dashboard).find((each) => each.title === title);
  if (panel === undefined) throw new Error(`no panel ${title}`);
  return [new Grafana(watched.prometheus, dashboard), panel];
}

/** The result of the only query of a panel. */
async function shownBy(dashboard: Dashboard | undefined, title: string) {
  const [grafana, panel] = panelOf(dashboard, title);
  const [target] = panel.targets ?? [];
  if (target === undefined) throw new Error(`${title} asks nothing`);
  return await grafana.answer(panel, target);
}

describe.each(Object.entries(dashboards()))('%s', (_, dashboard) => {
  const queries = panelsOf(dashboard).flatMap((panel) =>
    (panel.targets ?? []).map((target) => ({ title: panel.title, legend: target.legendFormat, panel, target })),
  );

  test.each(queries)('$title: $legend has data', async ({ panel, target }) => {
    await eventually(async () => {
      const found = await new Grafana(watched.prometheus, dashboard).answer(panel, target);
      expect(found.map(({ value }) => value)).toContainEqual(expect.any(Number));
    }, PATIENCE);
  });
});

test.each([
  ['CronJobOverdue', 'overdue', / is overdue\.$/],
  ['CronJobPaused', 'paused', / is paused after failures\.$/],
  ['CronJobFailing', 'paused', / is failing\.$/],
  ['CronJobStuckStarting', 'waiting', / does not start\.$/],
])('%s fires for the CronJob %s alone', async (alert, name, summary) => {
  const { labels, annotations } = await watched.fires(alert);
  const { namespace } = watched.scene;
  expect(labels).toEqual({ alertname: alert, severity: 'warning', namespace, name });
  expect(annotations['summary']).toMatch(summary);
});

describe('the dashboard on CronJobs', () => {
  test.each([
    ['CronJobs', 5],
    ['CronJobs not shown', 0],
    ['Suspended', 1],
    ['Active Jobs', 1],
    ['Leaders', 1],
    ['Overdue', 1],
    ['Failing', 1],
    ['Paused', 1],
    ['Waiting', 1],
  ])('shows for %s the number %i', async (title, value) => {
    await eventually(async () => expect(await shownBy(onCronJobs, title)).toEqual([{ labels: {}, value }]), PATIENCE);
  });

  test.each([
    ['Overdue CronJobs', 'overdue'],
    ['Paused CronJobs', 'paused'],
    ['Failing CronJobs', 'paused'],
    ['Waiting Jobs', 'waiting'],
  ])('lists under %s only the CronJob %s', async (title, name) => {
    const labels = { namespace: watched.scene.namespace, name };
    await eventually(async () => {
      expect((await shownBy(onCronJobs, title)).map((found) => found.labels)).toEqual([labels]);
    }, PATIENCE);
  });

  test('lists the CronJobs that start next, and not those that start nothing', async () => {
    await eventually(async () => {
      const names = (await shownBy(onCronJobs, 'Next starts')).map(({ labels }) => labels['name']);
      expect(names.toSorted()).toEqual(['overdue', 'succeeding', 'waiting']);
    }, PATIENCE);
  });

  test('has a line for each result and for each reason', async () => {
    const labelsOf = async (title: string, label: string) =>
      (await shownBy(onCronJobs, title)).map(({ labels }) => labels[label]).toSorted();
    expect(await labelsOf('Finished runs by result', 'result')).toEqual(['Failed', 'Succeeded']);
    expect(await labelsOf('Skipped slots by reason', 'reason')).toEqual(
      ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken', 'Paused', 'Suspended'].toSorted(),
    );
    expect(await labelsOf('Missed slots by reason', 'reason')).toContain('DeadlineExceeded');
  });

  test('offers the namespace of the CronJobs, and the job of Prometheus', async () => {
    const [grafana] = panelOf(onCronJobs, 'CronJobs');
    expect(await grafana.optionsOf('namespace')).toEqual([watched.scene.namespace]);
    expect(await grafana.optionsOf('job')).toEqual(['manager']);
  });
});

describe('the dashboard on the managers', () => {
  test.each([
    ['Leaders', 1],
    ['Managers', 1],
    ['Restarts in the range', 0],
    ['Reconcile errors in the range', 0],
    ['Queue', 0],
  ])('shows for %s the number %i', async (title, value) => {
    await eventually(async () => expect(await shownBy(onController, title)).toEqual([{ labels: {}, value }]), PATIENCE);
  });

  test('offers the address of the manager, and no Pods where Prometheus does not know them', async () => {
    const [grafana] = panelOf(onController, 'Leaders');
    expect(await grafana.optionsOf('instance')).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
    expect(await grafana.optionsOf('pod')).toEqual([]);
  });
});

test('alerts resolve with their causes', async () => {
  const { scene } = watched;
  await scene.edit({ expectSuccessWithinSeconds: 1_000_000 }, 'overdue');
  await scene.annotate({ [RESUME_ANNOTATION]: 'now' }, 'paused');
  const { metadata } = await jobOf('waiting');
  await scene.client.patch(
    jobs,
    metadata,
    { kind: 'merge', body: { status: { ready: 1 } } },
    { subresource: 'status' },
  );
  for (const alert of ['CronJobOverdue', 'CronJobPaused', 'CronJobStuckStarting']) await watched.resolves(alert);
});
