/** kubectl tcj why, beside what only the API server knows: the Pods of a run, with the rights of whoever asks. */
import { core } from 'controller-runtime/kubernetes';
import { expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { Scene } from '../support/scene.ts';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { mayRead } from './support/may-read.ts';
import { tcj } from './support/tcj.ts';

/** A CronJob that a manager has seen, with one run by hand. */
async function withRun(scene: Scene): Promise<Job> {
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  await scene.startManager();
  await scene.observed('backup');
  await tcj(scene, 'run backup');
  const [job] = await scene.hasJobs(1);
  if (job === undefined) throw new Error('no Job');
  return job;
}

/** As its kubelet, or the scheduler, writes it. */
async function addPod({ client, namespace }: Scene, { metadata }: Job, status: object): Promise<void> {
  const pod = await client.create(core.v1.pods, {
    metadata: { name: 'a', namespace, labels: { 'batch.kubernetes.io/job-name': metadata.name } },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'work', image: 'busybox' }] },
  });
  await client.patch(core.v1.pods, pod.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
}

const container = (state: object) => ({
  containerStatuses: [{ name: 'work', image: 'busybox', imageID: '', ready: false, restartCount: 0, state }],
});

test('a run that failed, while its Pod is there and when it is gone', async () => {
  await using scene = await Scene.open();
  const job = await withRun(scene);
  await addPod(scene, job, {
    phase: 'Failed',
    ...container({ terminated: { exitCode: 3, reason: 'Error', message: 'no such table' } }),
  });
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.lastRun?.result).toBe('Failed'));
  expect((await tcj(scene, 'why backup')).out).toMatch(
    / failed after \S+: Test\. Container work of its Pod a ended with exit code 3 \(Error\): no such table\. /,
  );
  await scene.client.delete(core.v1.pods, { namespace: scene.namespace, name: 'a' });
  const { out } = await tcj(scene, 'why backup');
  expect(out).toContain('no longer known: its Pods are gone.');
  expect(out).not.toContain('To do');
});

test('a run that has no Pod, to whoever may list events and to whoever may not', async () => {
  await using scene = await Scene.open();
  const job = await withRun(scene);
  const { client, namespace } = scene;
  const { name, uid } = job.metadata;
  await client.create(core.v1.events, {
    metadata: { name: 'refused', namespace },
    involvedObject: { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid },
    ...{
      type: 'Warning',
      reason: 'FailedCreate',
      message: 'Error creating: pods "a" is forbidden: exceeded quota: pods',
    },
    ...{ lastTimestamp: new Date().toISOString(), source: { component: 'job-controller' } },
  });
  const quota = 'pods "a" is forbidden: exceeded quota: pods';
  expect((await tcj(scene, 'why backup')).out).toContain(`. It has no Pod yet: ${quota}. `);
  await scene.clock.advance(13 * 60_000);
  const told = await tcj(scene, 'why backup');
  expect(told.out).toMatch(
    new RegExp(`^The manual run at .* UTC, Job ${name}, has not started for \\d+m: it has no Pod: ${quota}\\. `),
  );
  expect(told.out).toMatch(
    new RegExp(`\nTo do: see its events: kubectl describe job ${name} -n ${namespace} --kubeconfig \\S+\n$`),
  );
  await mayRead(scene, 'watchman', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]);
  const asWatchman = kubeconfigAs('watchman', inject('kubeconfig'));
  await scene.eventually(async () =>
    expect((await tcj(scene, 'why backup', '--kubeconfig', asWatchman)).out).toMatch(
      / has not started for \d+m: it has no Pod\. The next/,
    ),
  );
});

test('whoever may not list Pods is told so, and the rest', async () => {
  await using scene = await Scene.open();
  const job = await withRun(scene);
  await mayRead(scene, 'newcomer');
  const asNewcomer = kubeconfigAs('newcomer', inject('kubeconfig'));
  await scene.eventually(async () =>
    expect(await tcj(scene, 'why backup', '--kubeconfig', asNewcomer)).toEqual({
      code: 0,
      out: expect.stringMatching(
        `is running, as Job ${job.metadata.name}\\. Its Pods could not be seen \\(the API server: pods is forbidden: User "newcomer" cannot list .*\\)\\. `,
      ),
      err: '',
    }),
  );
});

test('a run that waits for the active one, and a suspension beside it', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ concurrencyPolicy: 'Forbid' }, 'backup');
  await scene.startManager();
  await scene.observed('backup');
  await scene.passNextMinute();
  const [job] = await scene.hasJobs(1);
  const createdMs = Date.parse(job?.metadata.creationTimestamp ?? '');
  // By the API server's clock, which goes on while the test's waits for a busy machine.
  do await scene.passNextMinute();
  while (scene.clock.now().getTime() < createdMs + 60_000);
  await scene.eventually(async () =>
    expect((await tcj(scene, 'why backup')).out).toMatch(
      /, Job \S+, has not started for \S+: it has no Pod\. The run of .* UTC waits until the active run has ended \(.*\nTo do: startTimeoutSeconds would end such a run, so that the next one starts; see its events, and whether kube-controller-manager runs.*: /,
    ),
  );
  expect((await tcj(scene, 'list')).out).toMatch(/^NAME .*\nbackup +Waiting /);
  await tcj(scene, 'suspend backup');
  expect((await tcj(scene, 'list')).out).toMatch(/^NAME .*\nbackup +(Waiting,)?Suspended /);
});

test('-o json names the CronJob, its state and the time that was asked for', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 0 1 1 *' }, 'backup');
  const { out } = await tcj(scene, 'why backup --at 2026-01-01T01:00:00+01:00 -o json');
  expect(JSON.parse(out)).toEqual({
    namespace: scene.namespace,
    name: 'backup',
    state: 'Unobserved',
    suspended: false,
    askedTime: '2026-01-01T00:00:00Z',
    sentence: expect.any(String),
    at: scene.clock.now().toISOString(),
  });
});

test('one that was paused and is resumed, before and after the manager has seen that', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ pauseAfterFailures: 1 }, 'backup');
  const manager = await scene.startManager();
  await scene.observed('backup');
  await scene.passNextMinute();
  const [job] = await scene.hasJobs(1);
  if (job) await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await tcj(scene, 'list')).out).toMatch(/\nbackup +Paused /));
  await scene.stopManager(manager);
  await scene.clock.advance(1000);
  expect((await tcj(scene, 'resume backup')).out).toBe(
    `${scene.namespace}/backup resumed; no run that it missed starts\n`,
  );
  expect((await tcj(scene, 'why backup')).out).toMatch(
    /^It was resumed, and no manager has seen that yet\. The run of /,
  );
  await scene.startManager();
  await scene.eventually(async () =>
    expect((await tcj(scene, 'why backup')).out).toMatch(/^It was resumed at .* UTC \(\d+s ago\)\. The run of /),
  );
  expect((await tcj(scene, 'list')).out).toMatch(/\nbackup +Failed /);
});
