/** The real manager with the real controllers in this process, on a clock that the test controls. */
import type { Logger } from 'controller-runtime';
import { discardLogger, Manager, PrometheusMetrics } from 'controller-runtime/internal';
import { eventually, type FakeClock } from 'controller-runtime/testing';
import { setupWithManager } from '../../controllers/cronjob-controller.ts';
import { setupCronJobRunsWithManager } from '../../controllers/cronjobrun-controller.ts';
import { type LoggedRequest, RequestLogTransport } from './request-log-transport.ts';

export interface RunningManagerOptions {
  readonly kubeconfig: string;
  readonly namespaces: readonly string[];
  readonly clock: FakeClock;
  readonly log?: Logger | undefined;
  /** Its `--max-inflight-requests`. Default: the default of the flag. */
  readonly maxInFlight?: number | undefined;
  /** Its `--watch-label-selector`. Default: all CronJobs. */
  readonly watchLabelSelector?: string | undefined;
}

export interface RunningManager extends AsyncDisposable {
  /** Its requests to the API server with this method and path, oldest first. Default: all. */
  requests(method?: LoggedRequest['method'], path?: RegExp): readonly LoggedRequest[];
  /** Stops it gracefully; resolves when it has stopped, or rejects with its error. */
  stop(): Promise<void>;
}

/** Starts a manager for some namespaces; resolves once its caches have synced. */
export async function startManager(options: RunningManagerOptions): Promise<RunningManager> {
  const { clock, kubeconfig, namespaces, log = discardLogger, maxInFlight, watchLabelSelector } = options;
  const requests: LoggedRequest[] = [];
  const transport = new RequestLogTransport({ kubeconfig, requests, maxInFlight });
  const metrics = new PrometheusMetrics();
  const manager = new Manager({ name: 'cronjob-operator', transport, clock, log, metrics, namespaces });
  setupCronJobRunsWithManager(manager, setupWithManager(manager, { watchLabelSelector }));
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  ended.catch(() => {}); // the caller that stops it awaits it
  await eventually(async () => {
    const reason = manager.cache.check();
    if (reason === undefined) return;
    await clock.advance(100); // a reflector in back-off waits on this clock
    throw new Error(reason);
  });
  const stop = async () => {
    stopping.abort();
    await ended.finally(() => transport.close());
  };
  return {
    requests: (method, path) =>
      requests.filter((each) => (method ?? each.method) === each.method && (path?.test(each.path) ?? true)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
