/** Watches the CronJobs of the cluster. All open pages share the watch. */
import { type Cancel, type Clock, formatKey, type Transport } from 'controller-runtime';
import { discardLogger, Reflector } from 'controller-runtime/internal';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { cronJobs } from '../cron-jobs.ts';
import { toBrokenWatchState, type WatchTarget } from './http-error.ts';
import { type CachedCronJob, toCachedCronJob, toPageCronJob } from './page-cron-job.ts';
import type { PageCronJob, WatchState } from './page-messages.ts';

/** Receives every change. The methods must return immediately. */
export interface FeedSubscriber {
  onChange(cronJob: PageCronJob): void;
  onDelete(uid: string): void;
  onWatchState(watch: WatchState): void;
}

export interface FeedOptions extends WatchTarget {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Receives a message when the watch is lost or restored. */
  readonly notify: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** A watch may open and fail in its first event, so the feed does not report a new watch at once. */
const RESUME_DELAY_MS = 1000;

export class CronJobFeed {
  readonly #options: FeedOptions;
  readonly #cache = new Map<string, CachedCronJob>();
  readonly #subscribers = new Set<FeedSubscriber>();
  #watchState: WatchState = { kind: 'Reading' };
  #isLossReported = false;
  /** Stops the current reflector. */
  #reflectorController: AbortController | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#reflectorController?.abort(), { once: true });
  }

  /**
   * Notifies the subscriber of all CronJobs, and then of each change. The first subscriber starts the watch. A new
   * subscriber also restarts a broken watch, because a user who reloads the page expects a new attempt.
   * @returns a function that removes the subscriber.
   */
  subscribe(subscriber: FeedSubscriber): () => void {
    if (this.#reflectorController === undefined || this.#watchState.kind === 'Broken') this.#start();
    this.#subscribers.add(subscriber);
    for (const cronJob of this.#cache.values()) subscriber.onChange(toPageCronJob(cronJob));
    subscriber.onWatchState(this.#watchState);
    return () => void this.#subscribers.delete(subscriber);
  }

  #start(): void {
    this.#reflectorController?.abort();
    const { transport, clock, namespace, signal } = this.#options;
    if (signal.aborted) return;
    const reflectorController = new AbortController();
    this.#reflectorController = reflectorController;
    const reflector = new Reflector<StoredCronJob>({
      resource: cronJobs,
      namespace,
      transport,
      clock,
      log: discardLogger,
      sink: this.#createSink(reflectorController.signal),
    });
    void reflector.run(reflectorController.signal);
  }

  /** @param signal Aborts when a new reflector replaces the reflector of this sink. */
  #createSink(signal: AbortSignal) {
    let isListComplete = false;
    let cancelResume: Cancel = () => {};
    const resume = () => {
      if (isListComplete && !signal.aborted) this.#publishWatchState({ kind: 'Live' });
    };
    return {
      // The Job template is removed to save memory, because the pages do not show it.
      convert: (cronJob: StoredCronJob) => toCachedCronJob(cronJob) as CachedCronJob & StoredCronJob,
      onRelist: () => {
        isListComplete = false;
      },
      replace: (cronJobs: readonly CachedCronJob[]) => {
        if (signal.aborted) return;
        this.#replace(cronJobs);
        isListComplete = true;
        this.#publishWatchState({ kind: 'Live' });
      },
      upsert: (cronJob: CachedCronJob) => this.#upsert(cronJob),
      remove: (cronJob: StoredCronJob) => this.#remove(formatKey(cronJob)),
      onResume: () => {
        cancelResume = this.#options.clock.schedule(RESUME_DELAY_MS, resume);
      },
      onFailure: (error: unknown) => {
        cancelResume();
        const brokenState = signal.aborted ? undefined : toBrokenWatchState(error, this.#options);
        if (brokenState) this.#publishWatchState(brokenState);
      },
    };
  }

  #publishWatchState(watch: WatchState): void {
    if (watch.kind === 'Broken' && !this.#isLossReported) this.#options.notify(`${watch.message} Reconnecting.`);
    if (watch.kind === 'Live' && this.#isLossReported) this.#options.notify('Reconnected to the API server.');
    if (watch.kind !== 'Reading') this.#isLossReported = watch.kind === 'Broken';
    this.#watchState = watch;
    for (const subscriber of this.#subscribers) subscriber.onWatchState(watch);
  }

  #replace(cronJobs: readonly CachedCronJob[]): void {
    const currentKeys = new Set(cronJobs.map(formatKey));
    for (const key of [...this.#cache.keys()].filter((each) => !currentKeys.has(each))) this.#remove(key);
    for (const cronJob of cronJobs) this.#upsert(cronJob);
  }

  #upsert(cronJob: CachedCronJob): void {
    const key = formatKey(cronJob);
    const cachedCronJob = this.#cache.get(key);
    if (cachedCronJob?.metadata.resourceVersion === cronJob.metadata.resourceVersion) return;
    if (cachedCronJob !== undefined && cachedCronJob.metadata.uid !== cronJob.metadata.uid) this.#remove(key);
    this.#cache.set(key, cronJob);
    const pageCronJob = toPageCronJob(cronJob);
    for (const subscriber of this.#subscribers) subscriber.onChange(pageCronJob);
  }

  #remove(key: string): void {
    const cachedCronJob = this.#cache.get(key);
    if (cachedCronJob === undefined) return;
    this.#cache.delete(key);
    for (const subscriber of this.#subscribers) subscriber.onDelete(cachedCronJob.metadata.uid);
  }
}
