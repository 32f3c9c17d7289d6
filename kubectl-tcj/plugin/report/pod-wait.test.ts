import type { Pod } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { JobEvent } from '../logs/job-events.ts';
import { needsPodEvents, waitOf } from './pod-wait.ts';
import { podsTold } from './pods-told.ts';

const NOW = new Date('2026-01-01T01:00:00Z');

function pod(status: object, metadata: object = {}, spec: object = {}): Pod {
  const named = { name: 'a', namespace: 'team', uid: 'a', resourceVersion: '1', creationTimestamp: '' };
  const containers = [{ name: 'work', image: 'busybox' }];
  const whole = { metadata: { ...named, ...metadata }, spec: { containers, ...spec }, status };
  return { apiVersion: 'v1', kind: 'Pod', ...whole } as unknown as Pod; // what is read of it
}

const waiting = (reason: string, message?: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'work', restartCount: 0, state: { waiting: { reason, ...(message && { message }) } } }],
});
const DISRUPTED = {
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'for team/b.' }],
};
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString().replace('.000Z', 'Z');
const gates = (...names: readonly string[]) => ({ schedulingGates: names.map((name) => ({ name })) });
const mountFailed: JobEvent = {
  type: 'Warning',
  reason: 'FailedMount',
  message: 'MountVolume.SetUp failed for volume "key": secret "key" not found',
};

const DESCRIBE = 'kubectl describe pod a -n team';

/** Without its command where that describes the Pod. */
type Case = readonly [name: string, given: Pod, text: RegExp, change: RegExp, line?: string];

const cases: readonly Case[] = [
  [
    'gated by Kueue',
    pod({ phase: 'Pending' }, {}, gates('kueue.x-k8s.io/admission')),
    /^Its Pod a waits for the scheduling gate kueue\.x-k8s\.io\/admission$/,
    /^see that Kueue works, which removes it$/,
  ],
  [
    'gated by others',
    pod({ phase: 'Pending' }, {}, gates('example.com/a', 'example.com/b')),
    /scheduling gates example\.com\/a and example\.com\/b$/,
    /^see that the controller of example\.com works/,
  ],
  [
    'of a lost node',
    pod({ phase: 'Unknown', reason: 'NodeLost' }, {}, { nodeName: 'n1' }),
    /^Nothing is known of its Pod a: node n1 is lost$/,
    /if its machine is gone for good, delete the Node/,
    'kubectl describe node n1',
  ],
  [
    'whose node does not end it',
    pod({ phase: 'Running' }, { deletionTimestamp: ago(5) }, { nodeName: 'n1' }),
    /^Its Pod a is being deleted, and should have ended by 2026-01-01T00:55:00Z: node n1 does not say that it has$/,
    /see whether the node works/,
    'kubectl describe node n1',
  ],
  [
    'that makes room for another',
    pod({ phase: 'Running', ...DISRUPTED }, { deletionTimestamp: ago(0) }, { nodeName: 'n1' }),
    /^Its Pod a is being deleted \(PreemptionByScheduler: for team\/b\)$/,
    /^wait until it has ended$/,
  ],
  [
    'kept by a finalizer',
    pod({ phase: 'Failed' }, { deletionTimestamp: ago(5), finalizers: ['batch.kubernetes.io/job-tracking', 'a.b/c'] }),
    /^Its Pod a is being deleted, and kept by the finalizer a\.b\/c$/,
    /^see that the controller of a\.b works, which removes it$/,
    'kubectl get pod a -n team -o yaml',
  ],
  [
    'that is not counted yet',
    pod({ phase: 'Succeeded' }, { deletionTimestamp: ago(5), finalizers: ['batch.kubernetes.io/job-tracking'] }),
    /kept until the controller of Jobs has counted it \(finalizer batch\.kubernetes\.io\/job-tracking\)$/,
    /kube-controller-manager/,
  ],
  ...['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull'].map(
    (reason): Case => [
      `with ${reason}`,
      pod(waiting(reason, 'no.')),
      new RegExp(`waits: ${reason}: no$`),
      /^see that the image/,
    ],
  ),
  [
    'with no image',
    pod(waiting('InvalidImageName')),
    /InvalidImageName$/,
    /^correct spec\.jobTemplate for the next runs/,
  ],
  [
    'without its ConfigMap',
    pod(waiting('CreateContainerConfigError', 'configmap "x" not found')),
    /waits: CreateContainerConfigError: configmap "x" not found$/,
    /^create what is missing/,
  ],
];

test.each(cases.map(([name, ...others]) => ({ name, others })))('a Pod $name', ({ others }) => {
  const [given, text, change, line = DESCRIBE] = others;
  const wait = waitOf({ pod: given, now: NOW });
  expect(wait?.text).toMatch(text);
  expect(wait?.remedy.change).toMatch(change);
  expect(wait?.remedy.change).not.toMatch(/delete (the|this) Job/);
  if (wait?.remedy.command) expect(wait.remedy.command.line).toBe(line);
});

describe('a Pod whose containers are being created', () => {
  const creating = pod(waiting('ContainerCreating'));

  test('waits for what its newest warning says', () => {
    expect(needsPodEvents(creating)).toBe(true);
    const events = [{ ...mountFailed, type: 'Normal', reason: 'Scheduled' }, mountFailed];
    expect(waitOf({ pod: creating, now: NOW, events })).toMatchObject({
      text: `Container work of its Pod a waits: ContainerCreating: FailedMount: ${mountFailed.message}`,
      remedy: { change: 'create what is missing, and it starts by itself' },
    });
  });

  test('and no warning says anything', () => {
    expect(waitOf({ pod: creating, now: NOW })).toMatchObject({
      text: 'Container work of its Pod a waits: ContainerCreating',
      remedy: { change: 'see its events' },
    });
  });

  test.each([
    ['whose image is wrong', pod(waiting('ErrImagePull'))],
    ['that runs', pod({ phase: 'Running' })],
    ['that no node takes', pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False' }] })],
  ])('needs no events of one %s', (_, other) => {
    expect(needsPodEvents(other)).toBe(false);
  });
});

test('one that Kubernetes has evicted says so, and how its container ended', () => {
  const evicted = {
    phase: 'Failed',
    reason: 'Evicted',
    conditions: [
      { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: 'low on memory.' },
    ],
    containerStatuses: [{ name: 'work', restartCount: 0, state: { terminated: { exitCode: 137, reason: 'Error' } } }],
  };
  const seen = { pods: [pod(evicted)], namespace: 'team', now: NOW };
  expect(podsTold({ jobName: 'job', result: 'Failed' }, seen).sentence).toBe(
    'Kubernetes has ended its Pod a (TerminationByKubelet: low on memory). Container work of its Pod a ended with exit code 137 (Error).',
  );
});
