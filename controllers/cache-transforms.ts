/**
 * What the cache keeps of CronJobs and Jobs: what is read of them, in as little memory as it takes (docs/adr/0027-memory-of-the-process.md).
 * Whoever may create them in any namespace would else take memory that all namespaces share: three bytes `{},` are fifty once parsed.
 */
import type { Job } from '../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../api/v1/cronjob-types.ts';
import { keepEdits } from '../api/v1/field-edits.ts';
import {
  API_VERSION,
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  KIND,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../api/v1/groupversion.ts';
import { parseCronJob } from '../api/v1/stored-cronjob.ts';
import { owningCronJob } from './cronjob/job.ts';
import { type SharedTemplate, sharedTemplate } from './shared-templates.ts';

/**
 * The CronJob without fields that no pass reads. Its template is kept as text and parsed when it is read, to create a Job.
 * @param held The CronJob as the cache has it: its spec is shared where it is the same, as after each write of a status.
 */
export function keepOfCronJob(cronJob: CronJob, held?: CronJob): CronJob {
  const kept = keepEdits(parseCronJob(cronJob));
  const spec = held !== undefined && isSameSpec(kept, held) ? held.spec : new KeptSpec(kept.spec);
  return { ...kept, spec: spec as CronJobSpec }; // it has every field of the spec it got
}

/** The template is not compared: the API server counts the generation with every change of a spec. */
function isSameSpec({ metadata, spec }: CronJob, { metadata: heldMetadata, spec: held }: CronJob): boolean {
  const { uid, generation } = metadata;
  if (generation === undefined || generation !== heldMetadata.generation || uid !== heldMetadata.uid) return false;
  if (!((held as unknown) instanceof KeptSpec)) return false;
  const names = Object.keys(spec) as (keyof CronJobSpec)[];
  const isSame = (name: keyof CronJobSpec) => name === 'jobTemplate' || spec[name] === held[name];
  return names.length === Object.keys(held).length && names.every(isSame);
}

/** The CronJob as passes need it. What {@link keepOfCronJob} returned has been completed, and its template need not be parsed for that. */
export function completed(cronJob: CronJob): CronJob {
  return (cronJob.spec as unknown) instanceof KeptSpec ? cronJob : parseCronJob(cronJob);
}

/** A spec whose template is behind a getter. One getter for all: with one for each, V8 makes a hash table of each object. */
class KeptSpec {
  static readonly #JOB_TEMPLATE: PropertyDescriptor & ThisType<KeptSpec> = {
    enumerable: true, // so that a copy has it
    get() {
      return this.#template.parsed;
    },
  };
  readonly #template: SharedTemplate;

  constructor({ jobTemplate, ...spec }: CronJobSpec) {
    this.#template = sharedTemplate(jobTemplate);
    Object.assign(this, spec);
    Object.defineProperty(this, 'jobTemplate', KeptSpec.#JOB_TEMPLATE);
  }
}

/**
 * What passes read of a Job: its name and owner, which run it is, when it started, how it ended; until then, whether it may still wait for
 * its first container. Of one that no CronJob controls, its name.
 */
export function keepOfJob(job: Job): Job {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = job.metadata;
  const named = { name, namespace, uid, resourceVersion, creationTimestamp };
  const kept = { apiVersion: 'batch/v1', kind: 'Job' } as const;
  if (owningCronJob(job) === undefined) return { ...kept, metadata: named, spec: NO_SPEC };
  const { status } = job;
  const ends = (status?.conditions ?? []).filter(({ type }) => ENDS.includes(type));
  const isOver = ends.some((end) => end.status === 'True');
  return {
    ...kept,
    metadata: { ...named, ...metadataRead(job) },
    spec: isOver ? NO_SPEC : specRead(job.spec),
    ...(status && { status: { ...statusRead(status, ends), ...(!isOver && progressRead(status)) } }),
  };
}

const ENDS: readonly string[] = ['Complete', 'Failed'];
/** As nearly every Job has it. One object for all. */
const NO_SPEC = {} as Job['spec'];

function specRead({ suspend, managedBy, activeDeadlineSeconds }: Partial<Job['spec']> = {}): Job['spec'] {
  if (!suspend && managedBy === undefined && activeDeadlineSeconds === undefined) return NO_SPEC;
  const read: Partial<Job['spec']> = {
    ...(suspend && { suspend }),
    ...(managedBy !== undefined && { managedBy }),
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
  };
  return read as Job['spec']; // of the cache: no pass reads a template there
}

/** Counts that are not 0, and conditions that hold, as of a Job that is suspended or about to end. */
function progressRead({ ready, succeeded, failed, conditions = [] }: JobStatus): JobStatus {
  const holding = conditions.filter(({ type, status }) => status === 'True' && !ENDS.includes(type));
  return {
    ...(ready && { ready }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    ...(holding.length > 0 && { conditions: holding.map(conditionRead) }),
  };
}

/** The annotations that say which run a Job is, and whether the controller ended it. */
const ANNOTATIONS = [SCHEDULED_AT_ANNOTATION, INSTANTIATE_ANNOTATION, GENERATION_ANNOTATION, START_TIMEOUT_ANNOTATION];
/** Of an annotation, and of the reason and the message of a condition, in characters: as many as the status keeps of a message. */
const MAX_TEXT_LENGTH = 256;

function metadataRead({ metadata }: Job): Partial<Job['metadata']> {
  const { deletionTimestamp, annotations = {}, ownerReferences = [] } = metadata;
  const owners = ownerReferences
    .filter(({ controller }) => controller === true)
    .map((owner) => ({
      // Nearly always the same two texts: of ten thousand Jobs they are kept once.
      apiVersion: owner.apiVersion === API_VERSION ? API_VERSION : owner.apiVersion,
      kind: owner.kind === KIND ? KIND : owner.kind,
      name: owner.name,
      uid: owner.uid,
      controller: true,
    }));
  const read = ANNOTATIONS.flatMap((name) => {
    const value = annotations[name];
    return value === undefined ? [] : [[name, beginningOf(value)]];
  });
  return {
    ownerReferences: owners,
    ...(read.length > 0 && { annotations: Object.fromEntries(read) }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

function statusRead({ startTime, completionTime }: JobStatus, ends: readonly JobCondition[]): JobStatus {
  return {
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(ends.length > 0 && { conditions: ends.map(conditionRead) }),
  };
}

type JobStatus = NonNullable<Job['status']>;
type JobCondition = NonNullable<JobStatus['conditions']>[number];

function conditionRead({ type, status, lastTransitionTime, reason, message }: JobCondition): JobCondition {
  return {
    type,
    status,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    ...(reason !== undefined && { reason: beginningOf(reason) }),
    ...(message && type === 'Failed' && { message: beginningOf(message) }),
  };
}

/** Copied, because a slice would keep the whole text in memory. */
function beginningOf(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : Buffer.from(text.slice(0, MAX_TEXT_LENGTH)).toString();
}
