/** kubectl tcj why, with what only the API server knows: the Pods of a run, and the permissions of the user. */
import { core } from 'controller-runtime/kubernetes';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { grant, READ_CRON_JOBS } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';
import { createObserved, getOnlyJob, startManualRun, tcj } from './support/tcj.ts';

const LIST_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };

test('explains a failed run, with and without its Pod', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const job = await startManualRun(scene);
  const { client, namespace } = scene;
  // The status as its kubelet writes it.
  const terminated = { exitCode: 3, reason: 'Error', message: 'no such table' };
  const container = { name: 'work', image: 'busybox', imageID: '', ready: false, restartCount: 0 };
  const status = { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated } }] };
  const pod = await client.create(core.v1.pods, {
    metadata: { name: 'a', namespace, labels: { 'batch.kubernetes.io/job-name': job.metadata.name } },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'work', image: 'busybox' }] },
  });
  await client.patch(core.v1.pods, pod.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
  await scene.finish(job, 'Failed');
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.lastRun?.result).toBe('Failed'));
  expect((await tcj(scene, 'why backup')).out).toMatch(
    / failed after \S+: Test\. Container work of its Pod a ended with exit code 3 \(Error\): no such table\. /,
  );
  await client.delete(core.v1.pods, { namespace, name: 'a' });
  const { out } = await tcj(scene, 'why backup');
  expect(out).toContain('The Pods no longer exist, so the exit codes');
  expect(out).not.toContain('To do');
});

test('explains a run without a Pod to users with and without the permissions to list Pods and events', async () => {
  await using scene = await Scene.open();
  await createObserved(scene);
  const { client, namespace } = scene;
  const { name, uid } = (await startManualRun(scene)).metadata;
  const quota = 'pods "a" is forbidden: exceeded quota: pods';
  await client.create(core.v1.events, {
    metadata: { name: 'refused', namespace },
    involvedObject: { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid },
    ...{ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${quota}` },
    ...{ lastTimestamp: new Date().toISOString(), source: { component: 'job-controller' } },
  });
  const runWhyAs = (user?: string) =>
    tcj(
      scene,
      'why backup',
      ...(user === undefined ? [] : ['--kubeconfig', writeKubeconfigAs(user, inject('kubeconfig'))]),
    );
  expect((await runWhyAs()).out).toContain(`. It has no Pod yet: ${quota}. `);
  await scene.clock.advance(13 * 60_000);
  const since = 'has not started for \\d+m: it has no Pod';
  expect((await runWhyAs()).out).toMatch(
    new RegExp(
      `^The manual run at .* UTC \\(CronJobRun \\S+\\), Job ${name}, ${since}: ${quota}\\. .*\nTo do: fix the cause, then it starts by itself; .*: kubectl describe job ${name} -n ${namespace} --kubeconfig \\S+\n$`,
    ),
  );
  await grant(client, 'watchman', namespace, [READ_CRON_JOBS, LIST_PODS]);
  await grant(client, 'newcomer', namespace, [READ_CRON_JOBS]);
  await scene.eventually(async () =>
    expect((await runWhyAs('watchman')).out).toMatch(new RegExp(` ${since}\\. The next`)),
  );
  await scene.eventually(async () =>
    expect(await runWhyAs('newcomer')).toEqual({
      code: 0,
      out: expect.stringMatching(
        `is running, as Job ${name}\\. Cannot read its Pods \\(the API server: pods is forbidden: User "newcomer" cannot list .*\\)\\. `,
      ),
      err: '',
    }),
  );
});

test('-o json has the CronJob, its state and the requested time', async () => {
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

test('resumes a paused CronJob', async () => {
  await using scene = await Scene.open();
  await createObserved(scene, { pauseAfterFailures: 1, schedule: '* * * * *' });
  await scene.passNextMinute();
  await scene.finish(await getOnlyJob(scene), 'Failed');
  await scene.eventually(async () => expect((await tcj(scene, 'list')).out).toMatch(/\nbackup +Paused /));
  await scene.clock.advance(1000);
  expect((await tcj(scene, 'resume backup')).out).toBe(`${scene.namespace}/backup resumed; missed runs do not start\n`);
  await scene.eventually(async () =>
    expect((await tcj(scene, 'why backup')).out).toMatch(
      /^The CronJob was resumed at .* UTC \(\d+s ago\)\. The run of /,
    ),
  );
});
