/** The faults that the suites choose from. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { noFault, type ProxyFault } from './api-proxy.ts';
import { type AuditedCall, formatCallKind } from './call.ts';
import type { OpenWatch } from './open-watch.ts';
import type { Rig } from './rig.ts';

/** One fault of the API server, its storage or the connection to it. */
export interface FaultScenario {
  readonly fault: string;
  /** Begins the fault. */
  readonly begin: () => unknown;
  /** Ends the fault. Default: the proxy forwards all requests. */
  readonly end?: () => unknown;
}

const isStatus = (call: AuditedCall) => formatCallKind(call) === 'update cronjobs/status';
const isWrite = ({ verb, resource }: AuditedCall) =>
  ['create', 'update', 'patch', 'delete'].includes(verb) && resource !== 'leases';
const isNotLease = ({ resource }: AuditedCall) => resource !== 'leases';
const createResponseFault = (
  at: 'before' | 'after',
  code: number,
  reason: string,
  retryAfterSeconds?: number,
): ProxyFault => ({
  kind: 'Answer',
  at,
  code,
  reason,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

/** @param rigOf Returns the rig, which need not be open yet. */
export function createScenarios(rigOf: () => Rig, random: Random): readonly FaultScenario[] {
  /** Some of the calls get the fault. */
  const failSome =
    (part: number, fault: ProxyFault, matches: (call: AuditedCall) => boolean = () => true) =>
    () => {
      rigOf().proxy.plan = (call) => (matches(call) && random.next() < part ? fault : noFault());
    };

  const changeWatches = (change: (watch: OpenWatch) => void) => {
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

  const delayWatches = async () => {
    for (let round = 0; round < 5; round++) {
      changeWatches((watch) => watch.pause());
      await sleep(3000);
      changeWatches((watch) => watch.resume());
    }
  };

  const cutWatches = async () => {
    for (let round = 0; round < 3; round++) {
      changeWatches((watch) => watch.pause());
      await sleep(4000);
      changeWatches((watch) => watch.cut());
    }
  };

  return [
    {
      fault: 'half of the connections reset before the request arrives',
      begin: failSome(0.5, { kind: 'Reset', at: 'before' }),
    },
    {
      fault: 'half of the connections reset after the request took effect',
      begin: failSome(0.5, { kind: 'Reset', at: 'after' }),
    },
    { fault: 'half of the responses cut in the middle', begin: failSome(0.5, { kind: 'Truncate' }) },
    { fault: 'every request 1.5 s late', begin: failSome(1, { kind: 'Delay', at: 'before', ms: 1500 }) },
    { fault: 'every response 1.5 s late', begin: failSome(1, { kind: 'Delay', at: 'after', ms: 1500 }) },
    {
      fault: 'status 429 with Retry-After 2 s',
      begin: failSome(1, createResponseFault('before', 429, 'TooManyRequests', 2), isNotLease),
    },
    {
      fault: 'status 500 for half of the requests',
      begin: failSome(0.5, createResponseFault('before', 500, 'InternalError')),
    },
    {
      fault: 'status 503 with Retry-After 1 s',
      begin: failSome(1, createResponseFault('before', 503, 'ServiceUnavailable', 1), isNotLease),
    },
    {
      fault: 'status 504 after a write took effect',
      begin: failSome(1, createResponseFault('after', 504, 'Timeout'), isWrite),
    },
    { fault: '409 on every status', begin: failSome(1, createResponseFault('before', 409, 'Conflict'), isStatus) },
    { fault: 'writes hang before they arrive', begin: failSome(1, { kind: 'Hang', at: 'before' }, isWrite), end: cut },
    {
      fault: 'writes hang after they took effect',
      begin: failSome(1, { kind: 'Hang', at: 'after' }, isWrite),
      end: cut,
    },
    {
      fault: 'watches silent',
      begin: () => changeWatches((watch) => watch.pause()),
      end: () => changeWatches((watch) => watch.resume()),
    },
    { fault: 'watches late by 3 s', begin: () => void delayWatches(), end: () => {} },
    { fault: 'watches cut in the middle of an event', begin: () => void cutWatches(), end: () => {} },
    { fault: 'watches expired (410)', begin: () => changeWatches((watch) => watch.expire()) },
    { fault: 'API server unreachable', begin: () => reachable(false), end: () => reachable(true) },
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
