/** The calls of one process: each takes time, may fail, and may be the last action of the process. */
import type { WriteOptions } from '../../runtime/client/client.ts';
import { findApiError, isRequestRejected } from '../../runtime/client/errors.ts';
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import type { Caller } from './caller.ts';
import { namespaceOf } from './facts.ts';
import type { Faults, Verb } from './faults.ts';
import type { Lane } from './lane.ts';
import type { Machine } from './machine.ts';
import { type Fate, type Network, TimeoutError } from './network.ts';
import type { Pass } from './pass.ts';

export interface CallsOptions {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly network: Network;
  readonly faults: Faults;
  readonly lane: Lane;
  readonly caller: Caller;
}

interface Call<T> {
  readonly verb: Verb;
  readonly pass: Pass;
  /** The action of the server. */
  readonly carryOut: () => T;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #clock: Clock;
  readonly #caller: Caller;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#caller = options.caller;
  }

  /** Never settles once the process is dead. A call that was already sent may still arrive. */
  send<T>(call: Call<T>, { priority, signal, timeoutMs }: WriteOptions = {}): Promise<T> {
    const send = () => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (!this.#caller.isAlive) return promise;
      const cancel = this.#limit(call, timeoutMs, reject);
      this.#transmit(call, { resolve, reject });
      return promise.finally(cancel);
    };
    return this.#options.lane.run({ priority, namespace: namespaceOf(call.pass.key), signal }, send);
  }

  /** As in HttpTransport: the caller does not get an answer that takes longer. */
  #limit(call: Call<unknown>, timeoutMs: number | undefined, reject: (error: Error) => void): Cancel {
    if (timeoutMs === undefined) return () => {};
    return this.#options.machine.schedule(timeoutMs, () => {
      if (!this.#caller.isAlive) return;
      const error = new TimeoutError(`no answer within ${timeoutMs} ms`);
      noteFailure(call, error);
      this.#options.faults.noteFailure(call.verb, call.pass.key);
      reject(error);
    });
  }

  #transmit<T>(call: Call<T>, { resolve, reject }: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>): void {
    const caller = this.#caller;
    const { machine, network, faults } = this.#options;
    const { verb, pass } = call;
    const deliver = (answerMs: number, answer: () => void) =>
      this.#clock.schedule(answerMs, () =>
        machine.receive(() => {
          if (caller.isAlive) answer();
        }),
      );
    const fail = (error: unknown) => {
      if (isFailure(error)) faults.noteFailure(verb, pass.key);
      reject(error);
    };
    const hang = faults.hangOf(verb, pass.key);
    if (hang !== undefined) {
      noteFailure(call, hang.error);
      deliver(hang.forMs, () => fail(hang.error));
      return;
    }
    const fate = network.fateOfCall(pass.key);
    if (fate.kind === 'CrashBefore') caller.die();
    const answer = (settle: () => void) => {
      if (fate.kind === 'CrashAfter') caller.die();
      deliver(fate.answerMs, settle);
    };
    this.#clock.schedule(fate.requestMs, () => {
      if (!caller.isAlive && !fate.isCarriedOut) return;
      pass.isOrphaned = !caller.isAlive || caller.isSuperseded;
      try {
        const result = serve(fate, call.carryOut);
        answer(() => resolve(result));
      } catch (error) {
        noteFailure(call, error);
        answer(() => fail(error));
      }
    });
  }
}

/** The server's handling of a call that has arrived. */
function serve<T>({ kind, isCarriedOut, error }: Fate, carryOut: () => T): T {
  if (kind !== 'Failed') return carryOut();
  if (isCarriedOut) carryOut();
  throw error;
}

/** Answers that only report the state are not failures. */
function isFailure(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code !== 404 && code !== 409;
}

function noteFailure({ verb, pass }: Pick<Call<unknown>, 'verb' | 'pass'>, error: unknown): void {
  if (!isFailure(error)) return;
  pass.failedCalls++;
  if (verb === 'create' && isRequestRejected(error)) pass.refusedCreates++;
}
