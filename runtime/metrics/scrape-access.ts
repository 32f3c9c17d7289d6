/** Authenticates and authorizes scrapes with a TokenReview and a SubjectAccessReview of the API server. */
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { authentication, authorization, type SubjectAccessReview, type TokenReview } from '../kubernetes/access.ts';
import type { NewObject } from '../kubernetes/object.ts';

const RESULT_TTL_MS = 60_000;
/** Maximum number of entries in each cache of results. QuickLRU may store up to twice as many entries. */
const MAX_CACHED_RESULTS = 128;
const REVIEW_TIMEOUT_MS = 10_000;
/** Limits reviews of unknown tokens, because otherwise any client could overload the API server with unknown tokens. */
const MAX_REVIEWS_IN_FLIGHT = 4;
const MAX_REVIEWS_PER_SECOND = 5;

export type AccessResult =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string }
  /** Too many unknown tokens are under review. The client can retry. */
  | { readonly kind: 'busy' };

/** The action that the client needs permission for, such as `get` on `/metrics`. */
export interface AccessRequest {
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

interface TokenUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const { tokenReviews } = authentication.v1;
const { subjectAccessReviews } = authorization.v1;

/** Reviews have no names, because the API server does not store reviews. */
const EMPTY_METADATA = { name: '' };

export interface ScrapeAccessOptions {
  /** The client needs permission to create tokenreviews and subjectaccessreviews. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
  /** Accepted audiences of a token. Default: the API server's audiences. */
  readonly audiences?: readonly string[];
}

interface CachedResult {
  readonly access: Promise<AccessResult>;
  readonly expiresMs: number;
}

/**
 * Checks whether a client may scrape the metrics. Caches each result for a minute, by the hash of the token. The number
 * of reviews is not limited for tokens that had access before. Unknown tokens share one rate limit, so a flood of
 * unknown tokens cannot overload the API server or block known tokens.
 */
export class ScrapeAccess {
  readonly #client: ScrapeAccessOptions['client'];
  readonly #clock: Clock;
  readonly #audiences: readonly string[];
  /** Results of tokens that had access at their last review. */
  readonly #allowedResults = new QuickLRU<string, CachedResult>({ maxSize: MAX_CACHED_RESULTS });
  readonly #deniedResults = new QuickLRU<string, CachedResult>({ maxSize: MAX_CACHED_RESULTS });
  #reviewsInFlight = 0;
  #currentSecond = { startedMs: Number.NEGATIVE_INFINITY, reviews: 0 };

  constructor({ client, clock, audiences = [] }: ScrapeAccessOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#audiences = audiences;
  }

  /**
   * Returns the cached result or reviews the token. Rejects if the API server does not respond, and does not cache the
   * failure.
   * @param authorization Value of the request header `authorization`.
   */
  check(authorization: string | undefined, request: AccessRequest): Promise<AccessResult> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return Promise.resolve({ kind: 'unauthenticated' });
    const key = createHash('sha256').update(`${token} ${request.verb} ${request.path}`).digest('base64');
    const allowedResult = this.#allowedResults.get(key);
    const cachedResult = allowedResult ?? this.#deniedResults.get(key);
    if (cachedResult !== undefined && this.#clock.monotonicMs() < cachedResult.expiresMs) return cachedResult.access;
    if (allowedResult === undefined && !this.#canReview()) return Promise.resolve({ kind: 'busy' });
    return this.#startReview(key, allowedResult !== undefined, (signal) => this.#review(token, request, signal));
  }

  #canReview(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#currentSecond.startedMs >= 1000) this.#currentSecond = { startedMs: nowMs, reviews: 0 };
    return this.#reviewsInFlight < MAX_REVIEWS_IN_FLIGHT && this.#currentSecond.reviews < MAX_REVIEWS_PER_SECOND;
  }

  async #startReview(
    key: string,
    isKnownToken: boolean,
    review: (signal: AbortSignal) => Promise<AccessResult>,
  ): Promise<AccessResult> {
    const timeoutOptions = { clock: this.#clock, timeoutMs: REVIEW_TIMEOUT_MS };
    const access = withTimeout(timeoutOptions, review);
    const cachedResult = { access, expiresMs: this.#clock.monotonicMs() + RESULT_TTL_MS };
    (isKnownToken ? this.#allowedResults : this.#deniedResults).set(key, cachedResult);
    if (!isKnownToken) this.#currentSecond.reviews++;
    if (!isKnownToken) this.#reviewsInFlight++;
    try {
      const { kind } = await access;
      const [from, to] =
        kind === 'allowed' ? [this.#deniedResults, this.#allowedResults] : [this.#allowedResults, this.#deniedResults];
      from.delete(key);
      to.set(key, cachedResult);
    } catch {
      // The API server has not rejected the known token, so the token remains known. The next check of the token starts
      // another review.
      if (isKnownToken) this.#allowedResults.set(key, { ...cachedResult, expiresMs: Number.NEGATIVE_INFINITY });
      else this.#deniedResults.delete(key);
    } finally {
      if (!isKnownToken) this.#reviewsInFlight--;
    }
    return await access;
  }

  async #review(token: string, request: AccessRequest, signal: AbortSignal): Promise<AccessResult> {
    const user = await this.#authenticate(token, signal);
    if (user === undefined) return { kind: 'unauthenticated' };
    const isAllowed = await this.#authorize(user, request, signal);
    return isAllowed ? { kind: 'allowed' } : { kind: 'forbidden', user: user.username ?? '' };
  }

  async #authenticate(token: string, signal: AbortSignal): Promise<TokenUser | undefined> {
    const review: NewObject<TokenReview> = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: EMPTY_METADATA,
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

  /** An API server without support for audiences returns an empty list, so access is denied. */
  #matchesAudience(audiences: readonly string[] = []): boolean {
    return this.#audiences.length === 0 || this.#audiences.some((audience) => audiences.includes(audience));
  }

  async #authorize(user: TokenUser, request: AccessRequest, signal: AbortSignal): Promise<boolean> {
    const { username, ...rest } = user;
    const review: NewObject<SubjectAccessReview> = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: EMPTY_METADATA,
      spec: { ...rest, ...(username !== undefined && { user: username }), nonResourceAttributes: request },
    };
    try {
      const { status } = await this.#client.create(subjectAccessReviews, review, { signal });
      return status?.allowed === true;
    } catch (cause) {
      throw new Error('create SubjectAccessReview', { cause });
    }
  }
}
