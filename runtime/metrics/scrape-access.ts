/** Authenticates and authorizes scrapes with a TokenReview and a SubjectAccessReview of the API server. */
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { authentication, authorization, type SubjectAccessReview, type TokenReview } from '../kubernetes/access.ts';
import type { NewObject } from '../kubernetes/object.ts';

const CACHE_MS = 60_000;
/** Size of each cache. QuickLRU may store up to twice as many results. */
const MAX_CACHED = 128;
const REVIEW_TIMEOUT_MS = 10_000;
/**
 * Maximum number of concurrent reviews of unknown tokens. Without a limit, any client that reaches the port could
 * overload the API server.
 */
const MAX_REVIEWS_IN_FLIGHT = 4;
const MAX_REVIEWS_PER_SECOND = 5;

export type AccessResult =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string }
  /** Too many unknown tokens are under review. The client can retry. */
  | { readonly kind: 'busy' };

/** The action that the client needs permission for, such as `get` on `/metrics`. */
export interface AccessAttempt {
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const { tokenReviews } = authentication.v1;
const { subjectAccessReviews } = authorization.v1;

/** A review has no name, because the API server does not store it. */
const UNNAMED = { name: '' };

export interface ScrapeAccessOptions {
  /** Requires permission to create tokenreviews and subjectaccessreviews. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
  /** Accepted audiences of a token. Default: the API server's audiences. */
  readonly audiences?: readonly string[];
}

interface CachedAccess {
  readonly access: Promise<AccessResult>;
  readonly untilMs: number;
}

/**
 * Checks the access of scrapes, and caches each result for a minute by the hash of the token. Reviews of tokens that
 * had access before are unlimited. Reviews of all other tokens have a common rate limit, so a flood of unknown tokens
 * cannot overload the API server or block known tokens.
 */
export class ScrapeAccess {
  readonly #client: ScrapeAccessOptions['client'];
  readonly #clock: Clock;
  readonly #audiences: readonly string[];
  /** Results of tokens that had access at their last review. */
  readonly #allowed = new QuickLRU<string, CachedAccess>({ maxSize: MAX_CACHED });
  readonly #notAllowed = new QuickLRU<string, CachedAccess>({ maxSize: MAX_CACHED });
  #inFlight = 0;
  #currentSecond = { startedMs: Number.NEGATIVE_INFINITY, reviews: 0 };

  constructor({ client, clock, audiences = [] }: ScrapeAccessOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#audiences = audiences;
  }

  /**
   * Returns the cached result or reviews the token. Rejects if the API server does not respond; this failure is not
   * cached.
   * @param authorization Value of the request header `authorization`.
   */
  check(authorization: string | undefined, attempt: AccessAttempt): Promise<AccessResult> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return Promise.resolve({ kind: 'unauthenticated' });
    const key = createHash('sha256').update(`${token} ${attempt.verb} ${attempt.path}`).digest('base64');
    const allowed = this.#allowed.get(key);
    const cached = allowed ?? this.#notAllowed.get(key);
    if (cached !== undefined && this.#clock.monotonicMs() < cached.untilMs) return cached.access;
    if (allowed === undefined && !this.#mayReview()) return Promise.resolve({ kind: 'busy' });
    return this.#startReview(key, allowed !== undefined, (signal) => this.#review(token, attempt, signal));
  }

  #mayReview(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#currentSecond.startedMs >= 1000) this.#currentSecond = { startedMs: nowMs, reviews: 0 };
    return this.#inFlight < MAX_REVIEWS_IN_FLIGHT && this.#currentSecond.reviews < MAX_REVIEWS_PER_SECOND;
  }

  async #startReview(
    key: string,
    wasAllowed: boolean,
    review: (signal: AbortSignal) => Promise<AccessResult>,
  ): Promise<AccessResult> {
    const limit = { clock: this.#clock, timeoutMs: REVIEW_TIMEOUT_MS };
    const access = withTimeout(limit, review);
    const cached = { access, untilMs: this.#clock.monotonicMs() + CACHE_MS };
    (wasAllowed ? this.#allowed : this.#notAllowed).set(key, cached);
    if (!wasAllowed) this.#currentSecond.reviews++;
    if (!wasAllowed) this.#inFlight++;
    try {
      const { kind } = await access;
      const [from, to] = kind === 'allowed' ? [this.#notAllowed, this.#allowed] : [this.#allowed, this.#notAllowed];
      from.delete(key);
      to.set(key, cached);
    } catch {
      // The API server has not rejected the known token, so it remains known. Its next check starts another review.
      if (wasAllowed) this.#allowed.set(key, { ...cached, untilMs: Number.NEGATIVE_INFINITY });
      else this.#notAllowed.delete(key);
    } finally {
      if (!wasAllowed) this.#inFlight--;
    }
    return await access;
  }

  async #review(token: string, attempt: AccessAttempt, signal: AbortSignal): Promise<AccessResult> {
    const user = await this.#authenticate(token, signal);
    if (user === undefined) return { kind: 'unauthenticated' };
    const isAllowed = await this.#authorize(user, attempt, signal);
    return isAllowed ? { kind: 'allowed' } : { kind: 'forbidden', user: user.username ?? '' };
  }

  async #authenticate(token: string, signal: AbortSignal): Promise<ReviewedUser | undefined> {
    const review: NewObject<TokenReview> = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: UNNAMED,
      spec: { token, ...(this.#audiences.length > 0 && { audiences: this.#audiences }) },
    };
    try {
      const { status } = await this.#client.create(tokenReviews, review, { signal });
      if (status?.authenticated !== true || !this.#matchesAudience(status.audiences)) return undefined;
      return status.user ?? {};
    } catch (cause) {
      throw new Error('create TokenReview', { cause });
    }
  }

  /** An API server that does not support audiences ignores them and returns an empty list, so access is denied. */
  #matchesAudience(audiences: readonly string[] = []): boolean {
    return this.#audiences.length === 0 || this.#audiences.some((audience) => audiences.includes(audience));
  }

  async #authorize(user: ReviewedUser, attempt: AccessAttempt, signal: AbortSignal): Promise<boolean> {
    const { username, ...rest } = user;
    const review: NewObject<SubjectAccessReview> = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: UNNAMED,
      spec: { ...rest, ...(username !== undefined && { user: username }), nonResourceAttributes: attempt },
    };
    try {
      const { status } = await this.#client.create(subjectAccessReviews, review, { signal });
      return status?.allowed === true;
    } catch (cause) {
      throw new Error('create SubjectAccessReview', { cause });
    }
  }
}
