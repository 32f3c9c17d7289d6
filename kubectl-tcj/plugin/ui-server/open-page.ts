/** Sends changes of CronJobs to a page that is open in a browser. */
import { type Clock, sleep } from 'controller-runtime';
import type { CronJobFeed, FeedSubscriber } from './cron-job-feed.ts';
import type { EventStream } from './event-stream.ts';
import type { CronJobChanges, PageCronJob, WatchState } from './page-messages.ts';

/** The interval between two batches of changes. */
export const BATCH_INTERVAL_MS = 100;
const MAX_CHANGES_PER_EVENT = 200;

export async function streamChanges(
  feed: Pick<CronJobFeed, 'subscribe'>,
  stream: EventStream,
  clock: Clock,
): Promise<void> {
  const page = new OpenPage(stream, clock);
  await page.sendInitialWatchState();
  const unsubscribe = feed.subscribe(page);
  try {
    await page.sendUntilEnd();
  } finally {
    unsubscribe();
  }
}

/** A page that is open in a browser. Stores only the newest version of each CronJob, so that a slow browser uses little memory. */
class OpenPage implements FeedSubscriber {
  readonly #stream: EventStream;
  readonly #clock: Clock;
  /** The changed CronJobs by UID. The value is `undefined` for a deleted CronJob. */
  readonly #pendingChanges = new Map<string, PageCronJob | undefined>();
  #watchState: WatchState = { kind: 'Reading' };
  #sentWatchState: WatchState = this.#watchState;
  #changeSignal = Promise.withResolvers<void>();

  constructor(stream: EventStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    stream.signal.addEventListener('abort', () => this.#changeSignal.resolve(), { once: true });
  }

  onChange(cronJob: PageCronJob): void {
    this.#pendingChanges.set(cronJob.metadata.uid, cronJob);
    this.#changeSignal.resolve();
  }

  onDelete(uid: string): void {
    this.#pendingChanges.set(uid, undefined);
    this.#changeSignal.resolve();
  }

  onWatchState(watch: WatchState): void {
    this.#watchState = watch;
    this.#changeSignal.resolve();
  }

  async sendInitialWatchState(): Promise<void> {
    await this.#stream.send(this.#sentWatchState, 'watch');
  }

  async sendUntilEnd(): Promise<void> {
    const { signal } = this.#stream;
    while (!signal.aborted) {
      await this.#sendPendingChanges();
      await this.#changeSignal.promise;
      await sleep(this.#clock, BATCH_INTERVAL_MS, signal);
    }
  }

  async #sendPendingChanges(): Promise<void> {
    this.#changeSignal = Promise.withResolvers<void>();
    if (this.#stream.signal.aborted) return;
    while (this.#pendingChanges.size > 0 && !this.#stream.signal.aborted)
      await this.#stream.send(this.#takeChanges(), 'cronjobs');
    if (JSON.stringify(this.#watchState) === JSON.stringify(this.#sentWatchState)) return;
    this.#sentWatchState = this.#watchState;
    await this.#stream.send(this.#sentWatchState, 'watch');
  }

  #takeChanges(): CronJobChanges {
    const batch = [...this.#pendingChanges.entries()].slice(0, MAX_CHANGES_PER_EVENT);
    for (const [uid] of batch) this.#pendingChanges.delete(uid);
    return {
      changed: batch.flatMap(([, cronJob]) => (cronJob === undefined ? [] : [cronJob])),
      deleted: batch.flatMap(([uid, cronJob]) => (cronJob === undefined ? [uid] : [])),
    };
  }
}
