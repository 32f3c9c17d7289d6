import { describe, expect, test } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { holdOf } from './job-hold.ts';
import { podsTold } from './pods-told.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const DELETED = '2026-01-01T00:59:00Z';

function job(spec: object, metadata: object = {}, status: object = {}): Job {
  const named = { name: 'job', namespace: 'team', uid: 'u-1', resourceVersion: '1', creationTimestamp: DELETED };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { ...named, ...metadata }, spec, status } as unknown as Job; // what is read
}

const queue = { 'kueue.x-k8s.io/queue-name': 'gpu' };
const condition = (type: string, message?: string) => ({ type, status: 'True', ...(message && { message }) });
const WORKLOAD = 'kubectl describe workloads.kueue.x-k8s.io -n team -l kueue.x-k8s.io/job-uid=u-1';
const RESUME = `kubectl patch job job -n team --type merge -p '{"spec":{"suspend":false}}'`;
const PODS = 'kubectl get pods -n team -l batch.kubernetes.io/job-name=job';
const YAML = 'kubectl get job job -n team -o yaml';

type Case = readonly [name: string, given: Job, why: RegExp, change: RegExp, line: string | undefined];

const cases: readonly Case[] = [
  [
    'suspended by Kueue',
    job({ suspend: true }, { labels: queue }, { conditions: [condition('Suspended', 'Job suspended')] }),
    /^is suspended until Kueue admits it from the queue gpu$/,
    /^see what its Workload waits for$/,
    WORKLOAD,
  ],
  [
    'suspended by a Kueue that read an annotation, which says why',
    job({ suspend: true }, { annotations: queue }, { conditions: [condition('Admitted', 'no quota for cpu.')] }),
    /^is suspended until Kueue admits it from the queue gpu; Admitted: no quota for cpu$/,
    /Workload/,
    WORKLOAD,
  ],
  [
    'suspended; the Job does not say by whom',
    job({ suspend: true }),
    /^is suspended \(spec\.suspend of the Job\)/,
    /^let the queue or the person that suspended it resume it/,
    RESUME,
  ],
  [
    'in MultiKueue',
    job({ suspend: true, managedBy: 'kueue.x-k8s.io/multikueue' }, { labels: queue }),
    /^runs in another cluster, to which MultiKueue sends it from the queue gpu/,
    /Workload/,
    WORKLOAD,
  ],
  [
    'of another controller',
    job({ managedBy: 'example.com/jobs' }),
    /^is managed by example\.com\/jobs \(spec\.managedBy\), and not by Kubernetes' own/,
    /^see whether the controller example\.com\/jobs runs$/,
    undefined,
  ],
  [
    'deleted in the foreground',
    job({}, { deletionTimestamp: DELETED, finalizers: ['foregroundDeletion'] }),
    /^is being deleted since 2026-01-01T00:59:00Z, and goes when its Pods have gone \(finalizer foregroundDeletion\)$/,
    /^wait; if Pods stay, see why$/,
    PODS,
  ],
  [
    'deleted, its Pods to be released',
    job({}, { deletionTimestamp: DELETED, finalizers: ['orphan'] }),
    /goes when its Pods have been released \(finalizer orphan\)$/,
    /kube-controller-manager/,
    undefined,
  ],
  [
    'deleted, and kept by others',
    job({}, { deletionTimestamp: DELETED, finalizers: ['example.com/bill', 'foregroundDeletion', 'mine'] }),
    /, and kept by the finalizers example\.com\/bill and mine$/,
    /^see that the controller of example\.com and what has set mine works, which removes it$/,
    YAML,
  ],
  [
    'deleted, and kept by Kueue',
    job({}, { deletionTimestamp: DELETED, finalizers: ['kueue.x-k8s.io/managed'] }),
    /kept by the finalizer kueue\.x-k8s\.io\/managed$/,
    /^see that Kueue works/,
    YAML,
  ],
  ['being deleted', job({}, { deletionTimestamp: DELETED }), /^is being deleted since/, /^wait/, undefined],
  [
    'without Pods by its spec',
    job({ parallelism: 0 }),
    /spec\.parallelism of its Job is 0/,
    /^raise it/,
    expect.anything(),
  ],
  [
    'about to fail',
    job({}, {}, { conditions: [condition('FailureTarget', 'too many')] }),
    /^has failed, which counts when its Pods have ended$/,
    /^wait/,
    PODS,
  ],
];

test.each(cases)('a Job that is %s', (_, given, why, change, line) => {
  const hold = holdOf(given);
  expect(hold?.why).toMatch(why);
  expect(hold?.remedy.change).toMatch(change);
  expect(hold?.remedy.command?.line).toEqual(line);
  expect(`${hold?.remedy.change}`).not.toMatch(/delete/i);
});

test.each([
  ['as Kubernetes runs it', job({ suspend: false, parallelism: 1, managedBy: 'kubernetes.io/job-controller' })],
  ['with nothing in its spec', job({})],
  ['that was resumed', job({}, {}, { conditions: [{ ...condition('Suspended', 'Job resumed'), status: 'False' }] })],
])('nothing holds one %s', (_, given) => {
  expect(holdOf(given)).toBeUndefined();
});

describe('a run whose Job is held', () => {
  const run = { jobName: 'job', result: 'Running' } as const;
  const held = job({ suspend: true }, { labels: queue });
  const seen = { pods: [], job: held, namespace: 'team', now: NOW };

  test('says who holds it, and does not speak of Pods', () => {
    expect(podsTold(run, seen)).toEqual({
      jobName: 'job',
      sentence: 'It is suspended until Kueue admits it from the queue gpu.',
      isHeld: true,
      remedy: { change: 'see what its Workload waits for', command: { kind: 'Other', line: WORKLOAD } },
    });
    expect(podsTold({ ...run, createdTime: new Date('2026-01-01T00:00:00Z') }, seen)).toMatchObject({
      sentence: '',
      isHeld: true,
      notStarted: { since: '2026-01-01T00:00:00Z', why: 'it is suspended until Kueue admits it from the queue gpu' },
    });
  });

  test('is gone', () => {
    expect(podsTold(run, { ...seen, job: 'Gone' })).toMatchObject({
      sentence: 'Its Job is gone, and no manager has noted that yet.',
      remedy: { change: expect.stringContaining('see whether the manager runs') },
    });
  });
});
