/**
 * How much of what is sent to the webhooks is in memory at once. Whoever reaches the port can send, and may have the address of the API
 * server or any number of others; so all limits are for all together, and made so that what the API server sends finds room while others
 * flood. Where there is too little room, the address that has the most gives way: docs/adr/0021-webhook-limits.md.
 */
import type { IncomingMessage } from 'node:http';
import { BodyRoom } from './body-room.ts';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-bounds.ts';
import { declaredBytes, type RequestBody, readBody } from './request-body.ts';
import { ReviewTurns } from './review-turns.ts';

const MIB = 1024 * 1024;

/** The API server takes no request above 3 MiB; an update carries the object twice, and the rest is for what the API server adds. */
const MAX_BODY_BYTES = 7 * MIB;
/** Most reviews are a few KiB. They have a room of their own, that no large one gets. */
const SMALL_BODY_BYTES = 256 * 1024;
const SMALL_BODIES_BYTES = 4 * MIB;
const LARGE_BODIES_BYTES = 2 * MAX_BODY_BYTES;
/** What the largest review takes when it is parsed, 44 MiB, fits into what is not reserved. */
const TURNS = { maxBytes: 64 * MIB, reservedBytes: 16 * MIB, smallBytes: MIB / 2, maxReviews: 64 } as const;

export type ReceivedReview =
  /** To be parsed and answered now. {@link done} must be called then, or its place is never given back. */
  { readonly kind: 'received'; readonly text: string; readonly done: () => void } | RefusedReview;

export interface RefusedReview {
  readonly kind: 'refused';
  /** HTTP status. */
  readonly code: number;
  /** `metav1.StatusReason`. */
  readonly reason: string;
  readonly message: string;
}

export class ReviewIntake {
  readonly #smallBodies = new BodyRoom(SMALL_BODIES_BYTES);
  readonly #largeBodies = new BodyRoom(LARGE_BODIES_BYTES);
  readonly #turns = new ReviewTurns(TURNS);

  /** Bytes of bodies, and bytes that parsed reviews take at most, that are in memory now. */
  get heldBytes(): { readonly bodies: number; readonly reviews: number } {
    const bodies = this.#smallBodies.heldBytes + this.#largeBodies.heldBytes;
    return { bodies, reviews: this.#turns.heldBytes };
  }

  /** Reads a review and waits for its turn. Rejects with the reason of `signal` when that aborts. */
  async receive(request: IncomingMessage, signal: AbortSignal): Promise<ReceivedReview> {
    signal.throwIfAborted();
    const bytes = declaredBytes(request) ?? MAX_BODY_BYTES;
    if (bytes > MAX_BODY_BYTES) return REFUSALS['too-large'];
    const stop = new AbortController();
    const room = bytes <= SMALL_BODY_BYTES ? this.#smallBodies : this.#largeBodies;
    const place = room.take({ bytes, sender: request.socket.remoteAddress, evict: () => stop.abort() });
    if (place === undefined) return TOO_MANY;
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort);
    try {
      const body = await readBody(request, bytes, stop.signal);
      signal.throwIfAborted();
      if (body.kind !== 'ok') return REFUSALS[body.kind];
      place.complete();
      const done = await this.#turns.enter(body.parsedBytes, stop.signal).catch(() => undefined);
      if (done !== undefined) return { kind: 'received', text: body.text, done };
      signal.throwIfAborted();
      return TOO_MANY;
    } finally {
      signal.removeEventListener('abort', onAbort);
      place.leave();
    }
  }
}

function refused(code: number, reason: string, message: string): RefusedReview {
  return { kind: 'refused', code, reason, message };
}

const TOO_MANY = refused(429, 'TooManyRequests', 'too many reviews wait for an answer: try again');

const REFUSALS: Readonly<Record<Exclude<RequestBody['kind'], 'ok'>, RefusedReview>> = {
  'too-large': refused(413, 'RequestEntityTooLarge', `the review is larger than ${MAX_BODY_BYTES} bytes`),
  'too-many-values': refused(413, 'RequestEntityTooLarge', `the review has more than ${MAX_JSON_VALUES} values`),
  'too-deep': refused(413, 'RequestEntityTooLarge', `the review is nested more than ${MAX_JSON_DEPTH} deep`),
  stopped: refused(503, 'ServiceUnavailable', 'the review was sent too slowly while others waited: try again'),
  'cut-off': refused(400, 'BadRequest', 'the review ended in the middle'),
};
