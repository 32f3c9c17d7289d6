/**
 * A real Prometheus that scrapes the real manager answers every query of the dashboards, and fires alerts for CronJobs that need attention.
 */
import { admissionReview, eventually, findFreePort, postReview, writeCertificate } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { jobs } from '../../controllers/resources.ts';
import { type Dashboard, listPanels, type Panel, readDashboards } from '../support/dashboards.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { Grafana } from './support/grafana.ts';
import { MonitoredManager, NEVER_DUE, TIMEOUT } from './support/monitored-manager.ts';

/** Timeout for all tests below, on a machine that is busy with other work. Milliseconds. */
const SCENE_TIMEOUT_MS = 1_200_000;
const WEBHOOK = '/validate-batch-tutorial-kubebuilder-io-v1-cronjob';

const { 'cronjobs.json': onCronJobs, 'controller-runtime-metrics.json': onController } = readDashboards();
const folder = createTemporaryFolderForFile();
let monitored: MonitoredManager;

beforeAll(async () => {
  const port = await findFreePort();
  writeCertificate(folder);
  monitored = await MonitoredManager.open([`--webhook-cert-path=${folder}`, `--webhook-port=${port}`]);
  await monitored.waitForScrape();
  await postReview({ port, path: WEBHOOK, body: admissionReview({ operation: 'DELETE' }) });
  const { scene } = monitored;
  await scene.createCronJob({ ...NEVER_DUE, suspend: true }, 'suspended');
  await scene.createCronJob({ ...NEVER_DUE, expectSuccessWithinSeconds: 1 }, 'overdue');
  await scene.createCronJob({ ...NEVER_DUE, expectSuccessWithinSeconds: 1_000_000 }, 'succeeding');
  await monitored.finish(await startRun('succeeding'), 'Complete');
  await scene.createCronJob(NEVER_DUE, 'waiting');
  const startTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
  const body = { status: { startTime, active: 1 } };
  await scene.client.patch(
    jobs,
    (await startRun('waiting')).metadata,
    { kind: 'merge', body },
    { subresource: 'status' },
  );
  await scene.createCronJob({ schedule: '@every 1s', concurrencyPolicy: 'Forbid', pauseAfterFailures: 1 }, 'paused');
  await monitored.finish(await findJob('paused'), 'Failed');
}, SCENE_TIMEOUT_MS);

afterAll(async () => await monitored?.[Symbol.asyncDispose]());

async function startRun(name: string): Promise<Job> {
  await monitored.scene.waitUntilObserved(name);
  await monitored.scene.annotate({ [RUN_NOW_ANNOTATION]: 'now' }, name);
  return await findJob(name);
}

async function findJob(name: string): Promise<Job> {
  return await eventually(async () => {
    const found = (await monitored.scene.jobs()).find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    return found ?? Promise.reject(new Error(`no Job of ${name}`));
  }, TIMEOUT);
}

function findPanel(dashboard: Dashboard | undefined, title: string): [Grafana, Panel] {
  if (dashboard === undefined) throw new Error('no such dashboard');
  const panel = listPanels(dashboard).find((each) => each.title === title);
  if (panel === undefined) throw new Error(`no panel ${title}`);
  return [new Grafana(monitored.prometheus, dashboard), panel];
}

/** The result of the only query of a panel. */
async function queryPanel(dashboard: Dashboard | undefined, title: string) {
  const [grafana, panel] = findPanel(dashboard, title);
  const [target] = panel.targets ?? [];
  if (target === undefined) throw new Error(`${title} asks nothing`);
  return await grafana.query(panel, target);
}

describe.each(Object.entries(readDashboards()))('%s', (_, dashboard) => {
  const queries = listPanels(dashboard).flatMap((panel) =>
    (panel.targets ?? []).map((target) => ({ title: panel.title, legend: target.legendFormat, panel, target })),
  );

  test.each(queries)('$title: $legend has data', async ({ panel, target }) => {
    await eventually(async () => {
      const found = await new Grafana(monitored.prometheus, dashboard).query(panel, target);
      expect(found.map(({ value }) => value)).toContainEqual(expect.any(Number));
    }, TIMEOUT);
  });
});

test.each([
  ['CronJobOverdue', 'overdue', / is overdue\.$/],
  ['CronJobPaused', 'paused', / is paused after failures\.$/],
  ['CronJobFailing', 'paused', / is failing\.$/],
  ['CronJobStuckStarting', 'waiting', / does not start\.$/],
])('%s fires only for the CronJob %s', async (alert, name, summary) => {
  const { labels, annotations } = await monitored.waitUntilFiring(alert);
  const { namespace } = monitored.scene;
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
  ])('the panel %s shows %i', async (title, value) => {
    await eventually(async () => expect(await queryPanel(onCronJobs, title)).toEqual([{ labels: {}, value }]), TIMEOUT);
  });

  test.each([
    ['Overdue CronJobs', 'overdue'],
    ['Paused CronJobs', 'paused'],
    ['Failing CronJobs', 'paused'],
    ['Waiting Jobs', 'waiting'],
  ])('the panel %s lists only the CronJob %s', async (title, name) => {
    const labels = { namespace: monitored.scene.namespace, name };
    await eventually(async () => {
      expect((await queryPanel(onCronJobs, title)).map((found) => found.labels)).toEqual([labels]);
    }, TIMEOUT);
  });

  test('lists the CronJobs that start next, without suspended ones', async () => {
    await eventually(async () => {
      const names = (await queryPanel(onCronJobs, 'Next starts')).map(({ labels }) => labels['name']);
      expect(names.toSorted()).toEqual(['overdue', 'succeeding', 'waiting']);
    }, TIMEOUT);
  });

  test('has a line for each result and for each reason', async () => {
    const listLabels = async (title: string, label: string) =>
      (await queryPanel(onCronJobs, title)).map(({ labels }) => labels[label]).toSorted();
    expect(await listLabels('Finished runs by result', 'result')).toEqual(['Failed', 'Succeeded']);
    expect(await listLabels('Skipped slots by reason', 'reason')).toEqual(
      [
        'ConcurrencyPolicyForbid',
        'ConcurrencyPolicySkip',
        'Excluded',
        'FailedCreate',
        'JobNameTaken',
        'MaxConcurrentRuns',
        'Paused',
        'QueueFull',
        'Suspended',
      ].toSorted(),
    );
    expect(await listLabels('Missed slots by reason', 'reason')).toContain('DeadlineExceeded');
  });

  test('offers the namespaces of the CronJobs and the Prometheus job', async () => {
    const [grafana] = findPanel(onCronJobs, 'CronJobs');
    expect(await grafana.listOptions('namespace')).toEqual([monitored.scene.namespace]);
    expect(await grafana.listOptions('job')).toEqual(['manager']);
  });
});

describe('the dashboard on the managers', () => {
  test.each([
    ['Leaders', 1],
    ['Managers', 1],
    ['Restarts in the range', 0],
    ['Reconcile errors in the range', 0],
    ['Queue', 0],
  ])('the panel %s shows %i', async (title, value) => {
    await eventually(
      async () => expect(await queryPanel(onController, title)).toEqual([{ labels: {}, value }]),
      TIMEOUT,
    );
  });

  test('offers the address of the manager, and no Pods when Prometheus has no Pod label', async () => {
    const [grafana] = findPanel(onController, 'Leaders');
    expect(await grafana.listOptions('instance')).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
    expect(await grafana.listOptions('pod')).toEqual([]);
  });
});

test('alerts resolve when their causes end', async () => {
  const { scene } = monitored;
  await scene.edit({ expectSuccessWithinSeconds: 1_000_000 }, 'overdue');
  await scene.annotate({ [RESUME_ANNOTATION]: 'now' }, 'paused');
  const { metadata } = await findJob('waiting');
  await scene.client.patch(
    jobs,
    metadata,
    { kind: 'merge', body: { status: { ready: 1 } } },
    { subresource: 'status' },
  );
  for (const alert of ['CronJobOverdue', 'CronJobPaused', 'CronJobStuckStarting'])
    await monitored.waitUntilResolved(alert);
});
