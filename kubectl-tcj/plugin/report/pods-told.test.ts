import type { Pod } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import type { JobEvent } from '../logs/job-objects.ts';
import type { ToldRun } from './answer.ts';
import { needsPodEvents } from './pod-wait.ts';
import { needsEvents, podsTold, type Seen } from './pods-told.ts';
import { remedyText } from './remedy.ts';

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

const told = (run: ToldRun, pods: readonly Pod[], seen: Partial<Seen> = {}) =>
  podsTold(run, { pods, namespace: 'team', now: NOW, ...seen });

const container = (state: object, more: object = {}) => ({ name: 'work', restartCount: 0, state, ...more });
const waiting = (reason: string, message?: string) => ({ waiting: { reason, ...(message && { message }) } });
const terminated = (exitCode: number, reason = 'Error', message?: string) => ({
  terminated: { exitCode, reason, ...(message && { message }) },
});
/** A Pod with one container. */
const podWith = (state: object, phase = 'Pending') => pod({ phase, containerStatuses: [container(state)] });
const ended = (state: object) => podWith(state, 'Failed');
/** A Pod whose init container is in this state. */
const initializing = (state: object) =>
  pod({
    initContainerStatuses: [{ ...container(state), name: 'first' }],
    containerStatuses: [container(waiting('PodInitializing'))],
  });
const disrupted = (reason: string, message: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});
const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes fit.' };
const gates = (...names: readonly string[]) => ({ schedulingGates: names.map((name) => ({ name })) });
const OLD = '2026-01-01T00:55:00Z';
const TRACKING = 'batch.kubernetes.io/job-tracking';

const DESCRIBE = 'kubectl describe pod a -n team';
const PULL = 'see that the image exists and may be pulled';
const CREATE = 'create what is missing, and it starts by itself';
const SEE_EVENTS = `see its events: ${DESCRIBE}`;

describe('a Pod of a run that is active', () => {
  test.each(
    Object.entries<readonly [toDo: string, given: Pod]>({
      'Its Pod a is not scheduled: Unschedulable: 0/3 nodes fit.': [
        'make room, and it starts by itself',
        pod({ phase: 'Pending', conditions: [unscheduled] }),
      ],
      'Its Pod a waits for the scheduling gate kueue.x-k8s.io/admission.': [
        `see that Kueue works, which removes it: ${DESCRIBE}`,
        pod({ phase: 'Pending' }, {}, gates('kueue.x-k8s.io/admission')),
      ],
      'Its Pod a waits for the scheduling gates example.com/a and example.com/b.': [
        `see that the controller of example.com works, which removes it: ${DESCRIBE}`,
        pod({ phase: 'Pending' }, {}, gates('example.com/a', 'example.com/b')),
      ],
      'Nothing is known of its Pod a: node n1 is lost.': [
        'if its machine is gone for good, delete the Node, and its Pods go too: kubectl describe node n1',
        pod({ phase: 'Unknown', reason: 'NodeLost' }, {}, { nodeName: 'n1' }),
      ],
      [`Its Pod a is being deleted, and should have ended by ${OLD}: node n1 does not say that it has.`]: [
        'see whether the node works',
        pod({ phase: 'Running' }, { deletionTimestamp: OLD }, { nodeName: 'n1' }),
      ],
      'Its Pod a is being deleted (PreemptionByScheduler: for team/b).': [
        'wait until it has ended',
        pod(
          { phase: 'Running', ...disrupted('PreemptionByScheduler', 'for team/b.') },
          { deletionTimestamp: NOW.toJSON() },
        ),
      ],
      'Its Pod a is being deleted, and kept by the finalizer a.b/c.': [
        'see that the controller of a.b works, which removes it: kubectl get pod a -n team -o yaml',
        pod({ phase: 'Failed' }, { deletionTimestamp: OLD, finalizers: [TRACKING, 'a.b/c'] }),
      ],
      [`Its Pod a is being deleted, and kept until the controller of Jobs has counted it (finalizer ${TRACKING}).`]: [
        'wait; if it stays, see whether kube-controller-manager runs',
        pod({ phase: 'Succeeded' }, { deletionTimestamp: OLD, finalizers: [TRACKING] }),
      ],
      ...Object.fromEntries(
        ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull'].map((reason) => [
          `Container work of its Pod a waits: ${reason}: no.`,
          [PULL, podWith(waiting(reason, 'no.'))] as const,
        ]),
      ),
      'Container work of its Pod a waits: InvalidImageName.': [
        'correct spec.jobTemplate for the next runs',
        podWith(waiting('InvalidImageName')),
      ],
      'Container work of its Pod a waits: CreateContainerConfigError: configmap "x" not found.': [
        CREATE,
        podWith(waiting('CreateContainerConfigError', 'configmap "x" not found')),
      ],
      'Container work of its Pod a waits: ContainerCreating.': [SEE_EVENTS, podWith(waiting('ContainerCreating'))],
      'Container work of its Pod a waits: constructor.': [SEE_EVENTS, podWith(waiting('constructor'))],
      'Container first of its Pod a waits: CreateContainerConfigError: no secret.': [
        CREATE,
        initializing(waiting('CreateContainerConfigError', 'no secret')),
      ],
      'Its Pod a waits for its init container first.': [SEE_EVENTS, initializing({ running: {} })],
      'Its Pod a waits: Pending.': [SEE_EVENTS, pod({ phase: 'Pending' })],
      '': ['undefined', podWith({ running: {} }, 'Running')],
      'Container work of its Pod a waits: CrashLoopBackOff. Container work of its Pod a ended with exit code 2 (Error).':
        [
          SEE_EVENTS,
          pod({
            phase: 'Running',
            containerStatuses: [container(waiting('CrashLoopBackOff'), { restartCount: 3, lastState: terminated(2) })],
          }),
        ],
    }),
  )('%s', (sentence, [toDo, given]) => {
    const answer = told(running, [given]);
    expect(answer.sentence).toBe(sentence);
    const text = String(answer.remedy && remedyText(answer.remedy));
    expect(text).toContain(toDo);
    expect(text).not.toMatch(/delete (the|this) Job/);
  });

  test('is the newest of those that wait', () => {
    const older = pod({ containerStatuses: [container(waiting('ErrImagePull'))] }, { name: 'older' });
    expect(told(running, [older, podWith(waiting('ImagePullBackOff', 'Back-off "x"'))]).sentence).toBe(
      'Container work of its Pod a waits: ImagePullBackOff: Back-off "x", and 1 more of its Pods waits too.',
    );
  });

  test('waits for what its newest warning says', () => {
    const creating = podWith(waiting('ContainerCreating'));
    expect(needsPodEvents(creating)).toBe(true);
    const podEvents = [event('Scheduled', 'ok', '00:59', 'Normal'), event('FailedMount', 'secret "key" not found')];
    const { sentence, remedy } = told(running, [creating], { podEvents });
    expect(sentence).toBe('Container work of its Pod a waits: ContainerCreating: FailedMount: secret "key" not found.');
    expect(remedy?.change).toBe(CREATE);
  });

  test.each([
    ['whose image is wrong', podWith(waiting('ErrImagePull'))],
    ['that runs', pod({ phase: 'Running' })],
    ['that no node takes', pod({ phase: 'Pending', conditions: [unscheduled] })],
  ])('is not asked for its events when it is one %s', (_, given) => {
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
    'Its Pod a failed: Evicted: The node was low on memory.',
    [pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' })],
  ],
  [
    `Kubernetes has ended its Pod a (TerminationByKubelet: low on memory). ${EXIT} 137 (Error).`,
    [
      pod({
        ...{ phase: 'Failed', reason: 'Evicted', ...disrupted('TerminationByKubelet', 'low on memory.') },
        containerStatuses: [container(terminated(137))],
      }),
    ],
  ],
  ['Its Pods do not tell how its containers ended.', [podWith(terminated(0, 'Completed'), 'Succeeded')]],
])('a run has failed: %s', (sentence, pods) => {
  expect(told(failed, pods)).toEqual({ jobName: 'job', sentence });
});

const seeJob = (change: string) => ({
  remedy: { change, command: { kind: 'Other', line: 'kubectl describe job job -n team' } },
});

test('its Pods are gone', () => {
  const sentence = 'The exit codes of its containers are no longer known: its Pods are gone.';
  expect(told(failed, [])).toEqual({ jobName: 'job', sentence, areGone: true });
});

test('it has no Pod yet', () => {
  expect(told(running, [])).toEqual({ jobName: 'job', sentence: 'It has no Pod yet.', ...seeJob('see its events') });
});

describe('a run that has not started for minutes', () => {
  const old = { ...running, createdTime: new Date('2026-01-01T00:47:00Z') };
  const since = '2026-01-01T00:47:00Z';
  const refused = event('FailedCreate', 'Error creating: pods "a-x" is forbidden: exceeded quota: pods.');
  const created = event('SuccessfulCreate', 'Created pod: a', '00:48');
  const REFUSED = 'pods "a-x" is forbidden: exceeded quota: pods';

  test('has no Pod, and its Job says why', () => {
    const events = [refused, event('FailedCreate', 'Error creating: something older', '00:48'), event('Else', 'x')];
    expect(told(old, [], { events })).toEqual({
      ...{ jobName: 'job', sentence: '', notStarted: { since, why: `it has no Pod: ${REFUSED}` } },
      ...seeJob('see its events'),
    });
    expect(told(old, []).notStarted?.why).toBe('it has no Pod');
    const young = { ...old, createdTime: new Date('2026-01-01T00:59:01Z') };
    expect(told(young, [], { events: [refused] }).sentence).toBe(`It has no Pod yet: ${REFUSED}.`);
  });

  test('had a Pod before', () => {
    const answer = told(old, [], { events: [created, refused] });
    expect(answer.sentence).toBe(`It has no Pod now: ${REFUSED}.`);
    expect(answer.notStarted).toBeUndefined();
  });

  test('waits for its image', () => {
    const waits = podWith(waiting('ErrImagePull'));
    const { sentence, notStarted, remedy } = told(old, [waits]);
    expect({ sentence, notStarted }).toEqual({
      sentence: '',
      notStarted: { since, why: 'container work of its Pod a waits: ErrImagePull' },
    });
    expect(remedy?.change).toContain(PULL);
    const crashed = pod({ containerStatuses: [container(waiting('CrashLoopBackOff'), { lastState: terminated(2) })] });
    expect(told(old, [crashed]).notStarted).toBeUndefined();
    expect(told(old, [pod({ phase: 'Failed' }, { name: 'first' }), waits]).notStarted).toBeUndefined();
  });

  test('was ended for it, and never had a Pod', () => {
    const timedOut = { ...failed, reason: 'StartTimeout' };
    expect(told(timedOut, [], { events: [refused] })).toEqual({
      ...{ jobName: 'job', sentence: `It never had a Pod: ${REFUSED}.`, areGone: true },
      ...seeJob('see the events of its Job, or raise startTimeoutSeconds'),
    });
    expect(told(timedOut, []).sentence).toBe('');
    expect(told(timedOut, [], { events: [refused, created] }).sentence).toBe('');
  });

  test('is the only one whose events are asked for', () => {
    expect(needsEvents(running, [])).toBe(true);
    expect(needsEvents(running, [pod({})])).toBe(false);
    expect(needsEvents(failed, [])).toBe(false);
    expect(needsEvents({ ...failed, reason: 'StartTimeout' }, [])).toBe(true);
  });
});

describe('the Job of a run', () => {
  const queue = { 'kueue.x-k8s.io/queue-name': 'gpu' };
  const condition = (type: string, message: string, status = 'True') => ({ type, status, message });
  const deleted = (...finalizers: readonly string[]) => job({}, { deletionTimestamp: OLD, finalizers });
  const WORKLOAD =
    'see what its Workload waits for: kubectl describe workloads.kueue.x-k8s.io -n team -l kueue.x-k8s.io/job-uid=u-1';
  const PODS = 'wait; if Pods stay, see why: kubectl get pods -n team -l batch.kubernetes.io/job-name=job';
  const YAML = 'works, which removes it: kubectl get job job -n team -o yaml';
  const patched = (spec: string) => `kubectl patch job job -n team --type merge -p '{"spec":{${spec}}}'`;
  const GATED = 'It is suspended until Kueue admits it from the queue gpu';
  const DELETED = `It is being deleted since ${OLD}`;

  test.each(
    Object.entries<readonly [toDo: string, given: Job]>({
      [`${GATED}.`]: [WORKLOAD, job({ suspend: true }, { labels: queue }, [condition('Suspended', 'Job suspended')])],
      [`${GATED}; Admitted: no quota for cpu.`]: [
        WORKLOAD,
        job({ suspend: true }, { annotations: queue }, [condition('Admitted', 'no quota for cpu.')]),
      ],
      'It is suspended (spec.suspend of the Job), by its template or by something else.': [
        `let the queue or the person that suspended it resume it; if none did, start it: ${patched('"suspend":false')}`,
        job({ suspend: true }),
      ],
      'It runs in another cluster, to which MultiKueue sends it from the queue gpu (spec.managedBy).': [
        WORKLOAD,
        job({ suspend: true, managedBy: 'kueue.x-k8s.io/multikueue' }, { labels: queue }),
      ],
      "It is managed by example.com/jobs (spec.managedBy), and not by Kubernetes' own controller of Jobs.": [
        'see whether the controller example.com/jobs runs',
        job({ managedBy: 'example.com/jobs' }),
      ],
      [`${DELETED}, and goes when its Pods have gone (finalizer foregroundDeletion).`]: [
        PODS,
        deleted('foregroundDeletion'),
      ],
      [`${DELETED}, and goes when its Pods have been released (finalizer orphan).`]: [
        'wait; if it stays, see whether kube-controller-manager runs',
        deleted('orphan'),
      ],
      [`${DELETED}, and kept by the finalizers example.com/bill and mine.`]: [
        `see that the controller of example.com and what has set mine ${YAML}`,
        deleted('example.com/bill', 'foregroundDeletion', 'mine'),
      ],
      [`${DELETED}, and kept by the finalizer kueue.x-k8s.io/managed.`]: [
        `see that Kueue ${YAML}`,
        deleted('kueue.x-k8s.io/managed'),
      ],
      [`${DELETED}.`]: ['wait until it is gone', deleted()],
      'It gets no Pods, because spec.parallelism of its Job is 0.': [
        `raise it here and in spec.jobTemplate: ${patched('"parallelism":1')}`,
        job({ parallelism: 0 }),
      ],
      'It has failed, which counts when its Pods have ended.': [
        PODS,
        job({}, {}, [condition('FailureTarget', 'too many')]),
      ],
    }),
  )('holds it: %s', (sentence, [toDo, given]) => {
    const answer = told(running, [], { job: given });
    expect(answer).toMatchObject({ jobName: 'job', sentence, isHeld: true });
    expect(answer.remedy && remedyText(answer.remedy)).toBe(toDo);
  });

  test.each([
    ['as Kubernetes runs it', job({ suspend: false, parallelism: 1, managedBy: 'kubernetes.io/job-controller' })],
    ['with nothing in its spec', job({})],
    ['that was resumed', job({}, {}, [condition('Suspended', 'Job resumed', 'False')])],
  ])('does not hold it when it is one %s', (_, given) => {
    expect(told(running, [], { job: given })).not.toHaveProperty('isHeld');
  });

  test('holds it for minutes: that is why it has not started', () => {
    const old = { ...running, createdTime: new Date('2026-01-01T00:00:00Z') };
    expect(told(old, [], { job: job({ suspend: true }, { labels: queue }) })).toMatchObject({
      sentence: '',
      isHeld: true,
      notStarted: { since: '2026-01-01T00:00:00Z', why: 'it is suspended until Kueue admits it from the queue gpu' },
    });
  });

  test('is gone', () => {
    expect(told(running, [], { job: 'Gone' })).toMatchObject({
      sentence: 'Its Job is gone, and no manager has noted that yet.',
      remedy: { change: expect.stringContaining('see whether the manager runs') },
    });
  });
});
