import type { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';

/** An API server for tests: a {@link FakeApiServer} or a {@link TestEnvironment}. */
export interface TestCluster {
  /** Returns a transport to the API server. The transport is closed when the API server stops. */
  connect(options?: ConnectOptions): HttpTransport;
}

/** Options of a transport. */
export interface ConnectOptions {
  /** User agent of the requests. Default `test`. */
  readonly userAgent?: string;
  /** Clock for timeouts. Default: the system clock, because requests take real time. */
  readonly clock?: Clock;
}
