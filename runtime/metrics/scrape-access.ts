/** Who may read metrics: whoever the API server says may `get` the path, asked by TokenReview and SubjectAccessReview. */
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { authentication, authorization, type SubjectAccessReview, type TokenReview } from '../kubernetes/access.ts';
import type { NewObject } from '../kubernetes/object.ts';

/** How long the API server's word is taken for granted, yes and no alike. */
const REMEMBERED_MS = 60_000;
/** Answers; up to twice as many. */
const MAX_REMEMBERED = 128;
const REVIEW_TIMEOUT_MS = 10_000;
/** For tokens that have not been let through: whoever reaches the port can make as many as they like. */
const MAX_REVIEWS_IN_FLIGHT = 4;
const MAX_REVIEWS_PER_SECOND = 5;

export type Access =
  | { readonly kind: 'allowed' }
  /** No token, or one that the API server does not know. */
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string }
  /** Too many unknown tokens are being asked about: this one may be tried again. */
  | { readonly kind: 'busy' };

/** What is to be done: `get` on `/metrics`. */
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

/** Reviews are answered and never stored, so they need no name. */
const UNNAMED = { name: '' };

export interface ScrapeAccessOptions {
  /** Needs `create` on tokenreviews and subjectaccessreviews. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
  /** Tokens must be for one of these. When empty, for the API server itself. */
  readonly audiences?: readonly string[];
}

interface Remembered {
  readonly access: Promise<Access>;
  readonly untilMs: number;
}

/**
 * Remembers answers for a minute; tokens only by their hash. A token that was let through before is asked about whenever it has
 * to be; all others share a few places, so that a flood of them neither loads the API server nor keeps the known ones out.
 */
export class ScrapeAccess {
  readonly #client: ScrapeAccessOptions['client'];
  readonly #clock: Clock;
  readonly #audiences: readonly string[];
  /** Those that were let through the last time. */
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
   * Rejects when the API server does not say; that is not remembered.
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
      // A known one stays known, as nobody has said otherwise; it is asked about again.
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

  /** An API server that knows no audiences answers without any: it has not looked. */
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
