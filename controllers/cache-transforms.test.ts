import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { GENERATION_ANNOTATION, INSTANTIATE_ANNOTATION, START_TIMEOUT_ANNOTATION } from '../api/v1/groupversion.ts';
import { buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { trimCronJob, trimJob, withDefaults } from './cache-transforms.ts';
import { toRun } from './cronjob/job.ts';

const SLOT = '2026-01-01T01:00:00Z';

/** Counts values in memory: a value behind a getter does not exist until it is read. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const properties = Object.values(Object.getOwnPropertyDescriptors(value));
  return 1 + properties.reduce((sum, { value: own }) => sum + (own === undefined ? 0 : count(own)), 0);
}

/** A template with many values in few bytes. */
function templateOf(sources: number): CronJob['spec']['jobTemplate'] {
  const projected = { sources: Array(sources).fill({}) };
  return { spec: { template: { spec: { containers: [], volumes: [{ name: 'v', projected }] } } } };
}

describe('a CronJob', () => {
  test('with a large template takes as little as one with a small one, and has all of it', () => {
    const jobTemplate = templateOf(100_000);
    const kept = trimCronJob(cronJob({ jobTemplate }));
    expect(count(kept)).toBeLessThan(50);
    expect(kept.spec.jobTemplate).toEqual(jobTemplate);
    expect({ ...kept.spec }).toEqual(cronJob({ jobTemplate }).spec);
    expect(JSON.parse(JSON.stringify(kept))).toEqual(cronJob({ jobTemplate }));
  });

  test('is complete, and its template is not parsed to find that out', () => {
    // A template that no other test has parsed.
    const kept = trimCronJob(cronJob({ jobTemplate: templateOf(7) }));
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    expect(withDefaults(kept)).toBe(kept);
    expect(parse).not.toHaveBeenCalled();
  });

  test('shares its spec with the version that is held, until the spec changes', () => {
    const held = trimCronJob(cronJob());
    const ofVersion2 = (spec?: Partial<CronJob['spec']>, metadata?: Partial<CronJob['metadata']>) =>
      trimCronJob(cronJob(spec, undefined, { resourceVersion: '2', ...metadata }), held);
    expect(ofVersion2().spec).toBe(held.spec);
    expect(ofVersion2().metadata.resourceVersion).toBe('2');

    const changed = ofVersion2({ jobTemplate: templateOf(1) }, { generation: 2 });
    expect(changed.spec.jobTemplate).toEqual(templateOf(1));
    // From an API server that does not increment the generation, or whose CRD has changed.
    const uncounted = { generation: undefined } as unknown as { generation: number };
    const uncountedHeld = trimCronJob(cronJob({}, undefined, uncounted));
    const uncountedChanged = trimCronJob(cronJob({ jobTemplate: templateOf(2) }, undefined, uncounted), uncountedHeld);
    expect(uncountedChanged.spec.jobTemplate).toEqual(templateOf(2));
    expect(ofVersion2({ suspend: true }).spec.suspend).toBe(true);
    expect(ofVersion2({ startTimeoutSeconds: 5 }).spec.startTimeoutSeconds).toBe(5);
    // From a CronJob that was deleted and created again.
    expect(ofVersion2({ jobTemplate: templateOf(3) }, { uid: 'other' }).spec.jobTemplate).toEqual(templateOf(3));
    // An object that could not be transformed keeps its whole spec.
    expect(trimCronJob(cronJob(), cronJob()).spec).not.toBe(cronJob().spec);
  });

  test('that the cache could not transform is completed by each reconcile', () => {
    const { spec, ...rest } = cronJob();
    const { schedule, jobTemplate } = spec;
    const stored = { ...rest, spec: { schedule, jobTemplate } } as CronJob;
    expect(withDefaults(stored).spec.concurrencyPolicy).toBe('Allow');
  });
});

describe('a Job', () => {
  const large = (job: Job): Job => ({ ...job, spec: templateOf(100_000).spec as Job['spec'] });

  test('of a CronJob keeps what reconciles read', () => {
    const job = buildJob(SLOT, { state: 'Failed', isBeingDeleted: true });
    const [owner] = job.metadata.ownerReferences ?? [];
    const annotations = {
      ...job.metadata.annotations,
      [INSTANTIATE_ANNOTATION]: 'manual',
      [GENERATION_ANNOTATION]: '2',
      [START_TIMEOUT_ANNOTATION]: '60',
    };
    const condition = { type: 'FailureTarget', status: 'True' };
    const incoming: Job = {
      ...large(job),
      metadata: {
        ...job.metadata,
        annotations: { ...annotations, other: 'value' },
        labels: { 'job-name': job.metadata.name },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'other', uid: 'other' }, ...(owner ? [owner] : [])],
      },
      status: {
        ...job.status,
        failed: 1,
        conditions: [condition, ...(job.status?.conditions ?? [])],
      },
    };
    const kept = trimJob(incoming);
    expect(kept).toEqual({ ...job, metadata: { ...job.metadata, annotations }, spec: {} });
    expect(toRun(kept)).toEqual({ ...toRun(incoming), job: kept });
    expect(count(kept)).toBeLessThan(40);
  });

  test('that runs keeps how many of its Pods are ready or have ended, where there are some', () => {
    const { status, ...job } = buildJob(SLOT);
    const kept = trimJob({ ...job, status: { ...status, active: 2, ready: 1, succeeded: 0, failed: 3 } });
    expect(kept.status).toEqual({ ...status, ready: 1, failed: 3 });
  });

  test('that has finished keeps how many of its Pods still terminate', () => {
    const { status, ...job } = buildJob(SLOT, { state: 'Complete' });
    expect(trimJob({ ...job, status: { ...status, terminating: 2 } }).status).toMatchObject({ terminating: 2 });
  });

  test('that is active keeps whether it may still wait for its first container, and what would end it', () => {
    const job = buildJob(SLOT);
    const holding = { type: 'Suspended', status: 'True', lastTransitionTime: SLOT };
    const spec = { suspend: true, managedBy: 'another', activeDeadlineSeconds: 60 };
    const status = { ...job.status, ready: 1, succeeded: 2, failed: 3 };
    const incoming = {
      ...job,
      spec: { ...large(job).spec, ...spec, backoffLimit: 6 },
      status: {
        ...status,
        active: 1,
        terminating: 0,
        conditions: [holding, { type: 'FailureTarget', status: 'False' }],
      },
    };
    expect(trimJob(incoming)).toEqual({ ...job, spec, status: { ...status, conditions: [holding] } });
  });

  test('that is active and says nothing of that takes no memory for it', () => {
    const job = buildJob(SLOT);
    const spec = { ...large(job).spec, suspend: false };
    const status = { ...job.status, ready: 0, succeeded: 0, failed: 0, conditions: [] };
    const kept = trimJob({ ...job, spec, status });
    expect(kept).toEqual({ ...job, spec: {}, status: job.status });
    expect(kept.spec).toBe(trimJob(buildJob(SLOT)).spec);
  });

  test('keeps the beginning of its annotations, which anybody may write who creates Jobs', () => {
    const { metadata } = buildJob(SLOT);
    const annotations = { [START_TIMEOUT_ANNOTATION]: 'é'.repeat(100_000) };
    const kept = trimJob({ ...buildJob(SLOT), metadata: { ...metadata, annotations } });
    expect(kept.metadata.annotations).toEqual({ [START_TIMEOUT_ANNOTATION]: 'é'.repeat(256) });
  });

  test('that failed keeps the beginning of what it says about it', () => {
    const job = buildJob(SLOT, { state: 'Failed' });
    const says = (text: string) => {
      const conditions = (job.status?.conditions ?? []).map((end) => ({ ...end, reason: text, message: text }));
      const [kept] = trimJob({ ...job, status: { ...job.status, conditions } }).status?.conditions ?? [];
      return [kept?.reason, kept?.message];
    };
    expect(says('it took too long')).toEqual(['it took too long', 'it took too long']);
    expect(says('é'.repeat(32_768))).toEqual(['é'.repeat(256), 'é'.repeat(256)]);
  });

  test('without an owner, or with another owner, keeps only its name', () => {
    const annotations = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, '']));
    const { ownerReferences: _, ...metadata } = buildJob(SLOT).metadata;
    const kept = trimJob(large({ ...buildJob(SLOT), metadata: { ...metadata, annotations, labels: annotations } }));
    expect(count(kept)).toBeLessThan(20);
    expect(kept.metadata).toEqual({
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: metadata.creationTimestamp,
    });
  });
});
