/** The faults that the suites choose from. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { type Fault, noFault } from './api-proxy.ts';
import { type Call, kindOfCall } from './call.ts';
import type { OpenWatch } from './open-watch.ts';
import type { Rig } from './rig.ts';

/** One fault of the API server, its storage or the connection to it. */
export interface Scenario {
  readonly fault: string;
  /** Begins the fault. */
  readonly begin: () => unknown;
  /** Ends the fault. Default: the proxy forwards all requests. */
  readonly end?: () => unknown;
}

const isStatus = (call: Call) => kindOfCall(call) === 'update cronjobs/status';
const isWrite = ({ verb, resource }: Call) =>
  ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
const isNoLease = ({ resource }: Call) => resource !== 'leases';
const answer = (at: 'before' | 'after', code: number, reason: string, retryAfterSeconds?: number): Fault => ({
  kind: 'Answer',
  at,
  code,
  reason,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

/** @param rigOf Returns the rig, which need not be open yet. */
export function scenariosOf(rigOf: () => Rig, random: Random): readonly Scenario[] {
  /** Some of the calls get the fault. */
  const some =
    (part: number, fault: Fault, isMeant: (call: Call) => boolean = () => true) =>
    () => {
      rigOf().proxy.plan = (call) => (isMeant(call) && random.next() < part ? fault : noFault());
    };

  const each = (change: (watch: OpenWatch) => void) => {
    for (const watch of [...rigOf().proxy.watches]) change(watch);
  };

  /** A client that waits for an answer that never comes would wait for another minute. */
  const cut = () => {
    rigOf().proxy.cut();
  };

  const reachable = (isReachable: boolean) => {
    rigOf().proxy.isReachable = isReachable;
    if (!isReachable) rigOf().proxy.cut();
  };

  const late = async () => {
    for (let turn = 0; turn < 5; turn++) {
      each((watch) => watch.hold());
      await sleep(3000);
      each((watch) => watch.release());
    }
  };

  const cutWatches = async () => {
    for (let turn = 0; turn < 3; turn++) {
      each((watch) => watch.hold());
      await sleep(4000);
      each((watch) => watch.cut());
    }
  };

  return [
    {
      fault: 'connection reset before the request arrives, half of all',
      begin: some(0.5, { kind: 'Reset', at: 'before' }),
    },
    {
      fault: 'connection reset after it was carried out, half of all',
      begin: some(0.5, { kind: 'Reset', at: 'after' }),
    },
    { fault: 'answer cut in the middle, half of all', begin: some(0.5, { kind: 'Truncate' }) },
    { fault: 'every request 1.5 s late', begin: some(1, { kind: 'Delay', at: 'before', ms: 1500 }) },
    { fault: 'every answer 1.5 s late', begin: some(1, { kind: 'Delay', at: 'after', ms: 1500 }) },
    { fault: '429 with Retry-After 2 s', begin: some(1, answer('before', 429, 'TooManyRequests', 2), isNoLease) },
    { fault: '500, half of all', begin: some(0.5, answer('before', 500, 'InternalError')) },
    { fault: '503 with Retry-After 1 s', begin: some(1, answer('before', 503, 'ServiceUnavailable', 1), isNoLease) },
    { fault: '504 after a write took effect', begin: some(1, answer('after', 504, 'Timeout'), isWrite) },
    { fault: '409 on every status', begin: some(1, answer('before', 409, 'Conflict'), isStatus) },
    { fault: 'writes hang before they arrive', begin: some(1, { kind: 'Hang', at: 'before' }, isWrite), end: cut },
    { fault: 'writes hang after they took effect', begin: some(1, { kind: 'Hang', at: 'after' }, isWrite), end: cut },
    {
      fault: 'watches silent',
      begin: () => each((watch) => watch.hold()),
      end: () => each((watch) => watch.release()),
    },
    { fault: 'watches late by 3 s', begin: () => void late(), end: () => {} },
    { fault: 'watches cut in the middle of an event', begin: () => void cutWatches(), end: () => {} },
    { fault: 'watches expired (410)', begin: () => each((watch) => watch.expire()) },
    { fault: 'server out of reach', begin: () => reachable(false), end: () => reachable(true) },
    {
      fault: 'API server killed and restarted',
      begin: () => rigOf().controlPlane.restartApiServer(rigOf().connection),
    },
    {
      fault: 'etcd stopped (SIGSTOP)',
      begin: () => rigOf().controlPlane.etcd.signal('SIGSTOP'),
      end: () => rigOf().controlPlane.etcd.signal('SIGCONT'),
    },
  ];
}
