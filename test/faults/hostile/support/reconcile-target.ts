/** Reconciles of the core over CronJobs that no current schema would accept, and over Jobs with odd values. */
import { isDeepStrictEqual } from 'node:util';
import { stripNulls } from 'controller-runtime/internal';
import { isSameJson } from 'controller-runtime/schema';
import fc from 'fast-check';
import type { Job } from '../../../../api/kubernetes.ts';
import { MAX_POLICY_LIMIT } from '../../../../api/v1/cronjob-defaults.ts';
import { CronJob, type CronJobStatus } from '../../../../api/v1/cronjob-types.ts';
import {
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  RESUME_ANNOTATION,
  RUN_NOW_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
  TAKES_OVER_FROM_ANNOTATION,
} from '../../../../api/v1/groupversion.ts';
import { trimCronJob, trimJob, withDefaults } from '../../../../controllers/cache-transforms.ts';
import { selectJobs } from '../../../../controllers/cronjob/facts.ts';
import { type CoreOutcome, type CoreReconcileOptions, CoreWorld } from '../../../support/core-world.ts';
import { at, buildJob, cronJob } from '../../../support/cron-jobs.ts';
import { expectWithinCpu } from './cpu.ts';
import { CRON_JOB_TEXTS } from './cron-job-texts.ts';
import { applyEdits, editsWith, type Json, type JsonEdit, storableValue, WELL_FORMED_TEXTS } from './json.ts';
import { findStatusFaults, isWellFormed } from './stored-status.ts';
import type { AttackTarget } from './target.ts';

/** Limit for one reconcile: a hundred times the duration of a usual one. */
const MAX_RECONCILE_MS = 50;
/** A manual run and, with catchUpPolicy All, many slots may be due, each in a separate reconcile; the last reconcile has no work left. */
const MAX_RECONCILES = MAX_POLICY_LIMIT + 5;

interface ReconcileInput {
  readonly base: number;
  readonly edits: readonly JsonEdit[];
  /** Replaces fields after the edits. */
  readonly spec: Readonly<Record<string, Json>>;
  readonly status: Readonly<Record<string, Json>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly jobs: readonly OddJob[];
  readonly now: string;
  readonly first: CoreReconcileOptions;
}

/** Types are correct, because the API server knows Jobs; values are random. */
interface OddJob {
  readonly slot: string;
  readonly state: 'Active' | 'Complete' | 'Failed';
  readonly annotations: Readonly<Record<string, string>>;
  readonly times: readonly (string | null | undefined)[];
  readonly text: string;
  readonly isBeingDeleted: boolean;
}

const someText = fc.oneof(
  fc.constantFrom<string>(...WELL_FORMED_TEXTS, 'now', 'manual', '1'),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
const someTime = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(undefined, null, at('00:30:00'), at('01:00:00'), at('23:00:00')) },
  someText,
);

const createAnnotations = (...names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names, '__proto__', 'toString'), someText, { maxKeys: 3, noNullPrototype: true });

const oddJob: fc.Arbitrary<OddJob> = fc.record({
  slot: fc.constantFrom(at('00:00:00'), at('00:30:00'), at('01:00:00'), at('02:00:00'), '2027-01-01T00:00:00Z'),
  state: fc.constantFrom('Active' as const, 'Complete' as const, 'Failed' as const),
  annotations: createAnnotations(
    SCHEDULED_AT_ANNOTATION,
    INSTANTIATE_ANNOTATION,
    GENERATION_ANNOTATION,
    START_TIMEOUT_ANNOTATION,
  ),
  times: fc.array(someTime, { maxLength: 4 }),
  text: someText,
  isBeingDeleted: fc.boolean(),
});

const someFields = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), storableValue, { maxKeys: 2, noNullPrototype: true });

const reconcileInput: fc.Arbitrary<ReconcileInput> = fc.record({
  base: fc.nat(CRON_JOB_TEXTS.length - 1),
  edits: editsWith(storableValue, 3),
  spec: someFields(Object.keys(CronJob.schema.spec.shape)),
  status: someFields(Object.keys(CronJob.schema.status?.shape ?? {})),
  annotations: createAnnotations(RUN_NOW_ANNOTATION, RESUME_ANNOTATION, TAKES_OVER_FROM_ANNOTATION),
  jobs: fc.array(oddJob, { maxLength: 3 }),
  now: fc.constantFrom(
    at('02:30:00'),
    at('00:00:00'),
    '2025-12-31T23:59:59Z',
    '2026-02-01T00:00:00Z',
    '2038-01-19T03:14:08Z',
    '9999-12-31T23:59:59Z',
  ),
  first: fc.record({
    losesStatus: fc.boolean(),
    crashes: fc.boolean(),
    isCrowded: fc.boolean(),
    othersWait: fc.boolean(),
  }),
});

export const reconcileTarget: AttackTarget<ReconcileInput> = {
  name: 'reconciles of stored CronJobs',
  inputs: reconcileInput,
  check: checkReconciles,
  format: (input) =>
    JSON.stringify({
      cronJob: createRawCronJob(input),
      jobs: createRawJobs(input),
      now: input.now,
      first: input.first,
    }),
};

function checkReconciles(input: ReconcileInput): void {
  const raw = createRawCronJob(input);
  const jobs = createRawJobs(input);
  const before = JSON.stringify([raw, jobs]);
  const trimmed = trimCronJob(raw);
  const world = new CoreWorld(withDefaults(trimmed));
  world.jobs = [...selectJobs(trimmed, jobs.map(trimJob))];
  runCheckedReconcile(world, { raw, now: input.now }, input.first);
  let last = runCheckedReconcile(world, { raw, now: input.now });
  for (let count = 0; count < MAX_RECONCILES && !isQuiet(last); count++)
    last = runCheckedReconcile(world, { raw, now: input.now });
  if (!isQuiet(last)) throw new Error(`reconciles do not come to rest: ${JSON.stringify(last)}`);
  if (JSON.stringify([raw, jobs]) !== before) throw new Error('the objects of the API server were changed');
  checkNeighbour();
}

interface CheckedOutcome extends CoreOutcome {
  readonly isStatusNew: boolean;
}

interface ReconcileTargetContext {
  readonly raw: CronJob;
  readonly now: string;
}

/** A reconcile whose output is valid for the API server, which returns it again as JSON. */
function runCheckedReconcile(
  world: CoreWorld,
  { raw, now }: ReconcileTargetContext,
  options: CoreReconcileOptions = {},
): CheckedOutcome {
  const before = world.cronJob.status;
  const isFirst = options !== undefined && world.pending === undefined;
  if (isFirst) expectWithinCpu(MAX_RECONCILE_MS, () => copyWorld(world).reconcile(now, options));
  const outcome = world.reconcile(now, options);
  const pending = world.cronJob.status;
  const isStatusNew = !isSameJson(pending, before);
  if (isStatusNew) checkStatus(outcome.status, before);
  const restored = trimCronJob(parseFromWire({ ...raw, status: pending }) as CronJob);
  world.cronJob = withDefaults(restored);
  world.jobs = world.jobs.map((job) => trimJob(parseFromWire(job) as Job));
  if (outcome.requeueAfterMs !== undefined && !(outcome.requeueAfterMs >= 0)) throw new Error('the wait is negative');
  for (const event of outcome.events)
    if (event.message.length > MAX_MESSAGE_LENGTH) throw new Error('an event with a too long message');
  return { ...outcome, isStatusNew };
}

/** Longer than the longest text of an input, because a message may quote it. The actual messages are shorter. */
const MAX_MESSAGE_LENGTH = 110_000;

function copyWorld(world: CoreWorld): CoreWorld {
  const copy = new CoreWorld(world.cronJob);
  copy.jobs = world.jobs;
  return copy;
}

function checkStatus(status: CronJobStatus, before: CronJobStatus | undefined): void {
  const faults = findStatusFaults(JSON.parse(JSON.stringify(status)), before);
  if (faults.length > 0) throw new Error(`the API server refuses the status: ${faults.join('; ')}`);
  if (!isWellFormed(status)) throw new Error(`an unpaired surrogate in the status: ${JSON.stringify(status)}`);
}

/** The reconcile did nothing, and no work is left. */
function isQuiet({ created, deleted, events, isStatusNew }: CheckedOutcome): boolean {
  return created.length === 0 && deleted.length === 0 && events.length === 0 && !isStatusNew;
}

/** The API server validates metadata of any kind: only its texts are random. */
function createRawCronJob({ base, edits, annotations, ...fields }: ReconcileInput): CronJob {
  const edited = applyEdits(CRON_JOB_TEXTS[base] ?? '', edits);
  const { spec, status } = (typeof edited === 'object' && edited !== null ? edited : {}) as Record<string, Json>;
  const { metadata, apiVersion, kind } = cronJob();
  const oddFields = { spec: withFields(spec, fields.spec), status: withFields(status, fields.status) };
  return parseFromWire({ apiVersion, kind, metadata: { ...metadata, annotations }, ...oddFields }) as CronJob;
}

function withFields(value: Json | undefined, fields: Readonly<Record<string, Json>>): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value, ...fields } : value;
}

function createRawJobs({ jobs }: ReconcileInput): readonly Job[] {
  return jobs.map((oddJob) => parseFromWire(createRawJob(oddJob)) as Job);
}

function createRawJob({ slot, state, annotations, times, text, isBeingDeleted }: OddJob): object {
  const job = buildJob(slot, { state, isBeingDeleted });
  const [creationTimestamp = job.metadata.creationTimestamp, startTime, completionTime, lastTransitionTime] = times;
  const conditions = job.status?.conditions?.map((each) => ({
    ...each,
    lastTransitionTime,
    reason: text,
    message: text.repeat(3),
  }));
  return {
    ...job,
    metadata: {
      ...job.metadata,
      uid: `uid-of-${slot}`,
      creationTimestamp,
      annotations: { ...job.metadata.annotations, ...annotations },
    },
    status: { startTime, completionTime, conditions: conditions && [...conditions, null] },
  };
}

/** The object as an API server returns it: JSON, in which null is absent. */
function parseFromWire(value: unknown): unknown {
  return stripNulls(JSON.parse(JSON.stringify(value)));
}

const NEIGHBOUR = reconcileOtherCronJob();

/** The actions of a healthy CronJob within an hour. */
function reconcileOtherCronJob(): readonly unknown[] {
  const world = new CoreWorld(cronJob({ schedule: '*/20 * * * *', timeZone: 'Europe/Berlin' }));
  return [world.reconcile(at('00:20:00')), world.reconcile(at('00:40:00')), world.reconcile(at('01:00:00'))];
}

/** Throws when the actions differ from those before. */
function checkNeighbour(): void {
  if (!isDeepStrictEqual(reconcileOtherCronJob(), NEIGHBOUR)) throw new Error('another CronJob was affected');
}
