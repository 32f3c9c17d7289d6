/** A user with only the ClusterRole cronjob-runner-role starts runs, and changes no CronJob, on a real API server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApiError, type LiveClient } from 'controller-runtime';
import { type ClusterRole, core, rbac } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { cronJobRuns, cronJobs, jobs } from '../../controllers/resources.ts';
import { connectAs } from '../support/cluster-client.ts';
import { newCronJob } from '../support/cron-jobs.ts';
import { PROJECT } from '../support/manifests.ts';
import { Scene } from '../support/scene.ts';
import './support/provided.ts';
import { backfillDays, buildRun, DAILY, finishJobsUntil, waitForState } from './support/requested-runs.ts';

const RBAC = 'config/rbac';

function readRole(file: string): Pick<ClusterRole, 'metadata' | 'rules'> {
  return parse(readFileSync(join(PROJECT, RBAC, file), 'utf8'));
}

/** Binds the ClusterRole to a ServiceAccount, in the namespace of the scene only. @returns The user name. */
async function createRunner({ client, namespace }: Scene): Promise<string> {
  const { metadata, rules = [] } = readRole('cronjob_runner_role.yaml');
  const name = `${metadata.name}-${namespace}`;
  await client.create(rbac.v1.clusterRoles, { metadata: { ...metadata, name }, rules });
  const account = { namespace, name: 'runner' };
  await client.create(core.v1.serviceAccounts, { metadata: account });
  await client.create(rbac.v1.roleBindings, {
    metadata: account,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  return `system:serviceaccount:${namespace}:runner`;
}

async function getCode(request: Promise<unknown>): Promise<number | undefined> {
  return await request.then(
    () => undefined,
    (error) => findApiError(error)?.code,
  );
}

/** Requests that would change a CronJob, or start a Job without a CronJobRun. */
function listForbiddenRequests(
  client: LiveClient,
  namespace: string,
): Readonly<Record<string, () => Promise<unknown>>> {
  const cronJob = { namespace, name: 'hello' };
  const merge = (body: object) => ({ kind: 'merge', body }) as const;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
  const job = { metadata: { namespace, name: 'own' }, spec: { template } };
  const annotations = { 'batch.tutorial.kubebuilder.io/run-now': 'a' };
  return {
    'edit the CronJob': () => client.patch(cronJobs, cronJob, merge({ spec: { suspend: true } })),
    'annotate the CronJob': () => client.patch(cronJobs, cronJob, merge({ metadata: { annotations } })),
    'delete the CronJob': () => client.delete(cronJobs, cronJob),
    'create a CronJob': () => client.create(cronJobs, newCronJob(namespace, 'new', DAILY)),
    'write the status of the CronJob': () =>
      client.patch(cronJobs, cronJob, merge({ status: { lastManualRun: 'a' } }), { subresource: 'status' }),
    'write the status of a CronJobRun': () =>
      client.patch(cronJobRuns, { namespace, name: 'again' }, merge({ status: {} }), { subresource: 'status' }),
    'create a Job': () => client.create(jobs, job),
    'list Jobs': () => client.list(jobs, { namespace }),
    'list Secrets': () => client.list(core.v1.secrets, { namespace }),
    'create a CronJobRun in another namespace': () =>
      client.create(cronJobRuns, buildRun({ namespace: 'default' }, { manual: {} })),
  };
}

test('a user with the role cronjob-runner-role can start, pause and stop runs, and nothing else', async () => {
  await using scene = await Scene.open();
  const { namespace } = scene;
  await using runner = connectAs(inject('kubeconfig'), await createRunner(scene));
  const { client } = runner;
  await scene.startManager();
  await scene.createCronJob({ schedule: DAILY });
  // The API server applies a new binding after a delay.
  const { metadata } = await eventually(() => client.create(cronJobRuns, buildRun(scene, { manual: {} })));
  await finishJobsUntil(scene, 'Succeeded');
  expect((await client.get(cronJobs, { namespace, name: 'hello' }))?.metadata.name).toBe('hello');
  expect(await client.list(cronJobRuns, { namespace })).toHaveLength(1);
  await client.create(cronJobRuns, buildRun(scene, { suspend: true, ...backfillDays(3) }, { name: 'fill-in' }));
  await waitForState(scene, 'Suspended', 'fill-in');
  const edit = (spec: object) =>
    client.patch(cronJobRuns, { namespace, name: 'fill-in' }, { kind: 'merge', body: { spec } });
  await edit({ suspend: false });
  await waitForState(scene, 'Running', 'fill-in');
  await edit({ suspend: true });
  expect(await getCode(edit({ cronJobName: 'other' }))).toBe(422);

  for (const [action, send] of Object.entries(listForbiddenRequests(client, namespace)))
    expect(await getCode(send()), action).toBe(403);

  for (const name of [metadata.name, 'fill-in']) await client.delete(cronJobRuns, { namespace, name });
  expect(await client.list(cronJobRuns, { namespace })).toEqual([]);
  expect(await scene.jobs()).toHaveLength(2);
});

test('no other ClusterRole includes this role', () => {
  const { metadata } = readRole('cronjob_runner_role.yaml');
  expect(Object.keys(metadata.labels ?? {}).filter((label) => label.includes('aggregate'))).toEqual([]);
});
