/** The only Lease of the simulated cluster, and the connection of a process to it, which carries no other calls. */
import type { Client } from '../../runtime/client/client.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { Lease } from '../../runtime/kubernetes/coordination.ts';
import type { KubernetesObject } from '../../runtime/kubernetes/object.ts';
import type { Machine } from './machine.ts';
import { type SimulatedNetwork, TimeoutError } from './network.ts';

export const LEASE = { namespace: 'system', name: 'cronjob' };

export type LeaseClient = Pick<Client, 'get' | 'create' | 'update'>;

/** The faults of one connection to the server. */
export interface LeaseLink {
  readonly isCut: boolean;
}

export class LeaseApi {
  readonly #clock: Clock;
  readonly #network: SimulatedNetwork;
  #lease: Lease | undefined;
  #version = 0;

  constructor(clock: Clock, network: SimulatedNetwork) {
    this.#clock = clock;
    this.#network = network;
  }

  connect(machine: Machine, link: LeaseLink): LeaseClient {
    const call = <R>(work: () => unknown) => this.#call<R>(machine, link, work);
    return {
      get: () => call(() => this.#lease),
      create: (_, object) => call(() => this.#create(object as Lease)),
      update: (_, object) => call(() => this.#update(object as KubernetesObject)),
    };
  }

  /** As in Connection: responses may be late or lost, and the write may have taken effect nevertheless. */
  #call<R>(machine: Machine, link: LeaseLink, work: () => unknown): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const fate = this.#network.drawFate(LEASE.name);
    const isLost = fate.kind === 'Failed' || link.isCut;
    const deliver = (settle: () => void) => this.#clock.schedule(fate.answerMs, () => machine.receive(settle));
    this.#clock.schedule(fate.requestMs, () => {
      try {
        const result = isLost && (link.isCut || !fate.isExecuted) ? undefined : work();
        if (isLost) deliver(() => reject(fate.error ?? new TimeoutError('no connection to the server')));
        else deliver(() => resolve(result as R));
      } catch (error) {
        deliver(() => reject(error));
      }
    });
    return promise;
  }

  #create({ spec }: Lease): Lease {
    if (this.#lease !== undefined) throw new ApiError(409, { reason: 'AlreadyExists' });
    return this.#put(spec);
  }

  #update(object: KubernetesObject): Lease {
    const isSame = object.metadata.resourceVersion === this.#lease?.metadata.resourceVersion;
    if (!isSame) throw new ApiError(409, { reason: 'Conflict' });
    return this.#put((object as Lease).spec);
  }

  #put(spec: Lease['spec']): Lease {
    this.#version++;
    const metadata = { ...LEASE, uid: 'lease', resourceVersion: String(this.#version), creationTimestamp: '' };
    this.#lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, ...(spec && { spec }) };
    return this.#lease;
  }
}
