import { describe, expect, test } from 'vitest';
import { cronJob, jobOf } from '../../test/support/cron-jobs.ts';
import { runNowJob, runOf, slotJob } from './job.ts';

const SLOT = new Date('2026-01-01T01:00:00Z');

test('no Job has a selector of its template, which is older than the rule against it: it would count the Pods of others', () => {
  const { spec } = cronJob().spec.jobTemplate;
  const selector = { matchLabels: { app: 'a' } };
  const withSelector = cronJob({ jobTemplate: { spec: { ...spec!, selector, manualSelector: true } } });
  expect(slotJob(withSelector, SLOT)).toEqual(slotJob(cronJob(), SLOT));
  expect(runNowJob(withSelector, 'now')).toEqual(runNowJob(cronJob(), 'now'));
});

const slot = '2026-01-01T01:00:00Z';

describe('a run', () => {
  test.each(['Complete', 'Failed'])('is active while %s is not True', (type) => {
    const job = jobOf(slot);
    const conditions = [{ type, status: 'False', lastTransitionTime: slot }];
    expect(runOf({ ...job, status: { ...job.status, conditions } })).toMatchObject({ state: 'Active' });
  });

  test('is active while its Job is suspended, as a queue leaves it', () => {
    const job = jobOf(slot);
    const conditions = [{ type: 'Suspended', status: 'True', lastTransitionTime: slot }];
    expect(runOf({ ...job, status: { ...job.status, conditions } }).state).toBe('Active');
  });

  test('that completed without a completion time ended when its condition was set', () => {
    const job = jobOf(slot, { state: 'Complete' });
    const { completionTime: _, ...status } = job.status ?? {};
    expect(runOf({ ...job, status })).toMatchObject({ state: 'Succeeded', finishedAt: new Date(slot) });
    const conditions = [{ type: 'Complete', status: 'True' }];
    expect(runOf({ ...job, status: { conditions } })).not.toHaveProperty('finishedAt');
  });

  test('that completed ended at its completion time, not when its condition was set', () => {
    const job = jobOf(slot, { state: 'Complete' });
    const completionTime = '2026-01-01T00:59:58Z';
    expect(runOf({ ...job, status: { ...job.status, completionTime } }).finishedAt).toEqual(new Date(completionTime));
  });

  test('that failed without a reason has none', () => {
    const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime: slot }];
    expect(runOf({ ...jobOf(slot), status: { conditions } })).not.toHaveProperty('failureReason');
  });

  test('whose Job has no status yet is active', () => {
    const { status: _, ...job } = jobOf(slot);
    expect(runOf(job).state).toBe('Active');
  });

  test('whose Job does not say its slot, or says nonsense, has none', () => {
    const job = jobOf(slot);
    const { annotations: _, ...metadata } = job.metadata;
    expect(runOf({ ...job, metadata })).not.toHaveProperty('slot');
    const annotations = { 'batch.tutorial.kubebuilder.io/scheduled-at': 'yesterday' };
    expect(runOf({ ...job, metadata: { ...metadata, annotations } })).not.toHaveProperty('slot');
  });
});

test('a Job is in the namespace of its CronJob, whatever namespace, name and owners its template has', () => {
  const { spec } = cronJob().spec.jobTemplate;
  // The schema takes any metadata.
  const metadata = { namespace: 'kube-system', name: 'etcd', ownerReferences: [] } as object;
  const elsewhere = cronJob({ jobTemplate: { metadata, spec: spec! } });
  expect(slotJob(elsewhere, SLOT)).toEqual(slotJob(cronJob(), SLOT));
  expect(runNowJob(elsewhere, 'now')).toEqual(runNowJob(cronJob(), 'now'));
  expect(slotJob(elsewhere, SLOT).metadata.namespace).toBe(cronJob().metadata.namespace);
});
