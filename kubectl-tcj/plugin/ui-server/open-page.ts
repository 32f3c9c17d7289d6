/** Sends pending changes to one open page. */
import { type Clock, sleep } from 'controller-runtime';
import type { CronJobFeed, FeedSubscriber } from './cron-job-feed.ts';
import type { EventStream } from './event-stream.ts';
import type { Changes, PageCronJob, Watch } from './messages.ts';

/** Changes within this time are sent together. */
export const GATHER_MS = 100;
const MAX_CHANGES = 200;

/** Sends CronJobs until the stream ends. */
export async function streamChanges(
  feed: Pick<CronJobFeed, 'subscribe'>,
  stream: EventStream,
  clock: Clock,
): Promise<void> {
  const page = new OpenPage(stream, clock);
  await page.begin();
  const leave = feed.subscribe(page);
  try {
    await page.run();
  } finally {
    leave();
  }
}

/** Keeps only the newest version of each object: a client that does not read uses no more memory. */
class OpenPage implements FeedSubscriber {
  readonly #stream: EventStream;
  readonly #clock: Clock;
  /** By UID; `undefined` for a deleted CronJob. */
  readonly #pending = new Map<string, PageCronJob | undefined>();
  #watch: Watch = { kind: 'Reading' };
  #sentWatch: Watch = this.#watch;
  #wake = Promise.withResolvers<void>();

  constructor(stream: EventStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    stream.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  changed(cronJob: PageCronJob): void {
    this.#pending.set(cronJob.metadata.uid, cronJob);
    this.#wake.resolve();
  }

  deleted(uid: string): void {
    this.#pending.set(uid, undefined);
    this.#wake.resolve();
  }

  watch(watch: Watch): void {
    this.#watch = watch;
    this.#wake.resolve();
  }

  async begin(): Promise<void> {
    await this.#stream.send(this.#sentWatch, 'watch');
  }

  async run(): Promise<void> {
    const { signal } = this.#stream;
    while (!signal.aborted) {
      await this.#sendAll();
      await this.#wake.promise;
      await sleep(this.#clock, GATHER_MS, signal);
    }
  }

  async #sendAll(): Promise<void> {
    this.#wake = Promise.withResolvers<void>();
    if (this.#stream.signal.aborted) return;
    while (this.#pending.size > 0 && !this.#stream.signal.aborted)
      await this.#stream.send(this.#takeChanges(), 'cronjobs');
    if (JSON.stringify(this.#watch) === JSON.stringify(this.#sentWatch)) return;
    this.#sentWatch = this.#watch;
    await this.#stream.send(this.#sentWatch, 'watch');
  }

  #takeChanges(): Changes {
    const some = [...this.#pending.entries()].slice(0, MAX_CHANGES);
    for (const [uid] of some) this.#pending.delete(uid);
    return {
      changed: some.flatMap(([, cronJob]) => (cronJob === undefined ? [] : [cronJob])),
      deleted: some.flatMap(([uid, cronJob]) => (cronJob === undefined ? [uid] : [])),
    };
  }
}
