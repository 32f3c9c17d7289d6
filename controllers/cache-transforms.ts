/**
 * Trims CronJobs and Jobs to the fields that reconciles read: docs/adr/0027-memory-of-the-process.md. Untrimmed objects of
 * one namespace could use up the memory that all namespaces share.
 */
import { compactForm } from 'controller-runtime/internal';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { trimManagedFields } from '../api/v1/field-edits.ts';
import {
  API_VERSION,
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  KIND,
  REQUESTED_BY_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../api/v1/groupversion.ts';
import { parseCronJob } from '../api/v1/stored-cronjob.ts';
import { parseCronJobRun, type StoredCronJobRun } from '../api/v1/stored-cronjobrun.ts';
import { getControllingCronJobUid } from './cronjob/job.ts';

/** Stores the template of a spec as text until a reconcile creates a Job. Equal templates share one string. */
const compactSpecs = compactForm<CronJobSpec>('jobTemplate');

/**
 * Drops the fields of the CronJob that no reconcile reads, and compacts the spec.
 * @param cachedCronJob The cached version of the CronJob. If the spec is unchanged, the result reuses the spec of the
 * cached CronJob.
 */
export function trimCronJob(cronJob: CronJob, cachedCronJob?: CronJob): CronJob {
  const trimmed = trimManagedFields(parseCronJob(cronJob));
  const isShared = cachedCronJob !== undefined && hasSameSpec(trimmed, cachedCronJob);
  return { ...trimmed, spec: isShared ? cachedCronJob.spec : compactSpecs.compact(trimmed.spec) };
}

/**
 * Compares generations instead of templates, because the API server increments the generation with each change of the
 * spec.
 */
function hasSameSpec({ metadata, spec }: CronJob, { metadata: cachedMetadata, spec: cachedSpec }: CronJob): boolean {
  const { uid, generation } = metadata;
  if (generation === undefined || generation !== cachedMetadata.generation || uid !== cachedMetadata.uid) return false;
  if (!compactSpecs.isCompact(cachedSpec)) return false;
  const names = Object.keys(spec) as (keyof CronJobSpec)[];
  const isSame = (name: keyof CronJobSpec) => name === 'jobTemplate' || spec[name] === cachedSpec[name];
  return names.length === Object.keys(cachedSpec).length && names.every(isSame);
}

/** Adds the defaults to a CronJob that was read from the API server. A CronJob from the cache already has the defaults. */
export function withDefaults(cronJob: CronJob): CronJob {
  return compactSpecs.isCompact(cronJob.spec) ? cronJob : parseCronJob(cronJob);
}

/** Drops the fields of the Job that no reconcile reads. If no CronJob controls the Job, keeps only its name. */
export function trimJob(job: Job): Job {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = job.metadata;
  const identity = { name, namespace, uid, resourceVersion, creationTimestamp };
  const apiType = { apiVersion: 'batch/v1', kind: 'Job' } as const;
  if (getControllingCronJobUid(job) === undefined) return { ...apiType, metadata: identity, spec: EMPTY_SPEC };
  const { status } = job;
  const endConditions = (status?.conditions ?? []).filter(({ type }) => END_CONDITIONS.includes(type));
  const isFinished = endConditions.some((condition) => condition.status === 'True');
  return {
    ...apiType,
    metadata: { ...identity, ...trimMetadata(job) },
    spec: isFinished ? EMPTY_SPEC : trimSpec(job.spec),
    ...(status && { status: { ...trimStatus(status, endConditions), ...(!isFinished && trimProgress(status)) } }),
  };
}

const END_CONDITIONS: readonly string[] = ['Complete', 'Failed'];
const EMPTY_SPEC = {} as Job['spec'];

function trimSpec(spec: Partial<Job['spec']> = {}): Job['spec'] {
  const fieldsToKeep = {
    ...pickFields(spec, ['managedBy', 'activeDeadlineSeconds']),
    ...(spec.suspend && { suspend: true }),
  };
  return Object.keys(fieldsToKeep).length === 0 ? EMPTY_SPEC : (fieldsToKeep as Job['spec']); // no reconcile reads the Pod template in this spec
}

const POD_COUNTS = ['ready', 'succeeded', 'failed'] as const;

/** Keeps counts above 0, and conditions that are True, such as Suspended and FailureTarget. */
function trimProgress(status: JobStatus): JobStatus {
  const blockingConditions = (status.conditions ?? []).filter(
    (each) => each.status === 'True' && !END_CONDITIONS.includes(each.type),
  );
  return {
    ...pickFields(
      status,
      POD_COUNTS.filter((name) => status[name]),
    ),
    ...(blockingConditions.length > 0 && { conditions: blockingConditions.map(trimCondition) }),
  };
}

const ANNOTATIONS_TO_KEEP = [
  REQUESTED_BY_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  GENERATION_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
];
/**
 * Maximum length of an annotation, a reason or a message, in characters. Longer text is not needed, because the status would
 * truncate it.
 */
const MAX_TEXT_LENGTH = 256;

function trimMetadata({ metadata }: Job): Partial<Job['metadata']> {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const owners = ownerReferences
    .filter(({ controller }) => controller === true)
    .map((owner) => ({
      // All trimmed Jobs share the constants, to save memory.
      apiVersion: owner.apiVersion === API_VERSION ? API_VERSION : owner.apiVersion,
      kind: owner.kind === KIND ? KIND : owner.kind,
      name: owner.name,
      uid: owner.uid,
      controller: true,
    }));
  const annotationsToKeep = ANNOTATIONS_TO_KEEP.flatMap((name) => {
    const value = annotations[name];
    return value === undefined ? [] : [[name, truncate(value)]];
  });
  return {
    ownerReferences: owners,
    ...(annotationsToKeep.length > 0 && { annotations: Object.fromEntries(annotationsToKeep) }),
    ...pickFields(metadata, ['deletionTimestamp']),
  };
}

function trimStatus(status: JobStatus, endConditions: readonly JobCondition[]): JobStatus {
  return {
    ...pickFields(status, ['startTime', 'completionTime']),
    ...(status.terminating && pickFields(status, ['terminating'])),
    ...(endConditions.length > 0 && { conditions: endConditions.map(trimCondition) }),
  };
}

type JobStatus = NonNullable<Job['status']>;
type JobCondition = NonNullable<JobStatus['conditions']>[number];

function trimCondition(condition: JobCondition): JobCondition {
  const { type, reason, message } = condition;
  return {
    type,
    status: condition.status,
    ...pickFields(condition, ['lastTransitionTime']),
    ...(reason !== undefined && { reason: truncate(reason) }),
    ...(message && type === 'Failed' && { message: truncate(message) }),
  };
}

function pickFields<T extends object, Name extends keyof T>(object: T, names: readonly Name[]): Partial<Pick<T, Name>> {
  const picked: Partial<Pick<T, Name>> = {};
  for (const name of names) if (object[name] !== undefined) picked[name] = object[name];
  return picked;
}

/** Copies the text, because a slice would keep the long text in memory. */
function truncate(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : Buffer.from(text.slice(0, MAX_TEXT_LENGTH)).toString();
}

/** Drops the managed fields, which no reconcile reads. */
export function trimCronJobRun(run: CronJobRun): StoredCronJobRun {
  const { managedFields: _, ...metadata } = run.metadata;
  return parseCronJobRun({ ...run, metadata });
}
