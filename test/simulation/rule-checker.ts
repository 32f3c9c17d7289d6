/** Follows the real history, and checks every action of the manager against the rules. */
import type { Job } from '../../api/kubernetes.ts';
import { MAX_EXTRA_SCHEDULES } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { REQUESTED_BY_ANNOTATION, RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { findApiError } from '../../runtime/client/errors.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import type { ObjectChange } from './collection.ts';
import { checkRemoval } from './delete-rules.ts';
import type { Effect } from './effects.ts';
import { checkEvents } from './event-rules.ts';
import { findBrokenRules, getEnding, isActive, isBeingDeleted, isManual } from './facts.ts';
import { Ledger } from './ledger.ts';
import { TimeoutError } from './network.ts';
import type { ObservedReconcile, ReconcileEnd } from './observed-reconcile.ts';
import { RequestChecker } from './request-checker.ts';
import type { Setting } from './setting.ts';
import { ownerUid } from './simulated-cluster.ts';
import { checkStart } from './start-rules.ts';
import { checkStatus } from './status-rules.ts';
import { checkStartTimeout } from './timeout-rules.ts';

/** A broken rule, and the events before it. */
export interface Violation {
  readonly key: string;
  readonly rule: string;
  readonly at: Date;
  readonly journal: readonly string[];
}

/** Counts of observations; a simulation without activity tests nothing. */
export type Counts = RuleChecker['counts'];

const JOURNAL_LINES = 60;
/** A hundred and one slots for each of the questions that a reconcile may have, of each schedule. */
const MAX_SLOTS = 2000;
/** A question may skip two thousand spans of excluded time. */
const MAX_SLOTS_BESIDE_EXCLUDED = 10_000;
/** A reconcile takes less, unless the machine sleeps meanwhile or its clock is wrong. A shorter delay does no harm. */
const MAX_WAIT_MS = 1000;

export class RuleChecker {
  readonly counts = {
    reconciles: 0,
    slotRuns: 0,
    manualRuns: 0,
    removals: 0,
    statusWrites: 0,
    deaths: 0,
    failedCalls: 0,
    /** Number of logged errors, by message. */
    errors: new Map<string, number>(),
    events: new Map<string, number>(),
  };
  readonly violations: Violation[] = [];
  /** Checks reconciles of CronJobRuns. */
  readonly requests: RequestChecker;
  readonly #setting: Setting;
  readonly #onReconcileEnd: (observed: ObservedReconcile) => void;
  readonly #ledgers = new Map<string, Ledger>();
  /** UIDs of the CronJobs that ever had a Job of that key; empty for a foreign Job. */
  readonly #ownersByJob = new Map<string, Set<string>>();

  /** @param onReconcileEnd Called after each reconcile that the process survived. */
  constructor(setting: Setting, onReconcileEnd: (observed: ObservedReconcile) => void) {
    this.#setting = setting;
    this.#onReconcileEnd = onReconcileEnd;
    this.requests = new RequestChecker({
      setting,
      getLedger: (uid) => this.#ledgers.get(uid),
      report: (key, rules) => this.reportBrokenRules(key, rules),
      onReconcileEnd,
    });
  }

  start(): void {
    const { world } = this.#setting;
    world.cronJobs.listen((change) => this.#onCronJob(change));
    world.jobs.listen((change) => this.#onJob(change));
    this.requests.start();
  }

  getLedger({ metadata }: CronJob): Ledger | undefined {
    return this.#ledgers.get(metadata.uid);
  }

  /** Reports the broken rules, each with the events before it. */
  reportBrokenRules(key: string, rules: readonly string[]): void {
    const { journal, clock } = this.#setting;
    for (const rule of rules) {
      journal.note(() => `BROKEN: ${rule}`, key);
      this.violations.push({ key, rule, at: clock.now(), journal: journal.listNewest(key, JOURNAL_LINES) });
    }
  }

  recordReconcile(observed: ObservedReconcile, end: ReconcileEnd): void {
    this.counts.reconciles++;
    this.counts.failedCalls += observed.failedCalls;
    const { journal } = this.#setting;
    journal.note(
      () => `  reconcile ended: ${describeEnd(end)}${observed.failedCalls ? ', calls failed' : ''}`,
      observed.key,
    );
    if (observed.requestKey === undefined) this.#checkReconcile(observed);
    else this.requests.recordReconcile(observed);
    if (end.kind === 'Threw') {
      if (!isSimulatedError(end.error))
        this.reportBrokenRules(observed.key, [`a reconcile throws only what calls throw (${end.error})`]);
    } else {
      const waits = [end.result.requeueAfterMs, end.result.retryAfterMs].filter((wait) => wait !== undefined);
      if (!waits.every((wait) => wait >= 0 && Number.isFinite(wait)))
        this.reportBrokenRules(observed.key, ['a wait is never negative']);
    }
    if (observed.requestKey === undefined) this.#onReconcileEnd(observed);
  }

  #checkReconcile(observed: ObservedReconcile): void {
    this.reportBrokenRules(
      observed.key,
      findBrokenRules({
        'a reconcile reads the clock once': observed.clockReads.length <= 1,
        'a reconcile sees the last write of its process': !observed.isBehindOwnWrite,
        'a delete has a UID precondition': observed.deletesWithoutUid === 0,
        'a reconcile computes at most a bounded number of slots': observed.slotsComputed <= getMaxSlots(observed),
      }),
    );
    const ledger = observed.view && this.getLedger(observed.view);
    this.#noteSkew(observed, ledger);
    if (ledger?.wasPruned === false) this.reportBrokenRules(observed.key, checkEvents(observed));
  }

  recordEvent({ key }: ObservedReconcile, reason: string): void {
    this.counts.events.set(reason, (this.counts.events.get(reason) ?? 0) + 1);
    this.#setting.journal.note(() => `  event ${reason}`, key);
  }

  /** Answers that only report the state are not errors. */
  recordError(key: string, message: string, error: unknown): void {
    this.counts.errors.set(message, (this.counts.errors.get(message) ?? 0) + 1);
    const code = findApiError(error)?.code;
    if (isSimulatedError(error) && code !== 404 && code !== 409) return;
    this.reportBrokenRules(key, [`an error is logged only after a failed call (${message}: ${error})`]);
  }

  /** The process repeats an action more often than the rule allows. */
  recordExcess(key: string, rule: string): void {
    this.reportBrokenRules(key, [rule]);
  }

  recordDeath(): void {
    this.counts.deaths++;
    this.#setting.journal.note(() => 'THE PROCESS DIES');
  }

  #onCronJob({ old, object, by }: ObjectChange<CronJob>): void {
    const { journal, clock } = this.#setting;
    if (object === undefined) {
      if (old !== undefined) journal.note(() => `${by.kind} deletes it (${old.metadata.uid})`, formatKey(old));
      return;
    }
    const key = formatKey(object);
    let ledger = this.#ledgers.get(object.metadata.uid);
    if (ledger === undefined) {
      ledger = new Ledger(key, object);
      this.#ledgers.set(object.metadata.uid, ledger);
    }
    journal.note(() => `${by.kind} ${describeCronJob(old, object)}`, key);
    if (by.kind === 'Manager' && old !== undefined) this.#checkStatus({ old, object, observed: by.observed, ledger });
    ledger.recordCronJob(object, clock.now());
  }

  #checkStatus({
    old,
    object,
    observed,
    ledger,
  }: {
    old: CronJob;
    object: CronJob;
    observed: ObservedReconcile;
    ledger: Ledger;
  }): void {
    this.counts.statusWrites++;
    const now = observed.clockReads[0];
    if (observed.sentStatus === undefined || now === undefined) return;
    const { status, pruned } = observed.sentStatus;
    this.#noteSkew(observed, ledger);
    const { status: viewStatus } = observed.view ?? old;
    const base = viewStatus === undefined ? old : { ...old, status: viewStatus };
    ledger.noteWrite(status, pruned);
    if (old === object && pruned.size === 0)
      this.reportBrokenRules(ledger.key, ['every status write changes the status']);
    const isForeignName = (name: string) => this.isForeignName(old, name);
    const write = { base, status, observed, ledger, now, isForeignName, reportEffect: this.#reportEffect };
    this.reportBrokenRules(ledger.key, checkStatus(write));
    ledger.noteStored(old, status, now);
  }

  /** Whether another owner has, or had, a Job of that name. */
  isForeignName({ metadata: { namespace, uid } }: CronJob, name: string): boolean {
    const owners = this.#ownersByJob.get(formatKey({ namespace, name })) ?? new Set();
    return owners.size > 1 || (owners.size === 1 && !owners.has(uid));
  }

  #onJob({ old, object, by }: ObjectChange<Job>): void {
    const job = object ?? old;
    if (job === undefined) return;
    const uid = ownerUid(job) ?? '';
    const ledger = this.#ledgers.get(uid);
    if (old === undefined) this.#noteOwner(formatKey(job), uid);
    if (ledger === undefined) return;
    this.#setting.journal.note(() => `${by.kind}: Job ${job.metadata.name} ${describeJob(old, object)}`, ledger.key);
    if (by.kind === 'Manager' && by.observed.requestKey !== undefined)
      this.requests.checkJob({ old, job, observed: by.observed, ledger });
    else if (by.kind === 'Manager') this.#checkJob({ old, object }, job, { observed: by.observed, ledger });
    else if (old === undefined) ledger.addRun(job, undefined);
    ledger.recordJob(job, this.#setting.clock.now());
    const run = ledger.runs.get(job.metadata.uid);
    if (run !== undefined) run.isGone = object === undefined;
  }

  /** A reconcile may begin just before its clock is set. */
  #noteSkew({ clockReads }: ObservedReconcile, ledger: Ledger | undefined): void {
    const readMs = clockReads[0]?.getTime();
    if (ledger === undefined || readMs === undefined) return;
    if (Math.abs(readMs - this.#setting.clock.now().getTime()) > MAX_WAIT_MS) ledger.wasSkewed = true;
  }

  #checkJob(
    { old, object }: JobChange,
    job: Job,
    { observed, ledger }: { observed: ObservedReconcile; ledger: Ledger },
  ): void {
    const { view } = observed;
    const now = observed.clockReads[0];
    if (view === undefined || now === undefined) {
      this.reportBrokenRules(ledger.key, ['a reconcile reads the CronJob and the clock before it acts']);
      return;
    }
    if (old !== undefined && object !== undefined && !isBeingDeleted(object)) {
      this.reportBrokenRules(ledger.key, checkStartTimeout({ old, job, observed, view, now }));
      return;
    }
    if (old !== undefined) {
      this.counts.removals++;
      if (isActive(observed.jobs.get(old.metadata.uid) ?? old)) ledger.book.replaced.add(old.metadata.uid);
      const { namespace, annotations } = job.metadata;
      const requestOfJob = this.#setting.requests.objects.get(
        formatKey({ namespace, name: annotations?.[REQUESTED_BY_ANNOTATION] ?? '' }),
      );
      this.reportBrokenRules(ledger.key, checkRemoval({ job, observed, view, ledger, requestOfJob }));
      return;
    }
    this.#noteSkew(observed, ledger);
    const { uid } = job.metadata;
    const siblings = this.#setting.world.jobs
      .listByOwner(view.metadata.uid)
      .filter(({ metadata }) => metadata.uid !== uid);
    this.counts[isManual(job) ? 'manualRuns' : 'slotRuns']++;
    this.reportBrokenRules(
      ledger.key,
      checkStart({ job, observed, view, ledger, siblings, now, reportEffect: this.#reportEffect }),
    );
    ledger.addRun(job, isManual(job) ? view.metadata.annotations?.[RUN_NOW_ANNOTATION] : undefined);
  }

  readonly #reportEffect = (effect: Effect): void => this.#setting.faults.count(effect);

  #noteOwner(jobKey: string, uid: string): void {
    const owners = this.#ownersByJob.get(jobKey) ?? new Set();
    this.#ownersByJob.set(jobKey, owners.add(uid));
  }
}

function getMaxSlots({ view }: ObservedReconcile): number {
  // A reconcile whose read fails computes the next slot from the cache.
  if (view === undefined) return (1 + MAX_EXTRA_SCHEDULES) * MAX_SLOTS_BESIDE_EXCLUDED;
  const { schedules = [], exclude } = view.spec;
  return (1 + schedules.length) * (exclude === undefined ? MAX_SLOTS : MAX_SLOTS_BESIDE_EXCLUDED);
}

interface JobChange {
  readonly old: Job | undefined;
  readonly object: Job | undefined;
}

/** Whether it is one of the errors that the simulated calls throw. */
function isSimulatedError(error: unknown): boolean {
  return findApiError(error) !== undefined || error instanceof TimeoutError;
}

function describeEnd(end: ReconcileEnd): string {
  return end.kind === 'Threw' ? String(end.error) : JSON.stringify(end.result);
}

function describeCronJob(old: CronJob | undefined, { metadata, spec, status }: CronJob): string {
  if (old === undefined) return `creates it (${metadata.uid}): ${JSON.stringify({ ...spec, jobTemplate: undefined })}`;
  if (old.status !== status) return `writes status ${JSON.stringify(status)}`;
  const edit = Object.entries(spec).filter(([name]) => name !== 'jobTemplate');
  const run = metadata.annotations?.[RUN_NOW_ANNOTATION];
  const resume = metadata.annotations?.[RESUME_ANNOTATION];
  return `edits it: ${JSON.stringify(Object.fromEntries(edit))}, run now ${run}, resume ${resume}`;
}

function describeJob(old: Job | undefined, object: Job | undefined): string {
  if (object === undefined) return 'is gone';
  const deletion = isBeingDeleted(object) ? ', being deleted' : '';
  return `${old === undefined ? 'is created' : `is ${getEnding(object).kind}`}${deletion}`;
}
