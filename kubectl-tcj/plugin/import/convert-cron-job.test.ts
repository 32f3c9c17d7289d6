import { describe, expect, test } from 'vitest';
import { cronJobSpecFields } from '../../../api/v1/cronjob-types.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { convertFromBatch, convertToBatch, createSuspendedSource, listRevertNotes } from './convert-cron-job.ts';
import { createSource } from './testing/sources.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const convertNotes = (spec: object) => convertFromBatch(createSource(spec), false).notes;

describe('converts a batch/v1 CronJob', () => {
  test('with its spec, and the UID of the source', () => {
    const given = createSource({
      ...{ schedule: '30 2 * * *', timeZone: 'Europe/Berlin', startingDeadlineSeconds: 60, suspend: true },
      ...{ concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 5, failedJobsHistoryLimit: 2 },
    });
    const { converted, notes } = convertFromBatch(given, false);
    expect(notes).toEqual([]);
    expect(converted).toEqual({
      apiVersion: 'batch.tutorial.kubebuilder.io/v1',
      kind: 'CronJob',
      metadata: {
        name: 'nightly',
        namespace: 'default',
        annotations: { 'batch.tutorial.kubebuilder.io/imported-from': given.metadata.uid },
      },
      spec: { ...given.spec, suspend: false },
    });
  });

  test('without tracking marks of tools, and with settings for tools', () => {
    const settings = { 'argocd.argoproj.io/sync-wave': '5', 'kustomize.toolkit.fluxcd.io/prune': 'disabled' };
    const given = createSource(
      {},
      {
        labels: { app: 'backup', 'app.kubernetes.io/managed-by': 'Helm', 'argocd.argoproj.io/instance': 'work' },
        annotations: {
          ...{ team: 'data', 'meta.helm.sh/release-name': 'work', 'argocd.argoproj.io/tracking-id': 'work:…' },
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'batch.tutorial.kubebuilder.io/suspended-for-import': 'true',
          ...settings,
        },
      },
    );
    const { metadata } = convertFromBatch(given, false).converted;
    expect(metadata.labels).toEqual({ app: 'backup' });
    expect(metadata.annotations).toEqual({
      ...{ team: 'data', ...settings },
      'batch.tutorial.kubebuilder.io/imported-from': given.metadata.uid,
    });
  });

  test.each([
    ['stays where a chart has set it', [], { 'app.kubernetes.io/instance': 'work' }],
    ['goes where Argo CD tracks by it', [{ manager: 'argocd-controller' }], {}],
  ])('the label app.kubernetes.io/instance %s', (_, managedFields, labels) => {
    const given = createSource({}, { managedFields, labels: { 'app.kubernetes.io/instance': 'work' } });
    expect(convertFromBatch(given, false).converted.metadata.labels).toEqual(labels);
  });

  test.each(['TZ=Asia/Tokyo 0 9 * * *', 'CRON_TZ=Asia/Tokyo 0 9 * * *'])(
    'with the zone of "%s" as its time zone',
    (schedule) => {
      const { converted, notes } = convertFromBatch(createSource({ schedule }), false);
      expect(converted.spec).toMatchObject({ schedule: '0 9 * * *', timeZone: 'Asia/Tokyo' });
      expect(notes).toEqual([expect.stringMatching(/^spec\.schedule: TZ=Asia\/Tokyo becomes spec\.timeZone/)]);
    },
  );
});

test.each([
  [{ schedule: '0 2 * * *' }, /^spec\.timeZone is not set: this operator uses UTC/],
  [{ schedule: '@every 90m' }, /^spec\.schedule: @every counts from the import/],
  [{ timeZone: 'UTC', jobsPerMinute: 3 }, /^spec\.jobsPerMinute does not exist in this API and is omitted\.$/],
])('notes a difference of %o', (spec, note) => {
  expect(convertNotes(spec)).toEqual([expect.stringMatching(note)]);
});

test('keeps a suspension, with a note', () => {
  const { converted, notes } = convertFromBatch(createSource({ timeZone: 'UTC', suspend: true }), true);
  expect(converted.spec.suspend).toBe(true);
  expect(notes).toEqual(['spec.suspend is true: no run starts until you resume the CronJob.']);
});

test('converts back to a suspended CronJob, and names fields that batch/v1 lacks', () => {
  const imported = cronJob({ schedule: '30 2 * * *', pauseAfterFailures: 3, suspendUntil: '2026-01-01T00:00:00Z' });
  const source = convertToBatch(imported);
  const { schedule, jobTemplate } = imported.spec;
  expect(source.spec).toMatchObject({ schedule, jobTemplate, suspend: true });
  expect(source.spec).not.toHaveProperty('pauseAfterFailures');
  expect(listRevertNotes(imported, NOW)).toEqual([
    'spec.pauseAfterFailures does not exist in batch/v1 and is omitted.',
  ]);
});

test('says that a suspension until a later time has no end in batch/v1', () => {
  expect(listRevertNotes(cronJob({ suspendUntil: '2026-03-01T00:00:01Z' }), NOW)).toEqual([
    'spec.suspendUntil does not exist in batch/v1: the source stays suspended until you resume it.',
  ]);
});

test('names every field that batch/v1 lacks', () => {
  const { spec } = createSource({ timeZone: 'UTC', startingDeadlineSeconds: 60, suspend: false });
  const sharedFields = [...Object.keys(spec), 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'];
  // The revert suspends the source if suspendUntil is in the future.
  const ownFields = Object.keys(cronJobSpecFields.shape).filter(
    (field) => ![...sharedFields, 'suspendUntil'].includes(field),
  );
  expect(ownFields).toContain('schedules');
  for (const field of ownFields) {
    const imported = cronJob({ [field]: 1 });
    expect(listRevertNotes(imported, NOW)).toEqual([`spec.${field} does not exist in batch/v1 and is omitted.`]);
    expect(convertToBatch(imported).spec).not.toHaveProperty(field);
  }
});

test.each(['Skip', 'Queue'] as const)('keeps the policy of a source that still exists instead of %s', (policy) => {
  const notes = listRevertNotes(cronJob({ concurrencyPolicy: policy }), NOW, createSource());
  expect(notes).toEqual([`spec.concurrencyPolicy: ${policy} does not exist in batch/v1; the source keeps Allow.`]);
});

test.each(['Skip', 'Queue'] as const)('converts %s, which batch/v1 lacks, to Forbid', (concurrencyPolicy) => {
  const imported = cronJob({ concurrencyPolicy });
  expect(convertToBatch(imported).spec.concurrencyPolicy).toBe('Forbid');
  expect(listRevertNotes(imported, NOW)).toContain(
    `spec.concurrencyPolicy: ${concurrencyPolicy} does not exist in batch/v1 and becomes Forbid.`,
  );
});

test('writes the source as a suspended manifest', () => {
  const given = createSource({}, { labels: { app: 'backup' }, annotations: { 'argocd.argoproj.io/sync-wave': '1' } });
  expect(createSuspendedSource(given)).toEqual({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: 'nightly',
      namespace: 'default',
      labels: { app: 'backup' },
      annotations: { 'argocd.argoproj.io/sync-wave': '1' },
    },
    spec: { ...given.spec, suspend: true },
  });
});
