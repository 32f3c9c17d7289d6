/** The calls of one process: each takes time, may fail, and may be the last action of the process. */
import type { WriteOptions } from '../../runtime/client/client.ts';
import { findApiError, isRequestRejected } from '../../runtime/client/errors.ts';
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import type { Caller } from './caller.ts';
import { parseNamespace } from './facts.ts';
import type { CallVerb, SimulatedFaults } from './faults.ts';
import type { Machine } from './machine.ts';
import { type CallFate, type SimulatedNetwork, TimeoutError } from './network.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import type { SimulatedLimiter } from './simulated-limiter.ts';

export interface CallSenderOptions {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly network: SimulatedNetwork;
  readonly faults: SimulatedFaults;
  readonly limiter: SimulatedLimiter;
  readonly caller: Caller;
}

interface SimulatedCall<T> {
  readonly verb: CallVerb;
  readonly observed: ObservedReconcile;
  /** The action of the server. */
  readonly execute: () => T;
}

export class CallSender {
  readonly #options: CallSenderOptions;
  readonly #clock: Clock;
  readonly #caller: Caller;

  constructor(options: CallSenderOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#caller = options.caller;
  }

  /** Never settles once the process is dead. A call that was already sent may still arrive. */
  send<T>(call: SimulatedCall<T>, { priority, signal, timeoutMs }: WriteOptions = {}): Promise<T> {
    const send = () => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (!this.#caller.isAlive) return promise;
      const cancel = this.#limit(call, timeoutMs, reject);
      // Cancels the time limit at once: a machine that wakes has the answer and the end of the time limit at the same time.
      this.#transmit(call, {
        resolve: (result) => {
          cancel();
          resolve(result);
        },
        reject: (error) => {
          cancel();
          reject(error);
        },
      });
      return promise;
    };
    return this.#options.limiter.run({ priority, namespace: parseNamespace(call.observed.key), signal }, send);
  }

  /** As in HttpTransport: the caller does not get an answer that takes longer. */
  #limit(call: SimulatedCall<unknown>, timeoutMs: number | undefined, reject: (error: Error) => void): Cancel {
    if (timeoutMs === undefined) return () => {};
    return this.#options.machine.schedule(timeoutMs, () => {
      if (!this.#caller.isAlive) return;
      const error = new TimeoutError(`no response within ${timeoutMs} ms`);
      countFailure(call, error);
      this.#options.faults.noteFailure(call.verb, call.observed.key);
      reject(error);
    });
  }

  #transmit<T>(call: SimulatedCall<T>, { resolve, reject }: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>): void {
    const caller = this.#caller;
    const { machine, network, faults } = this.#options;
    const { verb, observed } = call;
    const deliver = (answerMs: number, answer: () => void) =>
      this.#clock.schedule(answerMs, () =>
        machine.receive(() => {
          if (caller.isAlive) answer();
        }),
      );
    const fail = (error: unknown) => {
      if (isFailure(error)) faults.noteFailure(verb, observed.key);
      reject(error);
    };
    const hang = faults.findHang(verb, observed.key);
    if (hang !== undefined) {
      countFailure(call, hang.error);
      deliver(hang.forMs, () => fail(hang.error));
      return;
    }
    const fate = network.drawFate(observed.key);
    if (fate.kind === 'CrashBefore') caller.die();
    const respond = (settle: () => void) => {
      if (fate.kind === 'CrashAfter') caller.die();
      deliver(fate.answerMs, settle);
    };
    this.#clock.schedule(fate.requestMs, () => {
      if (!caller.isAlive && !fate.isExecuted) return;
      observed.isOrphaned = !caller.isAlive || caller.isSuperseded;
      try {
        const result = executeWithFate(fate, call.execute);
        respond(() => resolve(result));
      } catch (error) {
        countFailure(call, error);
        respond(() => fail(error));
      }
    });
  }
}

/** The server's handling of a call that has arrived. */
function executeWithFate<T>({ kind, isExecuted, error }: CallFate, execute: () => T): T {
  if (kind !== 'Failed') return execute();
  if (isExecuted) execute();
  throw error;
}

/** Answers that only report the state are not failures. */
function isFailure(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code !== 404 && code !== 409;
}

function countFailure({ verb, observed }: Pick<SimulatedCall<unknown>, 'verb' | 'observed'>, error: unknown): void {
  if (!isFailure(error)) return;
  observed.failedCalls++;
  if (verb === 'create' && isRequestRejected(error)) observed.refusedCreates++;
}
