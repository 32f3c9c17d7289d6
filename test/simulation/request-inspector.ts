/** Checks CronJobRuns when they are at rest, and whether they make progress in calm periods. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { HOUR_MS, MINUTE_MS } from './durations.ts';
import {
  findBrokenRules,
  getEnding,
  getRunLimit,
  isActive,
  isBeingDeleted,
  isBlocking,
  isRequested,
  latest,
  parseInstant,
} from './facts.ts';
import { InspectionQueue, PATIENCE_MS, REST_MS } from './inspection-queue.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import type { Operations } from './operations.ts';
import { findRequestCondition, isFinishedStatus, isJobOfRequest } from './request-ledger.ts';
import { checkRepeatedReconcile } from './rest-rules.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';

/** A CronJobRun that could not be accepted for so long has failed. */
const ACCEPTANCE_MS = HOUR_MS + MINUTE_MS;
const DEFAULT_HISTORY_LIMIT = 3;

/** The state of a CronJobRun that does not change. */
interface Standstill {
  readonly state: string;
  readonly sinceMs: number;
}

export class RequestInspector {
  readonly counts = { requestRests: 0, repeatedRequestReconciles: 0 };
  readonly #setting: Setting;
  readonly #checker: RuleChecker;
  readonly #operations: Operations;
  readonly #queue: InspectionQueue;
  /** By UID, since the last change or the last reason not to make progress; on the monotonic clock. */
  readonly #standstills = new Map<string, Standstill>();
  /** UIDs of CronJobs that had too many finished Jobs at the last patrol. */
  #longHistories = new Set<string>();

  constructor(setting: Setting, checker: RuleChecker, operations: Operations) {
    this.#setting = setting;
    this.#checker = checker;
    this.#operations = operations;
    this.#queue = new InspectionQueue(setting.clock, (requestKey) => {
      const request = setting.requests.objects.get(requestKey);
      if (request !== undefined && this.#isAtRest(request)) this.#inspect(request);
    });
  }

  start(): void {
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      for (const request of this.#setting.requests.objects.list()) this.#findStuck(request);
      this.#findLongHistories();
      this.start();
    });
  }

  /** Call this when a reconcile of a CronJobRun has ended. */
  readonly scheduleInspection = ({ objectKey }: Pick<ObservedReconcile, 'objectKey'>): void => {
    this.#queue.schedule(objectKey);
  };

  #isAtRest(request: CronJobRun): boolean {
    const { faults, requests } = this.#setting;
    const { process } = this.#operations;
    const key = requests.getCronJobKey(formatKey(request));
    const isCalm = faults.callFaultFreeMs(key) > PATIENCE_MS && this.#isClockCorrect();
    return isCalm && process?.isIdle(key) === true && process.requests.isIdle(formatKey(request));
  }

  #isClockCorrect(): boolean {
    return this.#operations.process?.machine.isClockCorrect(PATIENCE_MS) === true;
  }

  #inspect(request: CronJobRun): void {
    const { requests } = this.#setting;
    const key = requests.getCronJobKey(formatKey(request));
    this.counts.requestRests++;
    const active = this.#listActive(request);
    const { jobs: entries = [] } = request.status ?? {};
    const running = entries.filter(({ result }) => result === 'Running').map(({ name }) => name);
    const isOpen = request.status?.startTime !== undefined && !isFinishedStatus(request.status);
    this.#checker.reportBrokenRules(
      key,
      findBrokenRules({
        'at rest a CronJobRun has a status': request.status !== undefined,
        'at rest a CronJobRun lists its active Jobs': active.toSorted().join() === running.toSorted().join() || !isOpen,
      }),
    );
    const isWaiting = findRequestCondition(request, 'Complete')?.reason === 'Waiting';
    if (this.counts.requestRests % 8 === 0 && !isWaiting && !isBeingDeleted(request))
      void this.#repeatReconcile(request);
  }

  /** Names of its Jobs that have not ended. */
  #listActive(request: CronJobRun): readonly string[] {
    const { world } = this.#setting;
    const owned = world.jobs.listByOwner(request.status?.cronJobUID ?? '');
    return owned.filter((job) => isActive(job) && isJobOfRequest(request, job)).map(({ metadata }) => metadata.name);
  }

  /** The manager deletes the Jobs between two patrols, because the longest wait of a reconcile is shorter. */
  #findLongHistories(): void {
    const before = this.#longHistories;
    const isLong = (cronJob: CronJob) => this.#isCalm(formatKey(cronJob)) && this.#hasLongHistory(cronJob);
    const cronJobs = this.#setting.world.cronJobs.list().filter(isLong);
    this.#longHistories = new Set(cronJobs.map(({ metadata }) => metadata.uid));
    for (const cronJob of cronJobs.filter(({ metadata }) => before.has(metadata.uid)))
      this.#checker.reportBrokenRules(formatKey(cronJob), [
        'the requested history has at most requestedRunsHistoryLimit Jobs',
      ]);
  }

  #hasLongHistory(cronJob: CronJob): boolean {
    if (this.#checker.getLedger(cronJob)?.wasPruned !== false || isBeingDeleted(cronJob)) return false;
    const endedBefore = this.#setting.clock.now().getTime() - PATIENCE_MS;
    const finished = this.#setting.world.jobs
      .listByOwner(cronJob.metadata.uid)
      .filter(
        (job) =>
          isRequested(job) && !isBeingDeleted(job) && !isBlocking(job, cronJob) && hasEndedBefore(job, endedBefore),
      );
    return finished.length > (cronJob.spec.requestedRunsHistoryLimit ?? DEFAULT_HISTORY_LIMIT);
  }

  /** One more reconcile must do nothing. */
  async #repeatReconcile(request: CronJobRun): Promise<void> {
    const { namespace, name } = request.metadata;
    const key = this.#setting.requests.getCronJobKey(formatKey(request));
    const waitMs = this.#expiryMs(request) - this.#setting.clock.now().getTime();
    if (Math.abs(waitMs) < REST_MS || namespace === undefined) return;
    this.counts.repeatedRequestReconciles++;
    this.#setting.journal.note(() => `another reconcile of ${name}`, key);
    const observed = await this.#operations.process?.requests.reconcileAgain({ namespace, name });
    if (observed?.failedCalls === 0) this.#checker.reportBrokenRules(key, checkRepeatedReconcile(observed));
  }

  #expiryMs({ spec, status }: CronJobRun): number {
    const ttlMs = (spec.ttlSecondsAfterFinished ?? Number.POSITIVE_INFINITY) * 1000;
    return latest(parseInstant(status?.completionTime)).getTime() + ttlMs;
  }

  #findStuck(request: CronJobRun): void {
    const { clock, requests } = this.#setting;
    const { uid, resourceVersion } = request.metadata;
    const nowMs = clock.monotonicMs();
    const before = this.#standstills.get(uid);
    const started = this.#checker.requests.getLedger(request)?.starts.length;
    const state = `${resourceVersion} ${started}`;
    if (before?.state !== state || !this.#mustProgress(request)) this.#standstills.set(uid, { state, sinceMs: nowMs });
    else if (nowMs - before.sinceMs > 2 * PATIENCE_MS)
      this.#checker.reportBrokenRules(requests.getCronJobKey(formatKey(request)), [
        `without faults every CronJobRun makes progress (${request.metadata.name})`,
      ]);
  }

  /** Whether nothing excuses a CronJobRun that does not change. */
  #mustProgress(request: CronJobRun): boolean {
    const { spec, status, metadata } = request;
    const now = this.#setting.clock.now();
    if (!this.#isCalm(this.#setting.requests.getCronJobKey(formatKey(request))) || isBeingDeleted(request))
      return false;
    if (isFinishedStatus(status)) return this.#expiryMs(request) + MINUTE_MS < now.getTime();
    if (status?.startTime === undefined)
      return now.getTime() - latest(parseInstant(metadata.creationTimestamp)).getTime() > ACCEPTANCE_MS;
    if (this.#listActive(request).length > 0) return false;
    const cronJob = this.#setting.world.cronJobs.get(this.#setting.requests.getCronJobKey(formatKey(request)));
    if (cronJob === undefined || cronJob.metadata.uid !== status.cronJobUID) return true;
    if (findRequestCondition(request, 'Accepted')?.status !== 'True') return false;
    const { total = 0, active = 0, succeeded = 0, failed = 0, skipped = 0 } = status;
    const hasMore = total > active + succeeded + failed + skipped;
    return !hasMore || (spec.suspend !== true && this.#mayStart(cronJob, spec));
  }

  #isCalm(key: string): boolean {
    return this.#operations.isFaultFree(key) && this.#isClockCorrect();
  }

  #mayStart(cronJob: CronJob, { concurrencyPolicy }: CronJobRun['spec']): boolean {
    if (concurrencyPolicy === 'Ignore') return true;
    const active = this.#setting.world.jobs.listByOwner(cronJob.metadata.uid).filter((job) => isBlocking(job, cronJob));
    if (active.length >= getRunLimit(cronJob)) return false;
    if (cronJob.spec.concurrencyPolicy !== 'Replace' || active.length === 0) return true;
    return this.#checker.getLedger(cronJob)?.wasPruned === false && !active.some(isRequested);
  }
}

function hasEndedBefore(job: Job, timeMs: number): boolean {
  const ending = getEnding(job);
  return ending.kind !== 'Active' && new Date(ending.at).getTime() < timeMs;
}
