/** Reads the rights of the user from the API server. */
import type { Clock } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { isAllowed } from '../is-allowed.ts';
import type { Session } from '../session.ts';
import type { Rights } from './messages.ts';

/** Rights seldom change, and each page requests the rights of each namespace. */
const KEPT_MS = 60_000;
const MAX_NAMESPACES = 1000;

interface Answer {
  readonly atMs: number;
  readonly rights: Promise<Rights>;
}

export class RightsOf {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, Answer>();

  constructor(session: Session, clock: Clock, signal: AbortSignal) {
    this.#session = session;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** @param namespace Empty: all namespaces. */
  in(namespace: string): Promise<Rights> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#answers.get(namespace);
    if (known !== undefined && nowMs - known.atMs < KEPT_MS) return known.rights;
    if (this.#answers.size >= MAX_NAMESPACES) this.#answers.clear();
    const answer = { atMs: nowMs, rights: this.#ask(namespace) };
    this.#answers.set(namespace, answer);
    answer.rights.catch(() => {
      if (this.#answers.get(namespace) === answer) this.#answers.delete(namespace);
    });
    return answer.rights;
  }

  async #ask(namespace: string): Promise<Rights> {
    const may = (verb: string, group: string, resource: string, subresource?: string) =>
      isAllowed(this.#session.client, { namespace, verb, group, resource, subresource }, this.#signal);
    const [patchCronJobs, listPods, readLogs] = await Promise.all([
      may('patch', GROUP, PLURAL),
      may('list', '', 'pods'),
      may('get', '', 'pods', 'log'),
    ]);
    return { patchCronJobs, readLogs: listPods && readLogs };
  }
}
