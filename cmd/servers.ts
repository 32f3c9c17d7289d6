import { healthHandler } from '../runtime/healthz.ts';
import { HttpServer } from '../runtime/http-server.ts';
import type { Manager } from '../runtime/manager/manager.ts';
import type { ManagerFlags } from './flags.ts';

/** Adds the servers that the flags ask for. */
export function addServers(manager: Manager, { healthProbeBindAddress }: ManagerFlags): void {
  const { clock, log, healthz, readyz } = manager;
  if (healthProbeBindAddress.kind === 'listen') {
    const handler = healthHandler({ healthz, readyz });
    manager.addServer(new HttpServer({ name: 'health probes', address: healthProbeBindAddress, handler, clock, log }));
  }
}
