/** Sends pending changes to one open page. */
import { type Clock, sleep } from 'controller-runtime';
import type { CronJobFeed, FeedReader } from './cron-job-feed.ts';
import type { EventStream } from './event-stream.ts';
import type { Changes, PageCronJob, Watch } from './messages.ts';

/** Changes within this time are sent together. */
export const GATHER_MS = 100;
const MAX_CHANGES = 200;

/** Sends CronJobs until the stream ends. */
export async function tellPage(feed: Pick<CronJobFeed, 'join'>, stream: EventStream, clock: Clock): Promise<void> {
  const page = new OpenPage(stream, clock);
  await page.begin();
  const leave = feed.join(page);
  try {
    await page.run();
  } finally {
    leave();
  }
}

/** Keeps only the newest version of each object: a client that does not read uses no more memory. */
class OpenPage implements FeedReader {
  readonly #stream: EventStream;
  readonly #clock: Clock;
  /** By UID; `undefined` for a deleted CronJob. */
  readonly #waiting = new Map<string, PageCronJob | undefined>();
  #watch: Watch = { kind: 'Reading' };
  #told: Watch = this.#watch;
  #wake = Promise.withResolvers<void>();

  constructor(stream: EventStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    stream.signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  changed(cronJob: PageCronJob): void {
    this.#waiting.set(cronJob.metadata.uid, cronJob);
    this.#wake.resolve();
  }

  deleted(uid: string): void {
    this.#waiting.set(uid, undefined);
    this.#wake.resolve();
  }

  watch(watch: Watch): void {
    this.#watch = watch;
    this.#wake.resolve();
  }

  async begin(): Promise<void> {
    await this.#stream.send(this.#told, 'watch');
  }

  async run(): Promise<void> {
    const { signal } = this.#stream;
    while (!signal.aborted) {
      await this.#tellAll();
      await this.#wake.promise;
      await sleep(this.#clock, GATHER_MS, signal);
    }
  }

  async #tellAll(): Promise<void> {
    this.#wake = Promise.withResolvers<void>();
    if (this.#stream.signal.aborted) return;
    while (this.#waiting.size > 0 && !this.#stream.signal.aborted) await this.#stream.send(this.#taken(), 'cronjobs');
    if (JSON.stringify(this.#watch) === JSON.stringify(this.#told)) return;
    this.#told = this.#watch;
    await this.#stream.send(this.#told, 'watch');
  }

  #taken(): Changes {
    const some = [...this.#waiting.entries()].slice(0, MAX_CHANGES);
    for (const [uid] of some) this.#waiting.delete(uid);
    return {
      changed: some.flatMap(([, cronJob]) => (cronJob === undefined ? [] : [cronJob])),
      deleted: some.flatMap(([uid, cronJob]) => (cronJob === undefined ? [uid] : [])),
    };
  }
}
