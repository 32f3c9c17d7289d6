import type { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';

/**
 * The API server that managers and clients of tests use: a {@link FakeApiServer}, or the API server of a {@link
 * TestEnvironment}.
 */
export interface TestCluster {
  /** Returns a transport to it, which is closed together with it. */
  connect(options?: ConnectOptions): HttpTransport;
}

/** How a transport of a test connects. */
export interface ConnectOptions {
  /** User agent that the API server sees. Default `test`. */
  readonly userAgent?: string;
  /** Clock of its timeouts. Default: the system clock, because requests take real time. */
  readonly clock?: Clock;
}
