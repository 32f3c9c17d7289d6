/** Who may read metrics: whoever the API server says may `get` the path, asked by TokenReview and SubjectAccessReview. */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { KubernetesObject, NewObject, Resource } from '../client/object.ts';
import type { Clock } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import { LruMap } from '../lru-map.ts';

/** How long the API server's word is taken for granted, yes and no alike. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 256;
const REVIEW_TIMEOUT_MS = 10_000;

export type Access =
  | { readonly kind: 'allowed' }
  /** No token, or one that the API server does not know. */
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly user: string };

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

interface TokenReview extends KubernetesObject {
  readonly spec: { readonly token: string };
  readonly status?: { readonly authenticated?: boolean; readonly user?: UserInfo; readonly error?: string };
}

interface SubjectAccessReview extends KubernetesObject {
  readonly spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly nonResourceAttributes: Attempt;
  };
  readonly status?: { readonly allowed?: boolean };
}

const TOKEN_REVIEW: Resource<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

const SUBJECT_ACCESS_REVIEW: Resource<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

/** Reviews are answered and never stored, so they need no name. */
const UNNAMED = { name: '' };

export interface ScrapeAccessOptions {
  /** Needs `create` on tokenreviews and subjectaccessreviews. */
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
}

/** Remembers answers for a minute; tokens only by their hash. */
export class ScrapeAccess {
  readonly #client: ScrapeAccessOptions['client'];
  readonly #clock: Clock;
  readonly #remembered = new LruMap<string, { readonly access: Promise<Access>; readonly untilMs: number }>(
    MAX_REMEMBERED,
  );

  constructor({ client, clock }: ScrapeAccessOptions) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Rejects when the API server does not say; that is not remembered.
   * @param authorization The request's header of that name.
   */
  check(authorization: string | undefined, attempt: Attempt): Promise<Access> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return Promise.resolve({ kind: 'unauthenticated' });
    const key = createHash('sha256').update(`${token} ${attempt.verb} ${attempt.path}`).digest('base64');
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined && this.#clock.monotonicMs() < remembered.untilMs) return remembered.access;
    const limit = { clock: this.#clock, timeoutMs: REVIEW_TIMEOUT_MS };
    const access = withTimeout(limit, (signal) => this.#review(token, attempt, signal));
    this.#remembered.set(key, { access, untilMs: this.#clock.monotonicMs() + REMEMBERED_MS });
    access.catch(() => this.#remembered.delete(key));
    return access;
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
      spec: { token },
    };
    try {
      const { status } = await this.#client.create(TOKEN_REVIEW, review, { signal });
      return status?.authenticated === true ? (status.user ?? {}) : undefined;
    } catch (cause) {
      throw new Error('create TokenReview', { cause });
    }
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
      const { status } = await this.#client.create(SUBJECT_ACCESS_REVIEW, review, { signal });
      return status?.allowed === true;
    } catch (cause) {
      throw new Error('create SubjectAccessReview', { cause });
    }
  }
}
