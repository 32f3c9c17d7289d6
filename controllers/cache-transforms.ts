/**
 * Trims CronJobs and Jobs to the fields that passes read, so that the cache takes little memory
 * (docs/adr/0027-memory-of-the-process.md). Otherwise a user who may create them in one namespace could use up memory that all
 * namespaces share: three bytes `{},` take fifty once parsed.
 */
import { compactForm } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../api/v1/cronjob-types.ts';
import { trimManagedFields } from '../api/v1/field-edits.ts';
import {
  API_VERSION,
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  KIND,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../api/v1/groupversion.ts';
import { parseCronJob } from '../api/v1/stored-cronjob.ts';
import { controllingCronJobUid } from './cronjob/job.ts';

/**
 * Keeps the template of a spec as text until a pass reads it to create a Job. Most CronJobs of a cluster have the same template as
 * many others.
 */
const specs = compactForm<CronJobSpec>('jobTemplate');

/**
 * Returns the CronJob without fields that no pass reads, and with a compact spec.
 * @param cached The CronJob in the cache: an equal spec is shared with it, as after each write of a status.
 */
export function trimCronJob(cronJob: CronJob, cached?: CronJob): CronJob {
  const trimmed = trimManagedFields(parseCronJob(cronJob));
  const isShared = cached !== undefined && isSameSpec(trimmed, cached);
  return { ...trimmed, spec: isShared ? cached.spec : specs.compact(trimmed.spec) };
}

/** The template is not compared: the API server increments the generation with every change of a spec. */
function isSameSpec({ metadata, spec }: CronJob, { metadata: cachedMetadata, spec: cached }: CronJob): boolean {
  const { uid, generation } = metadata;
  if (generation === undefined || generation !== cachedMetadata.generation || uid !== cachedMetadata.uid) return false;
  if (!specs.isCompact(cached)) return false;
  const names = Object.keys(spec) as (keyof CronJobSpec)[];
  const isSame = (name: keyof CronJobSpec) => name === 'jobTemplate' || spec[name] === cached[name];
  return names.length === Object.keys(cached).length && names.every(isSame);
}

/**
 * The CronJob as passes need it. The result of {@link trimCronJob} already has its defaults, so its template need not be parsed for
 * them.
 */
export function withDefaults(cronJob: CronJob): CronJob {
  return specs.isCompact(cronJob.spec) ? cronJob : parseCronJob(cronJob);
}

/**
 * Keeps what passes read of a Job: its name and owner, its run, its start and its end; until the end, also whether it may still
 * wait for its first container. For a Job that no CronJob controls, keeps only the name.
 */
export function trimJob(job: Job): Job {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = job.metadata;
  const named = { name, namespace, uid, resourceVersion, creationTimestamp };
  const kept = { apiVersion: 'batch/v1', kind: 'Job' } as const;
  if (controllingCronJobUid(job) === undefined) return { ...kept, metadata: named, spec: EMPTY_SPEC };
  const { status } = job;
  const endConditions = (status?.conditions ?? []).filter(({ type }) => END_CONDITIONS.includes(type));
  const isFinished = endConditions.some((end) => end.status === 'True');
  return {
    ...kept,
    metadata: { ...named, ...trimMetadata(job) },
    spec: isFinished ? EMPTY_SPEC : trimSpec(job.spec),
    ...(status && { status: { ...trimStatus(status, endConditions), ...(!isFinished && trimProgress(status)) } }),
  };
}

const END_CONDITIONS: readonly string[] = ['Complete', 'Failed'];
/** The spec of nearly every trimmed Job: one shared object. */
const EMPTY_SPEC = {} as Job['spec'];

function trimSpec(spec: Partial<Job['spec']> = {}): Job['spec'] {
  const read = { ...pick(spec, ['managedBy', 'activeDeadlineSeconds']), ...(spec.suspend && { suspend: true }) };
  return Object.keys(read).length === 0 ? EMPTY_SPEC : (read as Job['spec']); // no pass reads a template there
}

const COUNTS = ['ready', 'succeeded', 'failed'] as const;

/** Counts that are not 0, and conditions that are True, such as Suspended and FailureTarget. */
function trimProgress(status: JobStatus): JobStatus {
  const blockingConditions = (status.conditions ?? []).filter(
    (each) => each.status === 'True' && !END_CONDITIONS.includes(each.type),
  );
  return {
    ...pick(
      status,
      COUNTS.filter((name) => status[name]),
    ),
    ...(blockingConditions.length > 0 && { conditions: blockingConditions.map(trimCondition) }),
  };
}

/** The annotations that identify the run of a Job, and show whether the controller ended it. */
const ANNOTATIONS = [SCHEDULED_AT_ANNOTATION, INSTANTIATE_ANNOTATION, GENERATION_ANNOTATION, START_TIMEOUT_ANNOTATION];
/**
 * Maximum length of an annotation, and of the reason and the message of a condition, in characters: the length that the status
 * keeps of a message.
 */
const MAX_TEXT_LENGTH = 256;

function trimMetadata({ metadata }: Job): Partial<Job['metadata']> {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const owners = ownerReferences
    .filter(({ controller }) => controller === true)
    .map((owner) => ({
      // Nearly always the same two texts: shared constants keep them once for ten thousand Jobs.
      apiVersion: owner.apiVersion === API_VERSION ? API_VERSION : owner.apiVersion,
      kind: owner.kind === KIND ? KIND : owner.kind,
      name: owner.name,
      uid: owner.uid,
      controller: true,
    }));
  const read = ANNOTATIONS.flatMap((name) => {
    const value = annotations[name];
    return value === undefined ? [] : [[name, truncate(value)]];
  });
  return {
    ownerReferences: owners,
    ...(read.length > 0 && { annotations: Object.fromEntries(read) }),
    ...pick(metadata, ['deletionTimestamp']),
  };
}

function trimStatus(status: JobStatus, ends: readonly JobCondition[]): JobStatus {
  return {
    ...pick(status, ['startTime', 'completionTime']),
    ...(ends.length > 0 && { conditions: ends.map(trimCondition) }),
  };
}

type JobStatus = NonNullable<Job['status']>;
type JobCondition = NonNullable<JobStatus['conditions']>[number];

function trimCondition(condition: JobCondition): JobCondition {
  const { type, reason, message } = condition;
  return {
    type,
    status: condition.status,
    ...pick(condition, ['lastTransitionTime']),
    ...(reason !== undefined && { reason: truncate(reason) }),
    ...(message && type === 'Failed' && { message: truncate(message) }),
  };
}

/** The named fields that have a value. */
function pick<T extends object, Name extends keyof T>(object: T, names: readonly Name[]): Partial<Pick<T, Name>> {
  const picked: Partial<Pick<T, Name>> = {};
  for (const name of names) if (object[name] !== undefined) picked[name] = object[name];
  return picked;
}

/** Copied, because a slice would keep the whole text in memory. */
function truncate(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : Buffer.from(text.slice(0, MAX_TEXT_LENGTH)).toString();
}
