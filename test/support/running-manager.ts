/** The real manager with the real controller in this process, on a clock that the test moves. */
import { setupWithManager } from '../../controllers/cronjob-controller.ts';
import type { FakeClock } from '../../runtime/clock/fake-clock.ts';
import { discardLogger, type Logger } from '../../runtime/log/logger.ts';
import { Manager } from '../../runtime/manager/manager.ts';
import { PrometheusMetrics } from '../../runtime/metrics/prometheus-metrics.ts';
import { connect } from './cluster-client.ts';
import { eventually } from './eventually.ts';

export interface RunningManagerOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly clock: FakeClock;
  readonly leaderElection?: { readonly namespace: string; readonly name: string } | undefined;
  readonly log?: Logger | undefined;
}

export interface RunningManager extends AsyncDisposable {
  readonly manager: Manager;
  /** Stops it in good order; resolves, or rejects with what it failed of, when it has stopped. */
  stop(): Promise<void>;
  /** Resolves or rejects when the manager ended. */
  readonly ended: Promise<void>;
}

/** Starts a manager for one namespace; resolves once its caches have synced. */
export async function startManager(options: RunningManagerOptions): Promise<RunningManager> {
  const { clock, kubeconfig, namespace, leaderElection, log = discardLogger } = options;
  const { transport } = connect(kubeconfig);
  const { transport: leaseTransport } = connect(kubeconfig);
  const manager = new Manager({
    transport,
    clock,
    log,
    leaderElection: leaderElection && { ...leaderElection, transport: leaseTransport },
    metrics: new PrometheusMetrics(),
    namespaces: [namespace],
  });
  setupWithManager(manager);
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  ended.catch(() => {}); // whoever cares awaits it
  await eventually(async () => {
    const reason = manager.cache.check();
    if (reason === undefined) return;
    await clock.advance(100); // a reflector that had to back off waits on this clock
    throw new Error(reason);
  });
  const stop = async () => {
    stopping.abort();
    try {
      await ended;
    } finally {
      await Promise.all([transport.close(), leaseTransport.close()]);
    }
  };
  return { manager, stop, ended, [Symbol.asyncDispose]: stop };
}
