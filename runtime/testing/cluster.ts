import type { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';

/** What managers and clients of tests talk to: a {@link FakeApiServer}, or the API server of a {@link TestEnvironment}. */
export interface TestCluster {
  /** A transport to it, which is closed with it. */
  connect(options?: ConnectOptions): HttpTransport;
}

/** How a transport of a test connects. */
export interface ConnectOptions {
  /** Who is asking, as the API server sees it. Default `test`. */
  readonly userAgent?: string;
  /** Of its time limits. Default the machine's: requests take real time. */
  readonly clock?: Clock;
}
