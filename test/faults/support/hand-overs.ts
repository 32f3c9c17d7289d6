/** All known ways to end the leadership of a leader. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { leases } from '../../support/leases.ts';
import { type ApiProxy, noFault } from './api-proxy.ts';
import type { AuditedCall } from './call.ts';
import { LEASE, type Rig } from './rig.ts';
import type { SupervisedManager } from './supervised-manager.ts';

/** A leader that has lost the lease ends within this time. A request that hangs would take half a minute. */
const END_MS = 10_000;

export interface Replica {
  readonly proxy: ApiProxy;
  readonly manager: SupervisedManager;
  /** Offset of its clock from the machine's. */
  readonly offsetMs: number;
}

interface HandOverParts {
  readonly leader: Replica;
  readonly standby: Replica;
  readonly rig: Rig;
}

/** Ends the leadership of a leader. */
export interface HandOverKind {
  readonly fault: string;
  /**
   * Resolves to a function that undoes it, to be called once another replica leads. Rejects with {@link ManagerExitedError} when the leader lost
   * the lease before.
   */
  readonly begin: (parts: HandOverParts) => Promise<Undo | undefined>;
}

export type Undo = () => Promise<unknown>;

/** On a busy machine a leader may fail to renew a short lease without a fault. */
export class ManagerExitedError extends Error {}

const KILLED: HandOverKind = {
  fault: 'leader killed',
  begin: async ({ leader }) => void (await leader.manager.kill()),
};
const STOPPED: HandOverKind = {
  fault: 'leader gets SIGTERM',
  begin: async ({ leader }) => {
    const { current } = leader.manager;
    current.signal('SIGTERM');
    await current.exited;
    return undefined;
  },
};
export const PAUSED: HandOverKind = {
  fault: 'leader paused beyond its lease in a burst',
  begin: async ({ leader }) => {
    const { current } = leader.manager;
    // While it has most of a burst left, which it would continue when it resumes.
    await actOnFirstCall(leader, isCreateOfJob, () => current.signal('SIGSTOP'));
    return () => wake(leader);
  },
};
const CUT_OFF: HandOverKind = {
  fault: 'leader without connection to the API server',
  begin: async ({ leader: { proxy } }) => {
    proxy.isReachable = false;
    proxy.cut();
    return async () => {
      proxy.isReachable = true;
    };
  },
};
const NOT_RENEWED: HandOverKind = {
  fault: 'leader without access to its lease',
  begin: async ({ leader: { proxy, manager } }) => {
    const { current } = manager;
    proxy.plan = ({ resource }) => (resource === 'leases' ? { kind: 'Hang', at: 'before' } : noFault());
    return async () => {
      await waitUntilEnded(current);
      proxy.plan = noFault;
    };
  },
};
const LEASE_TAKEN: HandOverKind = {
  fault: 'lease taken while the writes of the leader hang',
  begin: async ({ leader, rig }) => {
    const { proxy } = leader;
    const { current } = leader.manager;
    await actOnFirstCall(leader, isWrite, () => {
      proxy.plan = (call) => (isWrite(call) ? { kind: 'Hang', at: 'before' } : noFault());
    });
    await takeLease(rig);
    await waitUntilEnded(current);
    proxy.plan = noFault;
    return undefined;
  },
};
export const HAND_OVER_KINDS: readonly HandOverKind[] = [KILLED, STOPPED, PAUSED, CUT_OFF, LEASE_TAKEN, NOT_RENEWED];
export const HAND_OVER_KINDS_WITH_THREE_REPLICAS: readonly HandOverKind[] = [
  {
    fault: 'leader and a standby killed',
    begin: async ({ leader, standby }) => {
      await Promise.all([leader.manager.kill(), standby.manager.kill()]);
      return undefined;
    },
  },
  {
    fault: 'leader and a standby paused',
    begin: async ({ leader, standby }) => {
      for (const { manager } of [leader, standby]) manager.current.signal('SIGSTOP');
      return async () => {
        standby.manager.current.signal('SIGCONT');
        await wake(leader);
      };
    },
  },
  STOPPED,
  CUT_OFF,
];

function isWrite({ verb, resource }: AuditedCall): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
}

function isCreateOfJob({ verb, resource }: AuditedCall): boolean {
  return verb === 'create' && resource === 'jobs';
}

async function waitUntilEnded({ exited }: SupervisedManager['current']): Promise<void> {
  const timeout = sleep(END_MS, 'late');
  expect(await Promise.race([exited, timeout])).not.toBe('late');
}

/** Resolves at the first such call; runs `act` before the proxy forwards the call. */
async function actOnFirstCall(
  { proxy, manager }: Replica,
  matches: (call: AuditedCall) => boolean,
  act: () => void,
): Promise<void> {
  const { promise: came, resolve } = Promise.withResolvers<'came'>();
  proxy.plan = (call) => {
    if (!matches(call)) return noFault();
    proxy.plan = noFault;
    act();
    resolve('came');
    return proxy.plan(call);
  };
  if ((await Promise.race([came, manager.current.exited])) === 'came') return;
  proxy.plan = noFault;
  throw new ManagerExitedError();
}

/**
 * The stopped process begins no write: its requests would come through its proxy. One write may be in progress: a process stops between any
 * two of its instructions, also between its check of the lease and the write to the connection.
 */
async function wake({ proxy, manager }: Replica): Promise<void> {
  const { current } = manager; // still the stopped process, which cannot have ended
  const writes: string[] = [];
  // All requests from before the stop have arrived long ago.
  proxy.plan = (call) => {
    if (isWrite(call) && manager.current === current) writes.push(`${call.verb} ${call.resource} ${call.name ?? ''}`);
    return noFault();
  };
  current.signal('SIGCONT');
  await current.exited;
  proxy.plan = noFault;
  expect(writes.slice(1)).toEqual([]);
}

/** A client that takes a lease without waiting for its end. */
export const THIEF = 'another-client';

/** Another client writes another holder into the lease. That holder does not renew it. */
async function takeLease(rig: Rig): Promise<void> {
  await eventually(async () => {
    const lease = await rig.client.get(leases, LEASE);
    if (lease === undefined) throw new Error('no lease exists');
    const spec = { ...lease.spec, holderIdentity: THIEF, leaseDurationSeconds: 1 };
    await rig.client.update(leases, { ...lease, spec });
  });
}
