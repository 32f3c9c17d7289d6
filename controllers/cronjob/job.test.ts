import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import {
  INSTANTIATE_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { parseGeneration, toRun } from './job.ts';
import { buildDryRunJobSpec, buildManualJob, buildSlotJob } from './new-job.ts';

const SLOT = new Date('2026-01-01T01:00:00Z');

test('no Job has a selector of its template, which another CRD has let in: it would count the Pods of others', () => {
  const { spec } = cronJob().spec.jobTemplate;
  const selector = { matchLabels: { app: 'a' } };
  const withSelector = cronJob({ jobTemplate: { spec: { ...spec!, selector, manualSelector: true } } });
  expect(buildSlotJob(withSelector, SLOT)).toEqual(buildSlotJob(cronJob(), SLOT));
  expect(buildManualJob(withSelector, 'now')).toEqual(buildManualJob(cronJob(), 'now'));
});

const slot = '2026-01-01T01:00:00Z';

/** The run of a Job with these conditions, and the given differences. */
const ended = (type: string, condition: object = {}, status: object = {}) => {
  const conditions = [{ type, status: 'True', lastTransitionTime: slot, ...condition }];
  return toRun({ ...buildJob(slot), status: { startTime: slot, conditions, ...status } });
};

describe('a run', () => {
  test.each([
    ['while Complete is not True', ended('Complete', { status: 'False' })],
    ['while Failed is not True', ended('Failed', { status: 'False' })],
    ['while its Job is suspended, as a queue leaves it', ended('Suspended')],
    ['while its Job has no status yet', toRun({ ...buildJob(slot), status: undefined } as unknown as Job)],
  ])('is active %s', (_, run) => {
    expect(run.state).toBe('Active');
  });

  test('that completed ended at its completion time, else when its condition was set, if that says it', () => {
    const completionTime = '2026-01-01T00:59:58Z';
    expect(ended('Complete', {}, { completionTime }).finishedAt).toEqual(new Date(completionTime));
    expect(ended('Complete')).toMatchObject({ state: 'Succeeded', finishedAt: new Date(slot) });
    expect(ended('Complete', { lastTransitionTime: undefined })).not.toHaveProperty('finishedAt');
  });

  test('that failed has no reason, or the beginning of a long one in whole characters', () => {
    expect(ended('Failed')).not.toHaveProperty('failureReason');
    const reason = `${'x'.repeat(127)}😀`.repeat(1000);
    expect(ended('Failed', { reason }).failureReason).toBe(`${'x'.repeat(127)}\ufffd`);
  });

  test('whose Job does not say its slot, or says nonsense, has none', () => {
    const job = buildJob(slot);
    const { annotations: _, ...metadata } = job.metadata;
    expect(toRun({ ...job, metadata })).not.toHaveProperty('slot');
    const annotations = { 'batch.tutorial.kubebuilder.io/scheduled-at': 'yesterday' };
    expect(toRun({ ...job, metadata: { ...metadata, annotations } })).not.toHaveProperty('slot');
  });

  test.each([
    ['Schedule', { [SCHEDULED_AT_ANNOTATION]: slot }],
    ['Manual', { [INSTANTIATE_ANNOTATION]: 'manual' }],
    ['External', { [INSTANTIATE_ANNOTATION]: 'other' }],
    ['External', {}],
  ] satisfies [string, Readonly<Record<string, string>>][])(
    'has the trigger %s by the annotations of its Job',
    (trigger, annotations) => {
      const job = buildJob(slot);
      expect(toRun({ ...job, metadata: { ...job.metadata, annotations } }).trigger).toBe(trigger);
    },
  );

  test('knows the generation of its CronJob that its Job was made from, unless the Job does not say it or says nonsense', () => {
    const generationIn = (annotations: Readonly<Record<string, string>> | undefined) => {
      const job = buildJob(slot);
      return parseGeneration(toRun({ ...job, metadata: { ...job.metadata, ...(annotations && { annotations }) } }));
    };
    const annotation = 'batch.tutorial.kubebuilder.io/generation';
    const found = [{ [annotation]: '3' }, {}, { [annotation]: 'x' }].map(generationIn);
    expect(found).toEqual([3, Number.NaN, Number.NaN]);
  });

  test('knows when its Job was created and when it was started, as far as the Job says it', () => {
    const job = buildJob(slot, { startTime: '2026-01-01T01:00:07Z' });
    expect([toRun(job).createdAt, toRun(job).startedAt]).toEqual([new Date(slot), new Date('2026-01-01T01:00:07Z')]);
    const { annotations: _, ...metadata } = job.metadata;
    const unsaid = toRun({ ...job, metadata: { ...metadata, creationTimestamp: '' }, status: {} });
    expect([unsaid.createdAt, unsaid.startedAt]).toEqual([new Date(0), undefined]);
    expect(Number.isNaN(parseGeneration(unsaid))).toBe(true);
  });

  test('has a slot of whole seconds, however its annotation has it', () => {
    const { metadata, ...job } = buildJob(slot);
    const annotations = { [SCHEDULED_AT_ANNOTATION]: '2026-01-01T02:00:00.5+01:00' };
    expect(toRun({ ...job, metadata: { ...metadata, annotations } }).slot).toEqual(new Date('2026-01-01T01:00:00Z'));
  });

  describe('that failed', () => {
    const failed = (reason: string, annotations: Readonly<Record<string, string>>) => {
      const { job } = ended('Failed', { reason, message: 'too long' });
      return toRun({ ...job, metadata: { ...job.metadata, annotations } });
    };

    test('because it did not start in time has the reason StartTimeout, unless it failed otherwise before', () => {
      const annotations = { [START_TIMEOUT_ANNOTATION]: 'its Pod fits no node' };
      expect(failed('DeadlineExceeded', annotations)).toMatchObject({
        failureReason: 'StartTimeout',
        message: 'its Pod fits no node',
      });
      expect(failed('BackoffLimitExceeded', annotations)).toMatchObject({
        failureReason: 'BackoffLimitExceeded',
        message: 'too long',
      });
    });
  });
});

test('a Job is in the namespace of its CronJob, whatever namespace, name and owners its template has', () => {
  const { spec } = cronJob().spec.jobTemplate;
  // The schema accepts any metadata.
  const metadata = { namespace: 'kube-system', name: 'etcd', ownerReferences: [] } as object;
  const elsewhere = cronJob({ jobTemplate: { metadata, spec: spec! } });
  expect(buildSlotJob(elsewhere, SLOT)).toEqual(buildSlotJob(cronJob(), SLOT));
  expect(buildManualJob(elsewhere, 'now')).toEqual(buildManualJob(cronJob(), 'now'));
  expect(buildSlotJob(elsewhere, SLOT).metadata.namespace).toBe(cronJob().metadata.namespace);
});

test('the spec of a dry run has what the Jobs of slots have, as long as theirs, also in a zone that does not exist', () => {
  const { spec } = cronJob({ runContext: 'Env' });
  const names = { cronJobName: 'hello', jobName: 'hello-1767229200' };
  const ofSlot = buildSlotJob(cronJob({ runContext: 'Env' }), SLOT, SLOT).spec;
  const trial = buildDryRunJobSpec({ ...spec, timeZone: 'Nowhere/AtAll' }, names);
  const epoch = /1970-01-01T00:00:00Z/g;
  expect(JSON.stringify(trial).replaceAll(epoch, slot)).toBe(JSON.stringify(ofSlot));
});
