/** The real manager with the real controller in this process, on a clock that the test moves. */
import { discardLogger, type Logger, Manager, PrometheusMetrics } from 'controller-runtime';
import type { FakeClock } from 'controller-runtime/testing';
import { eventually } from 'controller-runtime/testing';
import { setupWithManager } from '../../controllers/cronjob-controller.ts';
import { type NotedRequest, NotingTransport } from './noting-transport.ts';

export interface RunningManagerOptions {
  readonly kubeconfig: string;
  readonly namespaces: readonly string[];
  readonly clock: FakeClock;
  readonly leaderElection?: { readonly namespace: string; readonly name: string } | undefined;
  readonly log?: Logger | undefined;
  /** Its `--max-inflight-requests`. Default: that of the flag. */
  readonly maxInFlight?: number | undefined;
}

export interface RunningManager extends AsyncDisposable {
  readonly manager: Manager;
  /** What it has asked of the API server for this, or for anything; oldest first. */
  requests(method?: NotedRequest['method'], path?: RegExp): readonly NotedRequest[];
  /** Stops it in good order; resolves, or rejects with what it failed of, when it has stopped. */
  stop(): Promise<void>;
  /** Resolves or rejects when the manager ended. */
  readonly ended: Promise<void>;
}

/** Starts a manager for some namespaces; resolves once its caches have synced. */
export async function startManager(options: RunningManagerOptions): Promise<RunningManager> {
  const { clock, kubeconfig, namespaces, leaderElection, log = discardLogger, maxInFlight } = options;
  const requests: NotedRequest[] = [];
  const transport = new NotingTransport({ kubeconfig, requests, maxInFlight });
  const leaseTransport = new NotingTransport({ kubeconfig, requests });
  const manager = new Manager({
    name: 'cronjob-operator',
    transport,
    clock,
    log,
    leaderElection: leaderElection && { ...leaderElection, transport: leaseTransport },
    metrics: new PrometheusMetrics(),
    namespaces,
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
  return {
    manager,
    requests: (method, path) =>
      requests.filter((each) => (method ?? each.method) === each.method && (path?.test(each.path) ?? true)),
    stop,
    ended,
    [Symbol.asyncDispose]: stop,
  };
}
