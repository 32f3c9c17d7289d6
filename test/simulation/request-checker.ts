/** Follows the real history of CronJobRuns, and checks every action of the manager on them against the rules. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import type { ObjectChange } from './collection.ts';
import type { Effect } from './effects.ts';
import {
  formatTime,
  getRequestedSlot,
  getScheduleKey,
  isActive,
  isBeingDeleted,
  latest,
  parseInstant,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { findRequestCondition, isFinishedStatus, type RequestedStart, RequestLedger } from './request-ledger.ts';
import { checkReplacedJob, checkRequestedStart } from './request-rules.ts';
import { checkRequestStatus } from './request-status-rules.ts';
import type { Setting } from './setting.ts';

interface RequestCheckerOptions {
  readonly setting: Setting;
  readonly getLedger: (uid: string) => Ledger | undefined;
  readonly report: (key: string, rules: readonly string[]) => void;
  /** Called after each reconcile of a CronJobRun. */
  readonly onReconcileEnd: (observed: ObservedReconcile) => void;
}

/** A change of a Job by a reconcile of a CronJobRun. */
interface JobChange {
  readonly old: Job | undefined;
  readonly job: Job;
  readonly observed: ObservedReconcile;
  readonly ledger: Ledger;
}

export class RequestChecker {
  readonly counts = {
    requestReconciles: 0,
    requestedRuns: 0,
    finishedRequests: 0,
    refusedRequests: 0,
  };
  readonly #options: RequestCheckerOptions;
  readonly #ledgers = new Map<string, RequestLedger>();
  /** Started runs by the UIDs of their Jobs. */
  readonly #starts = new Map<string, RequestedStart>();

  constructor(options: RequestCheckerOptions) {
    this.#options = options;
  }

  start(): void {
    const { requests, world } = this.#options.setting;
    requests.objects.listen((change) => this.#onRequest(change));
    world.cronJobs.listen(({ old, object }) => {
      if (old !== undefined && (object === undefined || getTimetableKey(old) !== getTimetableKey(object)))
        this.#forgetSlots(old);
    });
    world.jobs.listen(({ old, object }) => {
      if (old !== undefined && object === undefined) this.#noteGone(old);
    });
  }

  getLedger({ metadata }: CronJobRun): RequestLedger | undefined {
    return this.#ledgers.get(metadata.uid);
  }

  recordReconcile(observed: ObservedReconcile): void {
    this.counts.requestReconciles++;
    const ledger = observed.view && this.#options.getLedger(observed.view.metadata.uid);
    const isDeletedSafely = observed.deletesWithoutUid === 0;
    if (ledger !== undefined && !isDeletedSafely)
      this.#options.report(observed.key, ['a delete has a UID precondition']);
    this.#options.onReconcileEnd(observed);
  }

  checkJob(change: JobChange): void {
    const { old, job, observed, ledger } = change;
    const { view, request } = observed;
    const now = observed.clockReads.at(-1);
    if (view === undefined) {
      this.#options.report(ledger.key, ['a reconcile of a CronJobRun reads the CronJob before it acts']);
    } else if (old !== undefined) {
      this.#checkRemoval(change, view);
    } else if (request === undefined || now === undefined) {
      this.#options.report(ledger.key, ['a reconcile reads the CronJobRun and the clock before it starts a run']);
    } else {
      this.#checkStart(change, { view, request, now });
    }
    if (old === undefined) ledger.addRun(job, undefined);
  }

  #checkStart(
    { job, observed, ledger }: JobChange,
    { view, request, now }: { readonly view: CronJob; readonly request: CronJobRun; readonly now: Date },
  ): void {
    this.counts.requestedRuns++;
    const { world, faults } = this.#options.setting;
    const requestLedger = this.#ledgers.get(request.metadata.uid) ?? new RequestLedger(request);
    const siblings = world.jobs
      .listByOwner(view.metadata.uid)
      .filter(({ metadata }) => metadata.uid !== job.metadata.uid);
    const reportEffect = (effect: Effect) => faults.count(effect);
    if (siblings.some(isActive)) reportEffect('requested run beside another run');
    const start = { job, observed, view, ledger, siblings, now, reportEffect, request, requestLedger };
    this.#options.report(ledger.key, checkRequestedStart(start));
    const started = { job, slot: getRequestedSlot(job), isOrphaned: observed.isOrphaned, isGone: false };
    requestLedger.starts.push(started);
    this.#starts.set(job.metadata.uid, started);
  }

  #checkRemoval({ old, job, observed, ledger }: JobChange, view: CronJob): void {
    const { setting, report } = this.#options;
    if (old !== undefined && isActive(observed.jobs.get(old.metadata.uid) ?? old)) {
      ledger.book.replaced.add(old.metadata.uid);
      setting.faults.count('requested run replaced another run');
    }
    report(ledger.key, checkReplacedJob({ job, observed, view, ledger }));
  }

  #onRequest({ old, object, by }: ObjectChange<CronJobRun>): void {
    const { journal, requests } = this.#options.setting;
    const request = object ?? old;
    if (request === undefined) return;
    const key = requests.getCronJobKey(formatKey(request));
    const { name, uid } = request.metadata;
    journal.note(() => `${by.kind}: CronJobRun ${name} (${uid}) ${describeRequest(old, object)}`, key);
    const requestLedger = this.#ledgers.get(uid) ?? new RequestLedger(request);
    this.#ledgers.set(uid, requestLedger);
    if (object === undefined) {
      requestLedger.isDeleted = true;
      if (by.kind === 'Manager') this.#checkExpiry(key, request, by.observed);
      return;
    }
    if (by.kind === 'Manager' && old !== undefined)
      this.#checkStatus(key, { old, object, observed: by.observed, requestLedger });
    requestLedger.record(object);
  }

  #checkStatus(
    key: string,
    {
      old,
      object,
      observed,
      requestLedger,
    }: { old: CronJobRun; object: CronJobRun; observed: ObservedReconcile; requestLedger: RequestLedger },
  ): void {
    const { report, getLedger, setting } = this.#options;
    const { status = {} } = object;
    if (old === object) report(key, ['every status write of a CronJobRun changes the status']);
    if (old.status?.startTime === undefined && status.startTime !== undefined)
      this.#noteSlots(requestLedger, object, observed);
    const ledger = status.cronJobUID === undefined ? undefined : getLedger(status.cronJobUID);
    const reportEffect = (effect: Effect) => setting.faults.count(effect);
    report(key, checkRequestStatus({ old, status, requestLedger, ledger, reportEffect }));
    if (isFinishedStatus(status)) {
      const isAccepted = findRequestCondition({ status }, 'Accepted')?.status === 'True';
      this.counts[isAccepted ? 'finishedRequests' : 'refusedRequests']++;
    }
  }

  /** The CronJobRun was accepted. */
  #noteSlots(requestLedger: RequestLedger, { spec, metadata, status }: CronJobRun, observed: ObservedReconcile): void {
    const { getLedger, setting, report } = this.#options;
    const { view, clockReads } = observed;
    // An earlier reconcile has accepted it and could not store the status. The CronJob may have been edited since then.
    if (!clockReads.some((time) => formatTime(time) === status?.startTime)) return;
    const stored = view && setting.world.cronJobs.getByUid(view.metadata.uid);
    if (spec.backfill === undefined || view === undefined || stored === undefined) return;
    const ledger = getLedger(view.metadata.uid);
    // The status may have lost the time that `@every` counts from.
    if (ledger === undefined || ledger.wasPruned || getTimetableKey(stored) !== getTimetableKey(view)) return;
    const now = clockReads[0] ?? setting.clock.now();
    const slots = ledger.getSlots(view, now);
    const startTime = latest(parseInstant(spec.backfill.startTime));
    const endTime = latest(parseInstant(spec.backfill.endTime)).getTime() - 1;
    const until = new Date(Math.min(endTime, new Date(metadata.creationTimestamp ?? '').getTime()));
    const toFill = slots?.between(new Date(startTime.getTime() - 1), until, { limit: spec.backfill.limit + 1 }) ?? [];
    requestLedger.slotsAtAcceptance = { count: toFill.length };
    if (toFill.length === 0 || toFill.length > spec.backfill.limit)
      report(observed.key, ['an accepted backfill has a slot, and no more slots than its limit']);
  }

  #forgetSlots({ metadata: { namespace, name } }: CronJob): void {
    const { requests } = this.#options.setting;
    for (const request of requests.listOf(formatKey({ namespace, name }))) {
      const requestLedger = this.getLedger(request);
      if (requestLedger !== undefined) requestLedger.slotsAtAcceptance = undefined;
    }
  }

  #checkExpiry(key: string, { spec, status }: CronJobRun, { clockReads }: ObservedReconcile): void {
    const now = clockReads.at(-1);
    const ttlMs = (spec.ttlSecondsAfterFinished ?? Number.POSITIVE_INFINITY) * 1000;
    const isExpired =
      now !== undefined && latest(parseInstant(status?.completionTime)).getTime() + ttlMs <= now.getTime();
    this.#options.setting.faults.count('request expired');
    if (!isFinishedStatus(status) || !isExpired)
      this.#options.report(key, ['a CronJobRun is deleted only when ttlSecondsAfterFinished has passed']);
  }

  #noteGone({ metadata }: Job): void {
    const start = this.#starts.get(metadata.uid);
    if (start !== undefined) start.isGone = true;
  }
}

/** The fields that decide which slots exist. */
function getTimetableKey(cronJob: CronJob): string {
  return JSON.stringify([getScheduleKey(cronJob), cronJob.spec.exclude, cronJob.metadata.uid]);
}

function describeRequest(old: CronJobRun | undefined, object: CronJobRun | undefined): string {
  if (object === undefined) return 'is gone';
  if (old === undefined) return `is created: ${JSON.stringify(object.spec)} ${JSON.stringify(object.metadata.labels)}`;
  if (old.status !== object.status) return `has status ${JSON.stringify(object.status)}`;
  const deletion = isBeingDeleted(object) ? ', being deleted' : '';
  return `is changed: suspend ${object.spec.suspend}${deletion}`;
}
