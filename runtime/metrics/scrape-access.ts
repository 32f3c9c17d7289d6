/**
 * Controls who may read metrics: the API server decides by TokenReview and SubjectAccessReview who may `get` the path.
 */
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { authentication, authorization, type SubjectAccessReview, type TokenReview } from '../kubernetes/access.ts';
import type { NewObject } from '../kubernetes/object.ts';

/** How long an answer of the API server is cached, whether positive or negative. */
const REMEMBERED_MS = 60_000;
/** Maximum number of cached answers; up to twice as many may be held. */
const MAX_REMEMBERED = 128;
const REVIEW_TIMEOUT_MS = 10_000;
/**
 * Maximum number of reviews of tokens that have not been allowed before: any client that reaches the port can send any
 * number of tokens.
 */
const MAX_REVIEWS_IN_FLIGHT = 4;
const MAX_REVIEWS_PER_SECOND = 5;

export type Access =
  | { readonly kind: 'allowed' }
  /** No token, or a token that the API server does not know. */
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string }
  /** Too many unknown tokens are under review: the client may retry. */
  | { readonly kind: 'busy' };

/** The attempted action: `get` on `/metrics`. */
export interface Attempt {
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const { tokenReviews } = authentication.v1;
const { subjectAccessReviews } = authorization.v1;

/** The API server answers reviews without storing them, so they need no name. */
const UNNAMED = { name: '' };

export interface ScrapeAccessOptions {
  /** Needs `create` on tokenreviews and subjectaccessreviews. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
  /** A token must be for one of these audiences. Default, if empty: the API server's audiences. */
  readonly audiences?: readonly string[];
}

interface Remembered {
  readonly access: Promise<Access>;
  readonly untilMs: number;
}

/**
 * Caches answers for a minute; tokens only by their hash. A token that was allowed before is reviewed whenever its
 * answer has expired. All other tokens share a few places, so that a flood of them neither loads the API server nor
 * blocks known tokens.
 */
export class ScrapeAccess {
  readonly #client: ScrapeAccessOptions['client'];
  readonly #clock: Clock;
  readonly #audiences: readonly string[];
  /** Answers for tokens that were allowed the last time. */
  readonly #known = new QuickLRU<string, Remembered>({ maxSize: MAX_REMEMBERED });
  readonly #others = new QuickLRU<string, Remembered>({ maxSize: MAX_REMEMBERED });
  #inFlight = 0;
  #second = { startedMs: Number.NEGATIVE_INFINITY, reviews: 0 };

  constructor({ client, clock, audiences = [] }: ScrapeAccessOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#audiences = audiences;
  }

  /**
   * Rejects when the API server does not answer; this is not cached.
   * @param authorization The request's header of that name.
   */
  check(authorization: string | undefined, attempt: Attempt): Promise<Access> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return Promise.resolve({ kind: 'unauthenticated' });
    const key = createHash('sha256').update(`${token} ${attempt.verb} ${attempt.path}`).digest('base64');
    const known = this.#known.get(key);
    const remembered = known ?? this.#others.get(key);
    if (remembered !== undefined && this.#clock.monotonicMs() < remembered.untilMs) return remembered.access;
    if (known === undefined && !this.#mayAsk()) return Promise.resolve({ kind: 'busy' });
    return this.#ask(key, known !== undefined, (signal) => this.#review(token, attempt, signal));
  }

  #mayAsk(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#second.startedMs >= 1000) this.#second = { startedMs: nowMs, reviews: 0 };
    return this.#inFlight < MAX_REVIEWS_IN_FLIGHT && this.#second.reviews < MAX_REVIEWS_PER_SECOND;
  }

  async #ask(key: string, isKnown: boolean, review: (signal: AbortSignal) => Promise<Access>): Promise<Access> {
    const limit = { clock: this.#clock, timeoutMs: REVIEW_TIMEOUT_MS };
    const access = withTimeout(limit, review);
    const remembered = { access, untilMs: this.#clock.monotonicMs() + REMEMBERED_MS };
    (isKnown ? this.#known : this.#others).set(key, remembered);
    if (!isKnown) this.#second.reviews++;
    if (!isKnown) this.#inFlight++;
    try {
      const { kind } = await access;
      const [from, to] = kind === 'allowed' ? [this.#others, this.#known] : [this.#known, this.#others];
      from.delete(key);
      to.set(key, remembered);
    } catch {
      // A known token stays known, because the API server has not rejected it; the next check reviews it again.
      if (isKnown) this.#known.set(key, { ...remembered, untilMs: Number.NEGATIVE_INFINITY });
      else this.#others.delete(key);
    } finally {
      if (!isKnown) this.#inFlight--;
    }
    return await access;
  }

  async #review(token: string, attempt: Attempt, signal: AbortSignal): Promise<Access> {
    const user = await this.#authenticate(token, signal);
    if (user === undefined) return { kind: 'unauthenticated' };
    const isAllowed = await this.#authorise(user, attempt, signal);
    return isAllowed ? { kind: 'allowed' } : { kind: 'forbidden', user: user.username ?? '' };
  }

  async #authenticate(token: string, signal: AbortSignal): Promise<UserInfo | undefined> {
    const review: NewObject<TokenReview> = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: UNNAMED,
      spec: { token, ...(this.#audiences.length > 0 && { audiences: this.#audiences }) },
    };
    try {
      const { status } = await this.#client.create(tokenReviews, review, { signal });
      if (status?.authenticated !== true || !this.#isForUs(status.audiences)) return undefined;
      return status.user ?? {};
    } catch (cause) {
      throw new Error('create TokenReview', { cause });
    }
  }

  /** An API server without audience support returns no audiences: it has not checked them. */
  #isForUs(audiences: readonly string[] = []): boolean {
    return this.#audiences.length === 0 || this.#audiences.some((audience) => audiences.includes(audience));
  }

  async #authorise(user: UserInfo, attempt: Attempt, signal: AbortSignal): Promise<boolean> {
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
