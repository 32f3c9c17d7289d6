import type { Pod } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';
import { createStartCheckEvents } from './events.ts';
import { toRun } from './job.ts';
import {
  buildEndJobPatch,
  findNextStartCheck,
  formatStartTimeout,
  hasStartedContainer,
  listJobsToCheck,
} from './start-timeout.ts';

const MINUTE_MS = 60_000;
const withTimeout = (startTimeoutSeconds?: number) =>
  cronJob(startTimeoutSeconds === undefined ? {} : { startTimeoutSeconds });
const factsOf = (jobs: readonly Job[], now: string, given = withTimeout(60)) => ({
  cronJob: given,
  runs: jobs.map(toRun),
  now: new Date(now),
});
const started = (startTime: string) => buildJob(startTime, { startTime });
const withStatus = (status: Job['status']): Job => ({
  ...started(at('01:00:00')),
  status: { startTime: at('01:00:00'), ...status },
});
const withSpec = (spec: Partial<Job['spec']>): Job => ({
  ...started(at('01:00:00')),
  spec: { template: {}, ...spec },
});
const isTrue = (type: string) => ({ conditions: [{ type, status: 'True', lastTransitionTime: at('01:00:00') }] });

describe('a start is to be checked', () => {
  test('when its timeout passes, not before', () => {
    const job = started(at('01:00:00'));
    const before = factsOf([job], at('01:00:59'));
    expect([listJobsToCheck(before), findNextStartCheck(before)]).toEqual([[], new Date(at('01:01:00'))]);
    const passed = factsOf([job], at('01:01:00'));
    expect(listJobsToCheck(passed)).toEqual([job]);
    expect(findNextStartCheck(passed)).toBeUndefined();
  });

  test('the current spec decides the timeout of an older Job', () => {
    const jobs = [started(at('01:00:00'))];
    expect(listJobsToCheck(factsOf(jobs, at('01:01:00'), withTimeout(61)))).toEqual([]);
    expect(listJobsToCheck(factsOf(jobs, at('01:00:01'), withTimeout(1)))).toHaveLength(1);
  });

  test('oldest first, and the next one when the first of the others is due', () => {
    const jobs = [at('01:00:30'), at('01:02:40'), at('01:00:00'), at('01:02:30')].map(started);
    const facts = factsOf(jobs, at('01:02:50'));
    expect(listJobsToCheck(facts).map(({ status }) => status?.startTime)).toEqual([at('01:00:00'), at('01:00:30')]);
    expect(findNextStartCheck(facts)).toEqual(new Date(at('01:03:30')));
  });

  test.each([
    ['a Pod is ready', { ready: 1 }],
    ['a Pod has succeeded', { succeeded: 1 }],
    ['a Pod has failed', { failed: 1 }],
    ['it is suspended', isTrue('Suspended')],
    ['it is about to fail', isTrue('FailureTarget')],
    ['it is about to complete', isTrue('SuccessCriteriaMet')],
    ['it has completed', isTrue('Complete')],
    ['it has failed', isTrue('Failed')],
    ['it says no time at which it started', { startTime: 'soon' }],
  ] satisfies [string, Job['status']][])('a Job is not checked when %s', (_, status) => {
    const facts = factsOf([withStatus(status)], at('02:00:00'));
    expect([listJobsToCheck(facts), findNextStartCheck(facts)]).toEqual([[], undefined]);
  });

  test.each([
    ['the CronJob does not control any more', buildJob(at('01:00:00'), { ownerUid: 'another' })],
    ['is to be suspended', withSpec({ suspend: true })],
    ['another controller manages', withSpec({ managedBy: 'kueue.x-k8s.io/multikueue' })],
    ['is being deleted', buildJob(at('01:00:00'), { isBeingDeleted: true })],
    ['has no status', { ...buildJob(at('01:00:00')), status: undefined } as unknown as Job],
    ['has not been started, as a queue leaves it', { ...buildJob(at('01:00:00')), status: {} }],
    [
      'was ended before',
      {
        ...buildJob(at('01:00:00')),
        metadata: { ...buildJob(at('01:00:00')).metadata, annotations: { [START_TIMEOUT_ANNOTATION]: '60' } },
      },
    ],
  ] satisfies [string, Job][])('not of a Job that %s', (_, job) => {
    expect(listJobsToCheck(factsOf([job], at('02:00:00')))).toEqual([]);
  });

  test.each([
    ['none of its Pods is ready', withStatus({ ready: 0, active: 1, ...conditionOf('Suspended', 'False') })],
    [
      'it says who manages it, and that is Kubernetes',
      withSpec({ managedBy: 'kubernetes.io/job-controller', suspend: false }),
    ],
  ] satisfies [string, Job][])('of a Job when %s', (_, job) => {
    expect(listJobsToCheck(factsOf([job], at('02:00:00')))).toHaveLength(1);
  });

  test('of none without a timeout, nor of a CronJob that is being deleted, nor with a timeout that no clock reaches', () => {
    const jobs = [started(at('01:00:00'))];
    const deleting = cronJob({ startTimeoutSeconds: 60 }, undefined, { deletionTimestamp: at('01:00:00') });
    for (const given of [withTimeout(), deleting]) {
      const facts = factsOf(jobs, at('02:00:00'), given);
      expect([listJobsToCheck(facts), findNextStartCheck(facts)]).toEqual([[], undefined]);
    }
    expect(listJobsToCheck(factsOf(jobs, at('02:00:00'), withTimeout(1e300)))).toEqual([]);
  });
});

function conditionOf(type: string, status: string) {
  return { conditions: [{ type, status, lastTransitionTime: at('01:00:00') }] };
}

describe('the next reconcile', () => {
  const active = (spec: Parameters<typeof cronJob>[0]) => {
    const world = new CoreWorld(cronJob({ startTimeoutSeconds: 90, ...spec }));
    world.reconcile(at('01:00:00'));
    return world;
  };

  test('is when the timeout of an active Job passes, if that is before the next slot', () => {
    const world = active({});
    world.jobs = [started(at('01:00:00'))];
    expect(world.reconcile(at('01:00:30')).requeueAfterMs).toBe(MINUTE_MS + SCHEDULE_SLACK_MS);
    world.edit({ schedule: '* * * * *' });
    expect(world.reconcile(at('01:00:30')).requeueAfterMs).toBe(MINUTE_MS / 2 + SCHEDULE_SLACK_MS);
  });

  test.each([{ suspend: true }, { schedule: 'nonsense' }])(
    'checks the timeout, even if %j prevents the next run',
    (spec) => {
      const world = active({});
      world.jobs = [started(at('01:00:00'))];
      world.edit(spec);
      expect(world.reconcile(at('01:00:30'))).toMatchObject({
        created: [],
        requeueAfterMs: MINUTE_MS + SCHEDULE_SLACK_MS,
      });
      world.jobs = [];
      expect(world.reconcile(at('01:00:31')).requeueAfterMs).toBeUndefined();
    },
  );
});

test('Forbid is freed when a Job that did not start has failed, not while its end has only begun', () => {
  const world = new CoreWorld(cronJob({ startTimeoutSeconds: 60, concurrencyPolicy: 'Forbid' }));
  world.reconcile(at('01:00:00'));
  const [job] = world.jobs;
  const { metadata } = job!;
  const annotations = { ...metadata.annotations, [START_TIMEOUT_ANNOTATION]: '60' };
  const reason = 'DeadlineExceeded';
  const ended = (...types: readonly string[]): Job => {
    const conditions = types.map((type) => ({ type, status: 'True', reason, lastTransitionTime: at('02:00:00') }));
    return { ...job!, metadata: { ...metadata, annotations }, status: { startTime: at('01:00:00'), conditions } };
  };
  world.jobs = [ended('FailureTarget')];
  expect(world.reconcile(at('02:00:01'))).toMatchObject({ decision: 'Blocked', created: [] });
  world.jobs = [ended('FailureTarget', 'Failed')];
  const { created, status } = world.reconcile(at('02:00:02'));
  expect(created).toEqual(['hello-1767232800']);
  expect(status.lastFailureTime).toBe(at('02:00:00'));
  expect(toRun(world.jobs[0]!).failureReason).toBe('StartTimeout');
});

describe('a Pod', () => {
  const pod = (status: object | undefined, name = 'p') => ({ metadata: { name }, ...(status && { status }) }) as Pod;
  const waiting = (reason?: string, message?: string) => ({ restartCount: 0, state: { waiting: { reason, message } } });

  test.each([
    ['runs', { containerStatuses: [waiting(), { restartCount: 0, state: { running: {} } }] }],
    ['has ended', { containerStatuses: [{ restartCount: 0, state: { terminated: {} } }] }],
    ['is in its init container', { initContainerStatuses: [{ restartCount: 0, state: { running: {} } }] }],
    ['ended before', { containerStatuses: [{ ...waiting(), lastState: { terminated: {} } }] }],
    ['was restarted', { containerStatuses: [{ ...waiting(), restartCount: 1 }] }],
  ])('a Pod has started when one of its containers %s', (_, status) => {
    expect(hasStartedContainer(pod(status))).toBe(true);
  });

  const creating = [waiting('ContainerCreating')];

  test.each([
    undefined,
    {},
    { phase: 'Pending', containerStatuses: creating, initContainerStatuses: [{ restartCount: 0 }] },
  ])('has not started when its status is %j', (status) => {
    expect(hasStartedContainer(pod(status))).toBe(false);
  });

  const unscheduled = {
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Other' },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' },
    ],
  };

  test.each([
    ['it has no Pod', []],
    ['its Pods do not say why', [pod(undefined), pod({ containerStatuses: [waiting('PodInitializing'), waiting()] })]],
    ['Pod a: Unschedulable: 0/1 nodes are available', [pod({}), pod(unscheduled, 'a')]],
    [
      'Pod b: ImagePullBackOff: no such image',
      [pod({ initContainerStatuses: [waiting('ImagePullBackOff', 'no such image')] }, 'b')],
    ],
    ['Pod c: ContainerCreating', [pod({ containerStatuses: [waiting('ContainerCreating')] }, 'c')]],
  ] satisfies [string, readonly Pod[]][])('that has not started says why: %s', (obstacle, pods) => {
    expect(formatStartTimeout(60, pods)).toBe(`no container started within 60 seconds; ${obstacle}`);
  });

  test('says no more than has room, on one line', () => {
    const says = (message: string) =>
      formatStartTimeout(60, [pod({ containerStatuses: [waiting('ErrImagePull', message)] })]);
    expect(says('x'.repeat(1000))).toHaveLength(256);
    expect(says('no\nsuch\timage')).toContain('ErrImagePull: no such image');
    // The name of an image may be any text.
    expect(says('no\u001b[2Jsuch\u202eimage')).toContain('ErrImagePull: no [2Jsuch image');
  });
});

test.each([
  [undefined, 60, 60],
  [600, 60, 60],
  [30, 60, 30],
  [undefined, -1, 0],
])('a deadline of %j and a timeout of %i become the deadline %i', (own, seconds, deadline) => {
  const job = withSpec(own === undefined ? {} : { activeDeadlineSeconds: own });
  const annotations = { [START_TIMEOUT_ANNOTATION]: 'why' };
  const metadata = { uid: job.metadata.uid, resourceVersion: '1', annotations };
  expect(buildEndJobPatch(job, seconds, 'why')).toEqual({ metadata, spec: { activeDeadlineSeconds: deadline } });
});

test('events report the ended Job and why it had not started, and why a check failed', () => {
  const ended = [{ jobName: 'hello-1', message: 'no container started' }];
  const failure = { jobName: 'hello-2', message: 'forbidden' };
  const messages = [
    'Ended job hello-1: no container started',
    'Error checking whether job hello-2 has started: forbidden',
  ];
  expect(createStartCheckEvents({ ended, failure })).toEqual(
    messages.map((message) => ({ type: 'Warning', reason: 'StartTimeout', message })),
  );
  expect(createStartCheckEvents({ ended: [] })).toEqual([]);
});
