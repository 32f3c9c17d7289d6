import { healthHandler } from '../runtime/http/healthz.ts';
import { HttpServer } from '../runtime/http/http-server.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import { createMetricsServer, type MetricsSecurity } from '../runtime/metrics/metrics-server.ts';
import type { ManagerFlags } from './flag-table.ts';

/** Adds the servers that the flags ask for. */
export function addServers(manager: Manager, flags: ManagerFlags): void {
  const { clock, log, metrics, healthz, readyz } = manager;
  const { healthProbeBindAddress, metricsBindAddress } = flags;
  if (healthProbeBindAddress.kind === 'listen') {
    const handler = healthHandler({ healthz, readyz });
    manager.addServer(new HttpServer({ name: 'health probes', address: healthProbeBindAddress, handler, clock, log }));
  }
  if (metricsBindAddress.kind === 'listen') {
    metrics.registry.addProcessMetrics();
    const security = metricsSecurity(manager, flags);
    manager.addServer(createMetricsServer({ address: metricsBindAddress, security, metrics, clock, log }));
  }
}

function metricsSecurity({ client }: Manager, flags: ManagerFlags): MetricsSecurity {
  const { isMetricsSecure, metricsCertPath, metricsTokenAudiences: audiences } = flags;
  if (!isMetricsSecure) return { kind: 'none' };
  return { kind: 'tls', client, audiences, ...(metricsCertPath === undefined ? {} : { certFolder: metricsCertPath }) };
}
