#!/usr/bin/env node
/** The manager: flags → connections → controllers → run until told to stop. */
import './no-inspector.ts'; // first: a signal may come at any time
import './schedule-entry.ts'; // next: `manager schedule` ends there, before anything below is loaded

import { setupWithManager } from '../controllers/cronjob-controller.ts';
import { KubeConfigCredentials, loadKubeConfig } from '../runtime/client/credentials.ts';
import { HttpTransport } from '../runtime/client/transport.ts';
import { SystemClock } from '../runtime/clock/system-clock.ts';
import { createLogger } from '../runtime/log/winston-logger.ts';
import { Manager } from '../runtime/manager/manager.ts';
import { PrometheusMetrics } from '../runtime/metrics/prometheus-metrics.ts';
import { USAGE_EXIT_CODE } from './exit-code.ts';
import type { ManagerFlags } from './flag-table.ts';
import { parseFlags } from './flags.ts';
import { forgiveReaders } from './forgive-readers.ts';
import { leaseFor } from './lease.ts';
import { keepYoungGenerationSmall } from './memory.ts';
import { addServers } from './servers.ts';
import { stopSignal } from './stop-signal.ts';
import { VERSION } from './version.ts';
import { addWebhooks } from './webhooks.ts';

keepYoungGenerationSmall();
// Dates are formatted in zones by name; the machine's own zone must not shine through anywhere.
process.env['TZ'] = 'UTC';

/** Attempts follow one another; one that was given up may not be closed yet. A lane of 8 lets both of one namespace go. */
const LEASE_MAX_IN_FLIGHT = 8;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseFlags(args, VERSION);
  switch (parsed.kind) {
    case 'show':
      forgiveReaders();
      process.stdout.write(parsed.text);
      return 0;
    case 'invalid':
      process.stderr.write(`manager: ${parsed.message}\n`);
      return USAGE_EXIT_CODE;
    case 'run':
      return await run(parsed.flags, stopSignal());
  }
}

/** Runs until `signal` aborts. The exit code: 0 after an orderly stop, 1 when something failed. */
async function run(flags: ManagerFlags, signal: AbortSignal): Promise<number> {
  const clock = new SystemClock();
  const log = createLogger({ level: flags.logLevel, format: flags.logFormat, clock });
  try {
    const metrics = new PrometheusMetrics();
    const credentials = new KubeConfigCredentials(() => loadKubeConfig(flags.kubeconfig), clock);
    const connect = (maxInFlight: number) =>
      new HttpTransport({
        credentials,
        clock,
        maxInFlight,
        metrics: metrics.requests(),
        userAgent: `cronjob-operator/${VERSION}`,
      });
    const transport = connect(flags.maxInflightRequests);
    const leaseTransport = connect(LEASE_MAX_IN_FLIGHT);
    const lease = leaseFor(flags);
    const manager = new Manager({
      transport,
      clock,
      log,
      metrics,
      namespaces: flags.namespaces.length > 0 ? flags.namespaces : undefined,
      syncPeriodMs: flags.syncPeriodMs,
      gracefulShutdownTimeoutMs: flags.gracefulShutdownTimeoutMs,
      leaderElection: lease && { ...lease, transport: leaseTransport },
    });
    addServers(manager, flags);
    addWebhooks({ manager, transport }, flags, process.env);
    const { maxConcurrentReconciles, metricsMaxCronJobs } = flags;
    setupWithManager(manager, { maxConcurrentReconciles, metricsMaxCronJobs });
    log.info('manager starting', { version: VERSION, node: process.version, zoneData: process.versions['tz'] });
    await manager.start(signal);
    await Promise.all([transport.close(), leaseTransport.close()]);
    log.info('manager stopped');
    return 0;
  } catch (error) {
    log.error('manager failed', error);
    return 1;
  } finally {
    await log.close();
  }
}
