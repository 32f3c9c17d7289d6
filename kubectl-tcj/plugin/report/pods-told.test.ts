import type { Pod } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { JobEvent } from '../logs/job-events.ts';
import { needsEvents, podsTold } from './pods-told.ts';

const running = { jobName: 'job', result: 'Running' } as const;
const failed = { jobName: 'job', result: 'Failed' } as const;
const seeEvents = (what: string) => ({
  change: 'see its events',
  command: { kind: 'Other', line: `kubectl describe ${what} -n team` },
});
const DESCRIBE = seeEvents('pod a');
/** The same command, after other advice. */
const toDo = (change: string) => ({ ...DESCRIBE, change: expect.stringContaining(change) });
const NOW = new Date('2026-01-01T01:00:00Z');
const LONG = 'x'.repeat(400);

function pod(status: object, name = 'a'): Pod {
  const metadata = { name, namespace: 'team', uid: name, resourceVersion: '1', creationTimestamp: '' };
  const containers = [{ name: 'work', image: 'busybox' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers }, status } as unknown as Pod; // what is read of it
}

function event(reason: string, message: string, time: string): JobEvent {
  return { reason, message, lastTimestamp: `2026-01-01T${time}:00Z` };
}

const container = (state: object, more: object = {}) => ({ name: 'work', restartCount: 0, state, ...more });
const waiting = (reason: string, message?: string) => ({ waiting: { reason, ...(message && { message }) } });
const terminated = (exitCode: number, reason = 'Error', message?: string) => ({
  terminated: { exitCode, reason, ...(message && { message }) },
});

test.each([
  [
    'no node takes it',
    running,
    [
      pod({
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes fit.' }],
      }),
    ],
    'Its Pod a is not scheduled: Unschedulable: 0/3 nodes fit.',
    toDo('make room'),
  ],
  [
    'an image cannot be pulled, and others wait too',
    running,
    [
      pod({ containerStatuses: [container(waiting('ErrImagePull'))] }, 'older'),
      pod({ containerStatuses: [container(waiting('ImagePullBackOff', 'Back-off "x"'))] }),
    ],
    'Container work of its Pod a waits: ImagePullBackOff: Back-off "x", and 1 more of its Pods waits too.',
    toDo('see that the image exists and may be pulled'),
  ],
  [
    'an init container cannot start',
    running,
    [
      pod({
        initContainerStatuses: [{ ...container(waiting('CreateContainerConfigError', 'no secret')), name: 'first' }],
        containerStatuses: [container(waiting('PodInitializing'))],
      }),
    ],
    'Container first of its Pod a waits: CreateContainerConfigError: no secret.',
    toDo('create what is missing'),
  ],
  [
    'an init container runs',
    running,
    [
      pod({
        initContainerStatuses: [{ ...container({ running: {} }), name: 'first' }],
        containerStatuses: [container(waiting('PodInitializing'))],
      }),
    ],
    'Its Pod a waits for its init container first.',
    DESCRIBE,
  ],
  ['nothing is known of it', running, [pod({ phase: 'Pending' })], 'Its Pod a waits: Pending.', DESCRIBE],
  ['all runs', running, [pod({ phase: 'Running', containerStatuses: [container({ running: {} })] })], '', undefined],
  ['it has no Pod', running, [], 'It has no Pod yet.', seeEvents('job job')],
  [
    'it fails again and again',
    running,
    [
      pod({
        phase: 'Running',
        containerStatuses: [container(waiting('CrashLoopBackOff'), { restartCount: 3, lastState: terminated(2) })],
      }),
    ],
    'Container work of its Pod a waits: CrashLoopBackOff. Container work of its Pod a ended with exit code 2 (Error).',
    DESCRIBE,
  ],
  [
    'it failed, the newest of its Pods out of memory',
    failed,
    [
      pod({ phase: 'Failed', containerStatuses: [container(terminated(1))] }, 'older'),
      pod({ phase: 'Failed', containerStatuses: [container(terminated(137, 'OOMKilled'))] }),
    ],
    'Container work of its Pod a ended with exit code 137 (OOMKilled).',
    undefined,
  ],
  [
    'it left a message',
    failed,
    [pod({ phase: 'Failed', containerStatuses: [container(terminated(1, 'Error', 'no\nsuch table.\n'))] })],
    'Container work of its Pod a ended with exit code 1 (Error): no such table.',
    undefined,
  ],
  [
    'it left a long message',
    failed,
    [pod({ phase: 'Failed', containerStatuses: [container(terminated(1, 'Error', LONG))] })],
    `Container work of its Pod a ended with exit code 1 (Error): ${LONG.slice(0, 300)}….`,
    undefined,
  ],
  [
    'it was evicted',
    failed,
    [pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' })],
    'Its Pod a failed: Evicted: The node was low on memory.',
    undefined,
  ],
  [
    'its Pods ended well',
    failed,
    [pod({ phase: 'Succeeded', containerStatuses: [container(terminated(0, 'Completed'))] })],
    'Its Pods do not tell how its containers ended.',
    undefined,
  ],
])('%s', (_, run, pods, sentence, remedy) => {
  expect(podsTold(run, { pods, namespace: 'team', now: NOW })).toEqual({
    jobName: 'job',
    sentence,
    ...(remedy && { remedy }),
  });
});

test('its Pods are gone', () => {
  expect(podsTold(failed, { pods: [], namespace: 'team', now: NOW })).toEqual({
    jobName: 'job',
    sentence: 'The exit codes of its containers are no longer known: its Pods are gone.',
    areGone: true,
  });
});

describe('a run that has not started for minutes', () => {
  const old = { ...running, createdTime: new Date('2026-01-01T00:47:00Z') };
  const told = (run: typeof old, pods: readonly Pod[], events: readonly JobEvent[] = []) =>
    podsTold(run, { pods, events, namespace: 'team', now: NOW });
  const refused = event('FailedCreate', 'Error creating: pods "a-x" is forbidden: exceeded quota: pods.', '00:58');

  test('has no Pod, and its Job says why', () => {
    const events = [
      refused,
      event('FailedCreate', 'Error creating: something older', '00:48'),
      event('Else', 'x', '00:59'),
    ];
    expect(told(old, [], events)).toEqual({
      jobName: 'job',
      sentence: '',
      notStarted: {
        since: '2026-01-01T00:47:00Z',
        why: 'it has no Pod: pods "a-x" is forbidden: exceeded quota: pods',
      },
      remedy: seeEvents('job job'),
    });
    expect(told(old, []).notStarted?.why).toBe('it has no Pod');
    const young = { ...old, createdTime: new Date('2026-01-01T00:59:01Z') };
    expect(told(young, [], [refused])).toMatchObject({
      sentence: 'It has no Pod yet: pods "a-x" is forbidden: exceeded quota: pods.',
    });
  });

  test('had a Pod before', () => {
    const answer = told(old, [], [event('SuccessfulCreate', 'Created pod: a', '00:48'), refused]);
    expect(answer.sentence).toMatch(/^It has no Pod now: pods "a-x"/);
    expect(answer.notStarted).toBeUndefined();
  });

  test('waits for its image', () => {
    const waits = pod({ phase: 'Pending', containerStatuses: [container(waiting('ErrImagePull'))] });
    expect(told(old, [waits])).toEqual({
      jobName: 'job',
      sentence: '',
      notStarted: { since: '2026-01-01T00:47:00Z', why: 'container work of its Pod a waits: ErrImagePull' },
      remedy: toDo('see that the image exists and may be pulled'),
    });
    const crashed = pod({ containerStatuses: [container(waiting('CrashLoopBackOff'), { lastState: terminated(2) })] });
    expect(told(old, [crashed]).notStarted).toBeUndefined();
    expect(told(old, [pod({ phase: 'Failed' }, 'first'), waits]).notStarted).toBeUndefined();
  });

  test('was ended for it, and never had a Pod', () => {
    const timedOut = { ...failed, reason: 'StartTimeout' };
    const seen = { pods: [], namespace: 'team', now: NOW };
    expect(podsTold(timedOut, { ...seen, events: [refused] })).toEqual({
      jobName: 'job',
      sentence: 'It never had a Pod: pods "a-x" is forbidden: exceeded quota: pods.',
      areGone: true,
      remedy: { ...seeEvents('job job'), change: 'see the events of its Job, or raise startTimeoutSeconds' },
    });
    expect(podsTold(timedOut, seen).sentence).toBe('');
    expect(podsTold(timedOut, { ...seen, events: [refused, event('SuccessfulCreate', '', '00:48')] }).sentence).toBe(
      '',
    );
  });

  test('is the only one whose events are asked for', () => {
    expect(needsEvents(running, [])).toBe(true);
    expect(needsEvents(running, [pod({})])).toBe(false);
    expect(needsEvents(failed, [])).toBe(false);
    expect(needsEvents({ ...failed, reason: 'StartTimeout' }, [])).toBe(true);
  });
});
