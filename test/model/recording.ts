/** The outcomes of the calls of one reconcile, and their changes. */
import { ApiError } from 'controller-runtime';
import { executeWrite, type WriteResult } from './api-server.ts';
import { checkWrite } from './laws/writes.ts';
import type { ModelState } from './state.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * The outcome of a call. lost: it is not executed, and fails. refused: 403. unanswered: it is executed, and fails nevertheless. The process
 * may die before or after it, or lose its lease when it is sent; after that it begins no other write, because the runtime fences it.
 */
export type CallOutcome = 'ok' | 'lost' | 'refused' | 'unanswered' | 'dies before' | 'dies after' | 'is overtaken';

export type ModelController = 'cronjob' | 'cronjobrun';

const NOT_EXECUTED: readonly CallOutcome[] = ['lost', 'refused', 'dies before', 'is overtaken'];

export class Recording {
  state: ModelState;
  /** The calls that reached the client, as text. */
  readonly calls: string[] = [];
  readonly events: string[] = [];
  readonly faults: string[] = [];
  writes = 0;
  hasDied = false;
  /** The controller that reconciles. */
  readonly controller: ModelController;
  readonly #script: readonly CallOutcome[];

  constructor(state: ModelState, controller: ModelController, script: readonly CallOutcome[]) {
    this.state = state;
    this.controller = controller;
    this.#script = script;
  }

  read<T>(name: string, respond: () => T): T {
    const outcome = this.#begin(name);
    if (outcome !== 'ok') throw this.#failure(outcome);
    return respond();
  }

  write(name: string, request: WriteRequest): WriteResult['response'] {
    const outcome = this.#begin(name);
    this.writes++;
    if (outcome === 'is overtaken') this.state = { ...this.state, inFlight: request };
    if (request.kind === 'delete') this.state = { ...this.state, hasPendingDelete: outcome !== 'ok' };
    if (NOT_EXECUTED.includes(outcome)) throw this.#failure(outcome);
    const { state, response } = executeWrite(this.state, request);
    this.faults.push(...checkWrite(this.state, request));
    this.state = state;
    if (outcome !== 'ok') throw this.#failure(outcome);
    return response;
  }

  #begin(name: string): CallOutcome {
    if (this.hasDied) throw new Error('dead');
    const outcome = this.#script[this.calls.length] ?? 'ok';
    this.calls.push(outcome === 'ok' ? name : `${name}: ${outcome}`);
    return outcome;
  }

  #failure(outcome: CallOutcome): Error {
    if (outcome.startsWith('dies') || outcome === 'is overtaken') this.hasDied = true;
    if (outcome === 'lost') return new ApiError(500, { reason: 'InternalError', message: 'lost' });
    if (outcome === 'refused') return new ApiError(403, { reason: 'Forbidden', message: 'refused' });
    return new Error('no answer');
  }
}
