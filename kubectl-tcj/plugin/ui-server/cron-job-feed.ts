/** Watches the CronJobs of the cluster for all open pages: one watch, however many pages are open. */
import { type ApiRequest, type Clock, discardLogger, formatKey, Reflector, type Transport } from 'controller-runtime';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { cronJobs } from '../cron-jobs.ts';
import type { PageCronJob, Watch } from './messages.ts';
import { type CachedCronJob, toCachedCronJob, toPageCronJob } from './page-cron-job.ts';
import { toBrokenWatch, type WatchTarget } from './refusal.ts';

/** Receives every change. Must not wait. */
export interface FeedSubscriber {
  changed(cronJob: PageCronJob): void;
  deleted(uid: string): void;
  watch(watch: Watch): void;
}

export interface FeedOptions extends WatchTarget {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Takes a sentence when the watch is lost, and another when it is restored. */
  readonly notify: (sentence: string) => void;
  /** Ends the feed. */
  readonly signal: AbortSignal;
}

export class CronJobFeed {
  readonly #options: FeedOptions;
  readonly #cache = new Map<string, CachedCronJob>();
  readonly #subscribers = new Set<FeedSubscriber>();
  #watch: Watch = { kind: 'Reading' };
  /** Whether the loss was reported. */
  #isLost = false;
  /** Aborts the running reflector. */
  #running: AbortController | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#running?.abort(), { once: true });
  }

  /**
   * Immediately notifies the reader of all CronJobs, and from then on of changes. The first reader starts the watch. A reader that
   * joins while the watch is broken makes it retry now, because a user has reloaded the page.
   * @returns a function that removes the reader.
   */
  subscribe(reader: FeedSubscriber): () => void {
    if (this.#running === undefined || this.#watch.kind === 'Broken') this.#start();
    this.#subscribers.add(reader);
    for (const cronJob of this.#cache.values()) reader.changed(toPageCronJob(cronJob));
    reader.watch(this.#watch);
    return () => void this.#subscribers.delete(reader);
  }

  #start(): void {
    this.#running?.abort();
    const { transport, clock, namespace, signal } = this.#options;
    if (signal.aborted) return;
    const running = new AbortController();
    this.#running = running;
    const reflector = new Reflector<StoredCronJob>({
      resource: cronJobs,
      namespace,
      transport: observeTransport(transport, (error) => {
        const broken = toBrokenWatch(error, this.#options);
        if (broken) this.#publishWatch(broken);
      }),
      clock,
      log: discardLogger,
      sink: this.#sink(running.signal),
    });
    void reflector.run(running.signal);
  }

  /** @param signal Aborts when another reflector has replaced this one. */
  #sink(signal: AbortSignal) {
    let hasAll = false;
    return {
      // A held CronJob lacks the template, which no reader needs.
      convert: (cronJob: StoredCronJob) => toCachedCronJob(cronJob) as CachedCronJob & StoredCronJob,
      onRelist: () => {
        hasAll = false;
      },
      replace: (all: readonly CachedCronJob[]) => {
        if (signal.aborted) return;
        this.#replace(all);
        hasAll = true;
        this.#publishWatch({ kind: 'Live' });
      },
      upsert: (cronJob: CachedCronJob) => this.#upsert(cronJob),
      remove: (cronJob: StoredCronJob) => this.#remove(formatKey(cronJob)),
      onResume: () => {
        if (hasAll) this.#publishWatch({ kind: 'Live' });
      },
    };
  }

  #publishWatch(watch: Watch): void {
    if (watch.kind === 'Broken' && !this.#isLost) this.#options.notify(`${watch.message} Reconnecting.`);
    if (watch.kind === 'Live' && this.#isLost) this.#options.notify('Reconnected to the API server.');
    if (watch.kind !== 'Reading') this.#isLost = watch.kind === 'Broken';
    this.#watch = watch;
    for (const reader of this.#subscribers) reader.watch(watch);
  }

  #replace(all: readonly CachedCronJob[]): void {
    const present = new Set(all.map(formatKey));
    for (const key of [...this.#cache.keys()].filter((each) => !present.has(each))) this.#remove(key);
    for (const cronJob of all) this.#upsert(cronJob);
  }

  #upsert(cronJob: CachedCronJob): void {
    const key = formatKey(cronJob);
    const old = this.#cache.get(key);
    if (old?.metadata.resourceVersion === cronJob.metadata.resourceVersion) return;
    if (old !== undefined && old.metadata.uid !== cronJob.metadata.uid) this.#remove(key);
    this.#cache.set(key, cronJob);
    const changed = toPageCronJob(cronJob);
    for (const reader of this.#subscribers) reader.changed(changed);
  }

  #remove(key: string): void {
    const old = this.#cache.get(key);
    if (old === undefined) return;
    this.#cache.delete(key);
    for (const reader of this.#subscribers) reader.deleted(old.metadata.uid);
  }
}

/** A transport that reports each failed request. A reflector retries, and reports failures only in its log. */
function observeTransport(transport: Transport, failed: (error: unknown) => void): Transport {
  const watched = async <T>({ signal }: ApiRequest, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (!signal?.aborted) failed(error);
      throw error;
    }
  };
  return {
    request: (request) => watched(request, transport.request(request)),
    stream: (request) => watched(request, transport.stream(request)),
  };
}
