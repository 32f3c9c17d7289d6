/**
 * A process that has good reviews answered as an API server does, forked by hostile-webhooks.ts: it has little else to do, so what it
 * measures is the server.
 *
 * Begins when it is told the port; answers with {@link GoodReviews} when it was told to stop, and has seen enough of each kind.
 */
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { postReview } from 'controller-runtime/testing';
import { cronJobReview, PATH } from './cronjob-review.ts';

const LEAST_OF_EACH = 100;
/** After so long it stops even if it was answered less often. */
const LONGEST_MS = 15_000;
const PAUSE_MS = 20;
/** `timeoutSeconds` of the webhooks. */
const TIMEOUT_MS = 10_000;

export interface GoodReview {
  /** Over one connection that is kept, or over a new one. */
  readonly connection: 'kept' | 'new';
  /** When it was over, since the epoch. */
  readonly atMs: number;
  readonly tookMs: number;
  /** The code of the answer, or why there was none. */
  readonly what: string;
  /** How often it was told to try again. */
  readonly retries: number;
}

export interface GoodReviews {
  readonly reviews: readonly GoodReview[];
}

const kept = new Agent({ keepAlive: true, maxSockets: 1 });
const body = cronJobReview({ schedule: '0 * * * *', suspend: true });

/** Like client-go, tries again when that is asked for, and not after errors of the connection. */
async function review(connection: GoodReview['connection'], port: number): Promise<GoodReview> {
  const [startedMs, signal] = [performance.now(), AbortSignal.timeout(TIMEOUT_MS)];
  const agent = connection === 'kept' ? kept : false;
  let [what, retries] = ['', 0];
  try {
    for (; ; retries++) {
      const { code, headers } = await postReview({ port, path: PATH, body, signal, connection: { agent } });
      what = String(code);
      const retryAfter = headers['retry-after'];
      if (code === 200 || retryAfter === undefined || retries === 10) break;
      await sleep(Number(retryAfter) * 1_000, undefined, { signal });
    }
  } catch (error) {
    what = signal.aborted ? 'timed out' : ((error as NodeJS.ErrnoException).code ?? String(error));
  }
  const nowMs = performance.now();
  return { connection, atMs: performance.timeOrigin + nowMs, tookMs: nowMs - startedMs, what, retries };
}

const reviews: GoodReview[] = [];
let isOver = false;
const [port] = (await once(process, 'message')) as [number];
process.once('message', () => {
  isOver = true;
});
for (let count = 0; !isOver || (count < LEAST_OF_EACH && performance.now() < LONGEST_MS); count++) {
  reviews.push(await review('kept', port), await review('new', port));
  await sleep(PAUSE_MS);
}
process.send?.({ reviews } satisfies GoodReviews, () => process.disconnect());
