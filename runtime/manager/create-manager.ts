/**
 * Creates a manager from options: connections, log, metrics, servers, webhooks, lease. It runs and reads nothing before
 * the start.
 */
import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubeConfig } from '../client/kubeconfig/loading-rules.ts';
import { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { checkTimings, DEFAULT_TIMINGS } from '../leader-election/leader-elector.ts';
import type { Logger } from '../log/logger.ts';
import { createLogger } from '../log/winston-logger.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { Manager, type ManagerParts } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import { podNamespace } from './pod-namespace.ts';
import { addServers } from './servers.ts';
import { addWebhooks } from './webhooks.ts';

/**
 * Attempts follow one another, but an aborted attempt may not be closed yet. A limit of 8 allows two requests of one
 * namespace.
 */
const LEASE_MAX_IN_FLIGHT = 8;
const NO_NAMESPACE =
  'leader election outside a cluster needs a namespace: set --leader-election-namespace, or the option leaderElection: { namespace } instead of `true`';
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Creates a manager for an operator's main file. Throws a TypeError for invalid options. */
export function createManager(options: ManagerOptions): Manager {
  const { name, version, namespaces, syncPeriodMs, gracefulShutdownTimeoutMs, maxInFlightRequests } = options;
  if (!NAME.test(name)) throw new TypeError(`name: "${name}" is not an RFC 1123 label, such as website-operator`);
  const { clock = new SystemClock() } = options;
  const { log, close: closeLog } = openLog(options.log, clock);
  const metrics = new PrometheusMetrics();
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(options.kubeconfig), clock);
  const createTransport = (maxInFlight: number | undefined) =>
    new HttpTransport({
      credentials,
      clock,
      metrics: metrics.requests(),
      userAgent: version === undefined ? name : `${name}/${version}`,
      ...(maxInFlight !== undefined && { maxInFlight }),
    });
  const [transport, leaseTransport] = [createTransport(maxInFlightRequests), createTransport(LEASE_MAX_IN_FLIGHT)];
  const manager = new Manager({
    name,
    transport,
    clock,
    log,
    metrics,
    namespaces,
    ...(syncPeriodMs !== undefined && { syncPeriodMs }),
    ...(gracefulShutdownTimeoutMs !== undefined && { gracefulShutdownTimeoutMs }),
    leaderElection: buildLeaderElection(options, leaseTransport),
    prepare: () => {
      credentials.load();
      log.info('manager starting', { version, node: process.version, zoneData: process.versions['tz'] });
    },
    close: async () => {
      await Promise.all([transport.close(), leaseTransport.close()]);
      await closeLog();
    },
    webhooks: (host) => addWebhooks({ manager: host, transport }, options),
  });
  addServers(manager, options);
  return manager;
}

interface OpenLog {
  readonly log: Logger;
  /** Resolves when all lines are written. */
  readonly close: () => Promise<void>;
}

function openLog(options: ManagerOptions['log'] = {}, clock: Clock): OpenLog {
  if ('with' in options) return { log: options, close: async () => {} };
  const log = createLogger({ level: options.level ?? 'info', format: options.format ?? 'json', clock });
  return { log, close: () => log.close() };
}

function buildLeaderElection(options: ManagerOptions, transport: HttpTransport): ManagerParts['leaderElection'] {
  const { name, leaderElection = false } = options;
  if (leaderElection === false) return undefined;
  const { name: lease = name, namespace, ...timingOptions } = leaderElection === true ? {} : leaderElection;
  const timings = { ...DEFAULT_TIMINGS, ...timingOptions };
  checkTimings(timings);
  const fix = lackCertificateNamespace(options) ? `${NO_NAMESPACE}; and --webhook-namespace` : NO_NAMESPACE;
  return { name: lease, namespace: () => namespace ?? podNamespace(fix), transport, timings };
}

/** Without a namespace, the certificates would fail only at the start. */
function lackCertificateNamespace({ webhooks }: ManagerOptions): boolean {
  if (webhooks === undefined || 'off' in webhooks) return false;
  const { certificates } = webhooks;
  return certificates === 'own' || (!('folder' in certificates) && certificates.namespace === undefined);
}
