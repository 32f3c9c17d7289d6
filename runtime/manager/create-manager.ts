import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubeConfig } from '../client/kubeconfig/loading-rules.ts';
import { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { DEFAULT_TIMINGS, throwIfInvalidTimings } from '../leader-election/leader-elector.ts';
import type { Logger } from '../log/logger.ts';
import { createLogger } from '../log/winston-logger.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { addServers } from './add-servers.ts';
import { addWebhooks } from './add-webhooks.ts';
import { Manager, type ManagerConstructorOptions } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import { readPodNamespace } from './pod-namespace.ts';

/**
 * Maximum number of concurrent requests for the lease. The manager sends one request for the lease at a time, but an
 * aborted request may still be open. With this maximum, the request limiter allows two requests per namespace.
 */
const MAX_LEASE_REQUESTS_IN_FLIGHT = 8;
const MISSING_NAMESPACE_MESSAGE =
  'leader election outside a cluster needs a namespace: set --leader-election-namespace, or the option leaderElection: { namespace } instead of `true`';
const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Creates the manager in the main file of an operator. Throws a TypeError for invalid options. Does not send requests
 * or read files before the manager starts.
 */
export function createManager(options: ManagerOptions): Manager {
  const { name, version, namespaces, syncPeriodMs, gracefulShutdownTimeoutMs, maxInFlightRequests } = options;
  const { controllers = {}, cacheSyncTimeoutMs } = options;
  if (!NAME_PATTERN.test(name))
    throw new TypeError(`name: "${name}" is not an RFC 1123 label, such as website-operator`);
  const { clock = new SystemClock() } = options;
  const { log, close: closeLog } = createManagerLogger(options.log, clock);
  const metrics = new PrometheusMetrics();
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(options.kubeconfig, options.context), clock);
  const createTransport = (maxInFlight: number | undefined) =>
    new HttpTransport({
      credentials,
      clock,
      metrics: metrics.requests(),
      userAgent: version === undefined ? name : `${name}/${version}`,
      ...(maxInFlight !== undefined && { maxInFlight }),
    });
  const [transport, leaseTransport] = [
    createTransport(maxInFlightRequests),
    createTransport(MAX_LEASE_REQUESTS_IN_FLIGHT),
  ];
  const manager = new Manager({
    name,
    transport,
    clock,
    log,
    metrics,
    namespaces,
    controllers,
    cacheSyncTimeoutMs,
    ...(maxInFlightRequests !== undefined && { maxInFlightRequests }),
    ...(syncPeriodMs !== undefined && { syncPeriodMs }),
    ...(gracefulShutdownTimeoutMs !== undefined && { gracefulShutdownTimeoutMs }),
    leaderElection: createLeaseOptions(options, leaseTransport),
    prepare: () => {
      credentials.load();
      log.info('manager starting', { version, node: process.version, zoneData: process.versions['tz'] });
    },
    close: async () => {
      await Promise.all([transport.close(), leaseTransport.close()]);
      await closeLog();
    },
    webhooks: (webhookManager) => addWebhooks({ manager: webhookManager, transport }, options),
  });
  addServers(manager, options);
  return manager;
}

interface ManagerLogger {
  readonly log: Logger;
  /** Resolves after all log lines have been written. */
  readonly close: () => Promise<void>;
}

function createManagerLogger(options: ManagerOptions['log'] = {}, clock: Clock): ManagerLogger {
  if ('with' in options) return { log: options, close: async () => {} };
  const log = createLogger({ level: options.level ?? 'info', format: options.format ?? 'json', clock });
  return { log, close: () => log.close() };
}

function createLeaseOptions(
  options: ManagerOptions,
  transport: HttpTransport,
): ManagerConstructorOptions['leaderElection'] {
  const { name, leaderElection = false } = options;
  if (leaderElection === false) return undefined;
  const { name: leaseName = name, namespace, ...timingOptions } = leaderElection === true ? {} : leaderElection;
  const timings = { ...DEFAULT_TIMINGS, ...timingOptions };
  throwIfInvalidTimings(timings);
  const errorMessage = needsCertificateNamespace(options)
    ? `${MISSING_NAMESPACE_MESSAGE}; and --webhook-namespace`
    : MISSING_NAMESPACE_MESSAGE;
  return { name: leaseName, namespace: () => namespace ?? readPodNamespace(errorMessage), transport, timings };
}

function needsCertificateNamespace({ webhooks }: ManagerOptions): boolean {
  if (webhooks === undefined || 'off' in webhooks) return false;
  const { certificates } = webhooks;
  return certificates === 'own' || (!('folder' in certificates) && certificates.namespace === undefined);
}
