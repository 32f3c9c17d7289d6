/** A leader election with several candidates, a Lease in memory, and a clock that the test controls. */
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { Lease } from '../kubernetes/coordination.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { LeaderElector, type LeaderElectorOptions } from '../leader-election/leader-elector.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';

export const key = { namespace: 'system', name: 'cronjob' };

export const createConflictError = () => new ApiError(409, { reason: 'Conflict' });

/** An API server with one Lease. */
export class LeaseServer {
  lease: Lease | undefined;
  /** If true, all requests fail with the error `connection refused`. */
  isDown = false;
  /** If true, requests never settle, even after the signal of the request aborts. */
  isSilent = false;
  readonly requests: string[] = [];
  #version = 0;

  /** Each process has a separate connection, so that the test can interrupt the connection of one process. */
  connect(connection: { isCut: boolean } = { isCut: false }): LeaderElectorOptions['client'] {
    const answer = async <R>(verb: string, work: () => R): Promise<R> => {
      this.requests.push(verb);
      if (this.isDown || connection.isCut) throw new Error('connection refused');
      if (this.isSilent) await new Promise(() => {});
      return work();
    };
    const client: Pick<Client, 'get' | 'create' | 'update'> = {
      get: () => answer('get', () => this.lease as never),
      create: (_, object) => answer('create', () => this.#create(object) as never),
      update: (_, object) => answer('update', () => this.#update(object) as never),
    };
    return client;
  }

  /** Stores the Lease without a check of its resource version, as if another client had written it. */
  put(spec: Lease['spec']): void {
    const metadata = { ...key, uid: 'u', resourceVersion: String(++this.#version), creationTimestamp: '' };
    this.lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, ...(spec && { spec }) };
  }

  #create(object: unknown): Lease {
    if (this.lease !== undefined) throw new ApiError(409, { reason: 'AlreadyExists' });
    this.put((object as Lease).spec);
    return this.lease as unknown as Lease;
  }

  #update(object: KubernetesObject): Lease {
    if (this.lease === undefined) throw new ApiError(404, { reason: 'NotFound' });
    if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw createConflictError();
    this.put((object as Lease).spec);
    return this.lease;
  }
}

/**
 * A process that takes part in the election. `events` lists the state changes of the process, each with the time in
 * seconds.
 */
export function startCandidate(server: LeaseServer, clock: FakeClock, identity: string) {
  const events: string[] = [];
  const link = { isCut: false };
  const stop = new AbortController();
  const record = (event: string) => events.push(`${Math.round(clock.monotonicMs() / 1000)}s ${event}`);
  const elector = new LeaderElector({
    client: server.connect(link),
    clock,
    log: discardLogger,
    lease: key,
    identity,
    metrics: { setLeading: (leading) => record(leading ? 'leading' : 'not leading') },
    random: () => 0,
  });
  let endWork = () => {};
  let reason: unknown;
  const ended = elector.run(stop.signal, async (signal) => {
    record('work starts');
    await new Promise<void>((resolve) => {
      endWork = resolve;
      signal.addEventListener('abort', () => {
        record('work gets the stop signal');
        reason = signal.reason;
      });
    });
    record('work ended');
  });
  ended.then(record, (error: unknown) => record(String(error)));
  return {
    events,
    link,
    elector,
    stop: () => stop.abort(),
    endWork: () => endWork(),
    get reason() {
      return reason;
    },
  };
}

/** Returns an API server without a Lease, and the candidate `a`. */
export function startElection(now?: string) {
  const [server, clock] = [new LeaseServer(), new FakeClock(now)];
  return { server, clock, a: startCandidate(server, clock, 'a') };
}
