import { type BindAddress, parseBindAddress } from '../http/bind-address.ts';
import { createHealthHandler } from '../http/healthz.ts';
import { HttpServer } from '../http/http-server.ts';
import { createMetricsServer, type MetricsSecurity } from '../metrics/metrics-server.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions, MetricsOptions } from './manager-options.ts';

export const DEFAULT_HEALTH_PROBES = { bindAddress: ':8081' };
const DISABLED_METRICS_OPTIONS: MetricsOptions = { bindAddress: '0' };

/** Adds the servers for health probes and metrics. Throws a TypeError for an invalid address. */
export function addServers(
  manager: Manager,
  { healthProbes = DEFAULT_HEALTH_PROBES, metrics: metricsOptions = DISABLED_METRICS_OPTIONS }: ManagerOptions,
): void {
  const { clock, log, metrics, healthz, readyz } = manager;
  const [probeAddress, metricsAddress] = [
    resolveBindAddress(healthProbes.bindAddress),
    resolveBindAddress(metricsOptions.bindAddress),
  ];
  if (probeAddress.kind === 'listen') {
    const handler = createHealthHandler({ healthz, readyz });
    manager.addServer(new HttpServer({ name: 'health probes', address: probeAddress, handler, clock, log }));
  }
  if (metricsAddress.kind === 'listen') {
    metrics.registry.addProcessMetrics();
    const security = createMetricsSecurity(manager, metricsOptions);
    manager.addServer(createMetricsServer({ address: metricsAddress, security, metrics, clock, log }));
  }
}

/** Parses a bind address. Throws a TypeError for an invalid address. */
export function resolveBindAddress(bindAddress: BindAddress | string): BindAddress {
  const address = typeof bindAddress === 'string' ? parseBindAddress(bindAddress) : bindAddress;
  if (address.kind === 'invalid') throw new TypeError(`bindAddress: ${address.message}`);
  return address;
}

function createMetricsSecurity({ client }: Manager, options: MetricsOptions): MetricsSecurity {
  const { isSecure = true, certFolder, tokenAudiences: audiences = [] } = options;
  return isSecure ? { kind: 'tls', client, audiences, certFolder } : { kind: 'none' };
}
