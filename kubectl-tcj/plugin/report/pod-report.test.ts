import type { Pod } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import type { JobEvent } from '../logs/pods-and-events.ts';
import type { RunSummary } from './explanation.ts';
import { needsJobEvents, type PodObservations, reportOnPods } from './pod-report.ts';
import { needsPodEvents } from './pod-wait.ts';
import { formatRemedy } from './remedy.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const running = { jobName: 'job', result: 'Running' } as const;
const failed = { jobName: 'job', result: 'Failed' } as const;
const IDENTITY = { namespace: 'team', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' };

function pod(status: object, metadata: object = {}, spec: object = {}): Pod {
  const containers = [{ name: 'work', image: 'busybox' }];
  const whole = { metadata: { ...IDENTITY, name: 'a', ...metadata }, spec: { containers, ...spec }, status };
  return { apiVersion: 'v1', kind: 'Pod', ...whole } as unknown as Pod; // the fields that are read
}

function job(spec: object, metadata: object = {}, conditions: readonly object[] = []): Job {
  const whole = { metadata: { ...IDENTITY, name: 'job', ...metadata }, spec, status: { conditions } };
  return { apiVersion: 'batch/v1', kind: 'Job', ...whole } as unknown as Job; // the fields that are read
}

function event(reason: string, message: string, time = '00:58', type = 'Warning'): JobEvent {
  return { type, reason, message, lastTimestamp: `2026-01-01T${time}:00Z` };
}

const report = (run: RunSummary, pods: readonly Pod[], seen: Partial<PodObservations> = {}) =>
  reportOnPods(run, { pods, namespace: 'team', now: NOW, ...seen });

const container = (state: object, more: object = {}) => ({ name: 'work', restartCount: 0, state, ...more });
const waiting = (reason: string, message?: string) => ({ waiting: { reason, ...(message && { message }) } });
const terminated = (exitCode: number, reason = 'Error', message?: string) => ({
  terminated: { exitCode, reason, ...(message && { message }) },
});
/** A Pod with one container. */
const podWith = (state: object, phase = 'Pending') => pod({ phase, containerStatuses: [container(state)] });
const ended = (state: object) => podWith(state, 'Failed');
/** A Pod whose init containers are in these states; the init container `proxy` is a sidecar. */
const initializingWith = (...states: readonly object[]) =>
  pod(
    { phase: 'Pending', initContainerStatuses: states, containerStatuses: [container(waiting('PodInitializing'))] },
    {},
    { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }, { name: 'first' }] },
  );
const initializing = (state: object) => initializingWith({ ...container(state), name: 'first' });
const NEVER = { restartPolicy: 'Never' };
const sidecar = (state: object, more: object = {}) => ({ ...container(state, more), name: 'proxy' });
const disrupted = (reason: string, message: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});
const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes fit.' };
const gates = (...names: readonly string[]) => ({ schedulingGates: names.map((name) => ({ name })) });
const OLD = '2026-01-01T00:55:00Z';
const TRACKING = 'batch.kubernetes.io/job-tracking';

const DESCRIBE = 'kubectl describe pod a -n team';
const PULL = 'make sure that the image exists and can be pulled';
const TEMPLATE =
  'if the template is wrong, correct spec.jobTemplate for the next runs (this Job keeps the old template)';
const FIX_CAUSE = `fix the cause, then it starts by itself; ${TEMPLATE}`;
const SEE_EVENTS = `check its events: ${DESCRIBE}`;

describe('a Pod of an active run', () => {
  test.each(
    Object.entries<readonly [toDo: string, given: Pod]>({
      'Its Pod a is not scheduled: Unschedulable: 0/3 nodes fit.': [
        `fix the cause, such as too few resources or a missing volume, then it starts by itself; ${TEMPLATE}`,
        pod({ phase: 'Pending', conditions: [unscheduled] }),
      ],
      'Its Pod a waits for the scheduling gate kueue.x-k8s.io/admission.': [
        `check that Kueue works and removes it: ${DESCRIBE}`,
        pod({ phase: 'Pending' }, {}, gates('kueue.x-k8s.io/admission')),
      ],
      'Its Pod a waits for the scheduling gates example.com/a and example.com/b.': [
        `check that the controller of example.com works and removes it: ${DESCRIBE}`,
        pod({ phase: 'Pending' }, {}, gates('example.com/a', 'example.com/b')),
      ],
      'The state of its Pod a is unknown: node n1 is lost.': [
        'if its machine no longer exists, delete the Node object, which also deletes its Pods: kubectl describe node n1',
        pod({ phase: 'Unknown', reason: 'NodeLost' }, {}, { nodeName: 'n1' }),
      ],
      [`Its Pod a is being deleted and should have ended by ${OLD}, but node n1 does not confirm it.`]: [
        'check whether the node works',
        pod({ phase: 'Running' }, { deletionTimestamp: OLD }, { nodeName: 'n1' }),
      ],
      'Its Pod a is being deleted (PreemptionByScheduler: for team/b).': [
        'wait until it ends',
        pod(
          { phase: 'Running', ...disrupted('PreemptionByScheduler', 'for team/b.') },
          { deletionTimestamp: NOW.toJSON() },
        ),
      ],
      'Its Pod a is being deleted and waits for the finalizer a.b/c.': [
        'check that the controller of a.b works and removes it: kubectl get pod a -n team -o yaml',
        pod({ phase: 'Failed' }, { deletionTimestamp: OLD, finalizers: [TRACKING, 'a.b/c'] }),
      ],
      [`Its Pod a is being deleted and waits until the Job controller counts it (finalizer ${TRACKING}).`]: [
        'wait; if it remains, check that kube-controller-manager runs',
        pod({ phase: 'Succeeded' }, { deletionTimestamp: OLD, finalizers: [TRACKING] }),
      ],
      ...Object.fromEntries(
        ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull'].map((reason) => [
          `Container work of its Pod a is waiting: ${reason}: no.`,
          [PULL, podWith(waiting(reason, 'no.'))] as const,
        ]),
      ),
      'Container work of its Pod a is waiting: InvalidImageName.': [
        'correct spec.jobTemplate for the next runs',
        podWith(waiting('InvalidImageName')),
      ],
      'Container work of its Pod a is waiting: CreateContainerConfigError: configmap "x" not found.': [
        FIX_CAUSE,
        podWith(waiting('CreateContainerConfigError', 'configmap "x" not found')),
      ],
      'Container work of its Pod a is waiting: ContainerCreating.': [SEE_EVENTS, podWith(waiting('ContainerCreating'))],
      'Container work of its Pod a is waiting: constructor.': [SEE_EVENTS, podWith(waiting('constructor'))],
      'Container first of its Pod a is waiting: CreateContainerConfigError: no secret.': [
        FIX_CAUSE,
        initializing(waiting('CreateContainerConfigError', 'no secret')),
      ],
      'Its Pod a waits for its init container first.': [SEE_EVENTS, initializing({ running: {} })],
      'Its Pod a waits for its init container first. ': [
        SEE_EVENTS,
        initializingWith(sidecar({ running: {} }, { started: true }), { ...container({ running: {} }), name: 'first' }),
      ],
      'Its Pod a waits for its init container proxy.': [
        SEE_EVENTS,
        initializingWith(sidecar({ running: {} }, { started: false }), {
          ...container(waiting('PodInitializing')),
          name: 'first',
        }),
      ],
      'Container first of its Pod a is waiting: PodInitializing.': [
        SEE_EVENTS,
        initializingWith(sidecar({ running: {} }, { started: true }), {
          ...container(waiting('PodInitializing')),
          name: 'first',
        }),
      ],
      'Container proxy of its Pod a still runs after container work has ended.': [
        'if container proxy should end with the others, move it to initContainers with restartPolicy Always (a sidecar): kubectl logs a -n team -c proxy',
        pod({ phase: 'Running', containerStatuses: [container(terminated(0)), sidecar({ running: {} })] }),
      ],
      'Container proxy of its Pod a still runs after container work has ended. Container work of its Pod a ended with exit code 1 (Error).':
        [
          'move it to initContainers',
          pod({ phase: 'Running', containerStatuses: [container(terminated(1)), sidecar({ running: {} })] }, {}, NEVER),
        ],
      'Container work of its Pod a ended with exit code 3 (Error).': [
        'undefined',
        pod({ phase: 'Running', containerStatuses: [container(terminated(3)), sidecar({ running: {} })] }),
      ],
      'Sidecar proxy of its Pod a still runs after container work has ended.': [
        'wait; Kubernetes ends it within terminationGracePeriodSeconds: kubectl logs a -n team -c proxy',
        pod({
          phase: 'Running',
          initContainerStatuses: [sidecar({ running: {} })],
          containerStatuses: [container(terminated(0))],
        }),
      ],
      'Its Pod a is Pending.': [SEE_EVENTS, pod({ phase: 'Pending' })],
      '': ['undefined', podWith({ running: {} }, 'Running')],
      'Container work of its Pod a is waiting: CrashLoopBackOff. Container work of its Pod a ended with exit code 2 (Error).':
        [
          SEE_EVENTS,
          pod({
            phase: 'Running',
            containerStatuses: [container(waiting('CrashLoopBackOff'), { restartCount: 3, lastState: terminated(2) })],
          }),
        ],
    }),
  )('%s', (sentence, [toDo, given]) => {
    const answer = report(running, [given]);
    expect(answer.sentence).toBe(sentence.trim());
    const text = String(answer.remedy && formatRemedy(answer.remedy));
    expect(text).toContain(toDo);
    expect(text).not.toMatch(/delete (the|this) Job/);
  });

  test('is the newest waiting Pod', () => {
    const older = pod({ containerStatuses: [container(waiting('ErrImagePull'))] }, { name: 'older' });
    expect(report(running, [older, podWith(waiting('ImagePullBackOff', 'Back-off "x"'))]).sentence).toBe(
      'Container work of its Pod a is waiting: ImagePullBackOff: Back-off "x", and 1 more of its Pods also waits.',
    );
  });

  test('is explained by its newest warning', () => {
    const creating = podWith(waiting('ContainerCreating'));
    expect(needsPodEvents(creating)).toBe(true);
    const podEvents = [event('Scheduled', 'ok', '00:59', 'Normal'), event('FailedMount', 'secret "key" not found')];
    const { sentence, remedy } = report(running, [creating], { podEvents });
    expect(sentence).toBe(
      'Container work of its Pod a is waiting: ContainerCreating: FailedMount: secret "key" not found.',
    );
    expect(remedy?.change).toBe(FIX_CAUSE);
  });

  test('with init containers is explained by its newest warning', () => {
    const creating = initializing(waiting('PodInitializing'));
    expect(needsPodEvents(creating)).toBe(true);
    const { sentence, remedy } = report(running, [creating], {
      podEvents: [event('FailedMount', 'secret "key" not found')],
    });
    expect(sentence).toBe(
      'Container first of its Pod a is waiting: PodInitializing: FailedMount: secret "key" not found.',
    );
    expect(remedy?.change).toBe(FIX_CAUSE);
  });

  test.each([
    ['an image error', podWith(waiting('ErrImagePull'))],
    ['running', pod({ phase: 'Running' })],
    ['unschedulable', pod({ phase: 'Pending', conditions: [unscheduled] })],
  ])('needs no events: %s', (_, given) => {
    expect(needsPodEvents(given)).toBe(false);
  });
});

const LONG = 'x'.repeat(400);
const EXIT = 'Container work of its Pod a ended with exit code';

test.each<readonly [sentence: string, pods: readonly Pod[]]>([
  [`${EXIT} 137 (OOMKilled).`, [pod({ phase: 'Failed' }, { name: 'older' }), ended(terminated(137, 'OOMKilled'))]],
  [`${EXIT} 1 (Error): no such table.`, [ended(terminated(1, 'Error', 'no\nsuch table.\n'))]],
  [`${EXIT} 1 (Error): ${LONG.slice(0, 300)}….`, [ended(terminated(1, 'Error', LONG))]],
  [
    `Kubernetes terminated its Pod a (TerminationByKubelet: low on memory). ${EXIT} 137 (Error).`,
    [
      pod({
        ...{ phase: 'Failed', reason: 'Evicted', ...disrupted('TerminationByKubelet', 'low on memory.') },
        containerStatuses: [container(terminated(137))],
      }),
    ],
  ],
  ['The Pods do not show how the containers ended.', [podWith(terminated(0, 'Completed'), 'Succeeded')]],
])('explains a failed run: %s', (sentence, pods) => {
  expect(report(failed, pods)).toEqual({ jobName: 'job', sentence });
});

test.each([
  ['Evicted', 'The node was low on memory.'],
  ['OutOfcpu', 'Node did not have enough resource: cpu'],
  ['NodeAffinity', 'Predicate NodeAffinity failed'],
])('a Pod that failed before a container started has events, but no logs: %s', (reason, message) => {
  const command = { kind: 'Other', commandLine: 'kubectl describe pod a -n team' };
  expect(report(failed, [pod({ phase: 'Failed', reason, message })])).toMatchObject({
    sentence: expect.stringContaining(`Its Pod a failed: ${reason}: ${message.replace(/\.$/, '')}`),
    remedy: { change: 'check its events', command },
  });
});

const seeJob = (change: string) => ({
  remedy: { change, command: { kind: 'Other', commandLine: 'kubectl describe job job -n team' } },
});

test('reports that the Pods no longer exist', () => {
  const sentence = 'The Pods no longer exist, so the exit codes of the containers are unknown.';
  expect(report(failed, [])).toEqual({ jobName: 'job', sentence, arePodsDeleted: true });
});

test('reports that no Pod exists yet', () => {
  expect(report(running, [])).toEqual({
    jobName: 'job',
    sentence: 'It has no Pod yet.',
    ...seeJob('check its events'),
  });
});

describe('a run that has not started for minutes', () => {
  const old = { ...running, createdTime: new Date('2026-01-01T00:47:00Z') };
  const since = '2026-01-01T00:47:00Z';
  const refused = event('FailedCreate', 'Error creating: pods "a-x" is forbidden: exceeded quota: pods.');
  const created = event('SuccessfulCreate', 'Created pod: a', '00:48');
  const REFUSED = 'pods "a-x" is forbidden: exceeded quota: pods';

  test('is explained by the events of its Job when it has no Pod', () => {
    const events = [refused, event('FailedCreate', 'Error creating: something older', '00:48'), event('Else', 'x')];
    expect(report(old, [], { events })).toEqual({
      ...{ jobName: 'job', sentence: '', startDelay: { since, cause: `it has no Pod: ${REFUSED}` } },
      ...seeJob(FIX_CAUSE),
    });
    expect(report(old, []).startDelay?.cause).toBe('it has no Pod');
    const young = { ...old, createdTime: new Date('2026-01-01T00:59:01Z') };
    expect(report(young, [], { events: [refused] }).sentence).toBe(`It has no Pod yet: ${REFUSED}.`);
  });

  test('is not reported as never started if it had a Pod', () => {
    const answer = report(old, [], { events: [created, refused] });
    expect(answer.sentence).toBe(`It has no Pod now: ${REFUSED}.`);
    expect(answer.startDelay).toBeUndefined();
    const createdLater = event('SuccessfulCreate', 'Created pod: a', '00:59');
    expect(report(old, [], { events: [createdLater, refused] }).sentence).toBe('It has no Pod now.');
  });

  test('is explained by the events of its Job when no Pod replaces a failed Pod', () => {
    const pods = [ended(terminated(1))];
    expect(needsJobEvents(running, pods)).toBe(true);
    expect(report(old, pods, { events: [created, refused] })).toEqual({
      jobName: 'job',
      sentence: `It has no active Pod: ${REFUSED}. ${EXIT} 1 (Error).`,
      ...seeJob(FIX_CAUSE),
    });
    expect(report(old, pods, { events: [created] }).sentence).toBe(`${EXIT} 1 (Error).`);
    expect(report(old, [...pods, pod({ phase: 'Running' })], { events: [refused] }).sentence).toBe(
      `${EXIT} 1 (Error).`,
    );
  });

  test('is explained by the wait for its image', () => {
    const waits = podWith(waiting('ErrImagePull'));
    const { sentence, startDelay, remedy } = report(old, [waits]);
    expect({ sentence, startDelay }).toEqual({
      sentence: '',
      startDelay: { since, cause: 'container work of its Pod a is waiting: ErrImagePull' },
    });
    expect(remedy?.change).toContain(PULL);
    const debugged = { ephemeralContainerStatuses: [{ ...container(terminated(0)), name: 'debugger' }] };
    const withDebugger = pod({ ...waits.status, ...debugged }, {}, { ephemeralContainers: [{ name: 'debugger' }] });
    expect(report(old, [withDebugger])).toEqual(report(old, [waits]));
    const crashed = pod({ containerStatuses: [container(waiting('CrashLoopBackOff'), { lastState: terminated(2) })] });
    expect(report(old, [crashed]).startDelay).toBeUndefined();
    expect(report(old, [pod({ phase: 'Failed' }, { name: 'first' }), waits]).startDelay).toBeUndefined();
  });

  test('is explained when the start timeout ended it without a Pod', () => {
    const timedOut = { ...failed, reason: 'StartTimeout' };
    expect(report(timedOut, [], { events: [refused] })).toEqual({
      ...{ jobName: 'job', sentence: `It never had a Pod: ${REFUSED}.`, arePodsDeleted: true },
      ...seeJob('check the events of its Job, or increase startTimeoutSeconds'),
    });
    expect(report(timedOut, []).sentence).toBe('');
    expect(report(timedOut, [], { events: [refused, created] }).sentence).toBe('');
  });

  test('is the only run that needs events of its Job', () => {
    expect(needsJobEvents(running, [])).toBe(true);
    expect(needsJobEvents(running, [pod({})])).toBe(false);
    expect(needsJobEvents(failed, [])).toBe(false);
    expect(needsJobEvents({ ...failed, reason: 'StartTimeout' }, [])).toBe(true);
  });
});

describe('the Job of a run', () => {
  const queue = { 'kueue.x-k8s.io/queue-name': 'gpu' };
  const condition = (type: string, message: string, status = 'True') => ({ type, status, message });
  const deleted = (...finalizers: readonly string[]) => job({}, { deletionTimestamp: OLD, finalizers });
  const WORKLOAD =
    'check what its Workload waits for: kubectl describe workloads.kueue.x-k8s.io -n team -l kueue.x-k8s.io/job-uid=u-1';
  const PODS = 'wait; if Pods remain, check why: kubectl get pods -n team -l batch.kubernetes.io/job-name=job';
  const YAML = 'works and removes it: kubectl get job job -n team -o yaml';
  const patched = (spec: string) => `kubectl patch job job -n team --type merge -p '{"spec":{${spec}}}'`;
  const GATED = 'It is suspended until Kueue admits it from the queue gpu';
  const DELETED = `It is being deleted (since ${OLD})`;

  test.each(
    Object.entries<readonly [toDo: string, given: Job]>({
      [`${GATED}.`]: [WORKLOAD, job({ suspend: true }, { labels: queue }, [condition('Suspended', 'Job suspended')])],
      [`${GATED}; Admitted: no quota for cpu.`]: [
        WORKLOAD,
        job({ suspend: true }, { annotations: queue }, [condition('Admitted', 'no quota for cpu.')]),
      ],
      [`${GATED} with the Workload wl-1.`]: [
        'check what its Workload waits for: kubectl describe workloads.kueue.x-k8s.io -n team wl-1',
        job({ suspend: true }, { labels: { ...queue, 'kueue.x-k8s.io/prebuilt-workload-name': 'wl-1' } }),
      ],
      'It is suspended until Kueue admits it with the Workload wl-1.': [
        'check what its Workload waits for: kubectl describe workloads.kueue.x-k8s.io -n team wl-1',
        job({ suspend: true }, { labels: { 'kueue.x-k8s.io/prebuilt-workload-name': 'wl-1' } }),
      ],
      'It is suspended (spec.suspend of the Job), by its template or by another client.': [
        `let the queue or the user that suspended it resume it; otherwise, resume it yourself: ${patched('"suspend":false')}`,
        job({ suspend: true }),
      ],
      'It runs in another cluster, where MultiKueue sends it from the queue gpu (spec.managedBy).': [
        WORKLOAD,
        job({ suspend: true, managedBy: 'kueue.x-k8s.io/multikueue' }, { labels: queue }),
      ],
      'It is managed by example.com/jobs (spec.managedBy) instead of the Kubernetes Job controller.': [
        'check that the controller example.com/jobs runs',
        job({ managedBy: 'example.com/jobs' }),
      ],
      [`${DELETED} and waits until its Pods are deleted (finalizer foregroundDeletion).`]: [
        PODS,
        deleted('foregroundDeletion'),
      ],
      [`${DELETED} and waits until its Pods are released (finalizer orphan).`]: [
        'wait; if it remains, check that kube-controller-manager runs',
        deleted('orphan'),
      ],
      [`${DELETED} and waits for the finalizers example.com/bill and mine.`]: [
        `check that the controller of example.com and the client that set mine ${YAML}`,
        deleted('example.com/bill', 'foregroundDeletion', 'mine'),
      ],
      [`${DELETED} and waits for the finalizer kueue.x-k8s.io/managed.`]: [
        `check that Kueue ${YAML}`,
        deleted('kueue.x-k8s.io/managed'),
      ],
      [`${DELETED}.`]: ['wait until it is deleted', deleted()],
      'It has no Pods, because spec.parallelism of its Job is 0.': [
        `increase it in this Job and in spec.jobTemplate: ${patched('"parallelism":1')}`,
        job({ parallelism: 0 }),
      ],
      'It has failed and waits until its Pods end.': [PODS, job({}, {}, [condition('FailureTarget', 'too many')])],
    }),
  )('explains what holds it: %s', (sentence, [toDo, given]) => {
    const answer = report(running, [], { job: given });
    expect(answer).toMatchObject({ jobName: 'job', sentence, isJobBlocked: true });
    expect(answer.remedy && formatRemedy(answer.remedy)).toBe(toDo);
  });

  test.each([
    [
      'a Job of the Kubernetes Job controller',
      job({ suspend: false, parallelism: 1, managedBy: 'kubernetes.io/job-controller' }),
    ],
    ['a Job with an empty spec', job({})],
    ['a resumed Job', job({}, {}, [condition('Suspended', 'Job resumed', 'False')])],
  ])('finds no hold: %s', (_, given) => {
    expect(report(running, [], { job: given })).not.toHaveProperty('isJobBlocked');
  });

  test('explains a run that a hold keeps from starting for minutes', () => {
    const old = { ...running, createdTime: new Date('2026-01-01T00:00:00Z') };
    expect(report(old, [], { job: job({ suspend: true }, { labels: queue }) })).toMatchObject({
      sentence: '',
      isJobBlocked: true,
      startDelay: { since: '2026-01-01T00:00:00Z', cause: 'it is suspended until Kueue admits it from the queue gpu' },
    });
  });

  const ENDED = [condition('Suspended', 'Job suspended'), condition('Complete', '')];
  const TOO_LONG = { ...condition('Failed', 'too long.'), reason: 'DeadlineExceeded' };

  test.each<readonly [sentence: string, pods: readonly Pod[], given: Job]>([
    ['Its Job has succeeded, but no manager has recorded it yet.', [], job({ suspend: true }, {}, ENDED)],
    [
      `Its Job has failed (DeadlineExceeded: too long), but no manager has recorded it yet. ${EXIT} 1 (Error).`,
      [ended(terminated(1))],
      job({ suspend: true }, { deletionTimestamp: OLD, finalizers: ['orphan'] }, [TOO_LONG]),
    ],
  ])('is reported when it has ended, also minutes after its creation: %s', (sentence, pods, given) => {
    for (const createdTime of [undefined, new Date('2026-01-01T00:00:00Z')]) {
      const answer = report({ ...running, ...(createdTime && { createdTime }) }, pods, { job: given });
      expect(answer).toMatchObject({ sentence, isJobBlocked: true });
      expect(answer.startDelay).toBeUndefined();
      expect(answer.remedy).toEqual({ change: 'check that the manager runs and watches this namespace' });
    }
  });

  test('is reported when it no longer exists', () => {
    expect(report(running, [], { job: 'Gone' })).toMatchObject({
      sentence: 'The Job no longer exists, and no manager has recorded its deletion yet.',
      remedy: { change: expect.stringContaining('check that the manager runs') },
    });
  });
});
