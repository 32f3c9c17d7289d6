/** What a manager can be told. Everything but its name has a default. */
import type { Clock } from '../clock/clock.ts';
import type { BindAddress } from '../http/bind-address.ts';
import type { LogFormat } from '../log/log-line.ts';
import type { Logger, LogLevel } from '../log/logger.ts';

export interface ManagerOptions {
  /**
   * Of the operator, an RFC 1123 label such as `website-operator`. Its writes are recorded under it (field manager), its requests
   * are sent under it (user agent), and objects that belong to it begin with it: its lease, its certificates.
   */
  readonly name: string;
  /** Of the operator, for the user agent and the log. Default none. */
  readonly version?: string;
  /** Path. Default: `$KUBECONFIG`, then the ServiceAccount of the pod, then `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** Namespaces to work in. Default all of the cluster. */
  readonly namespaces?: readonly string[] | undefined;
  /** Work only while this process holds a lease, so that several can stand by. Default false. */
  readonly leaderElection?: boolean | LeaderElectionOptions;
  /** Default `{ bindAddress: ':8081' }`. */
  readonly healthProbes?: { readonly bindAddress: BindAddress | string };
  /** Default off. */
  readonly metrics?: MetricsOptions;
  /** Default off: webhooks that are registered are not served then, and the log says so. */
  readonly webhooks?: WebhookOptions | WebhooksOff;
  /** How often every object is reconciled though nothing has happened to it, in milliseconds. Default 10 minutes. */
  readonly syncPeriodMs?: number;
  /** How long passes may take to finish after the stop, in milliseconds, before they are aborted. Default 30 s. */
  readonly gracefulShutdownTimeoutMs?: number;
  /** Most requests to the API server at once, not counting watches and the lease. Default 64. */
  readonly maxInFlightRequests?: number;
  /** Default `info` and `json`. Lines go to stderr; those of a {@link Logger} of your own go where it says. */
  readonly log?: LogOptions | Logger;
  /** Of schedules, back-off, `requeueAfterMs`, resyncs, the lease and `now`. Default the machine's; tests may want a FakeClock. */
  readonly clock?: Clock;
}

export interface LogOptions {
  readonly level?: LogLevel;
  readonly format?: LogFormat;
}

export interface LeaderElectionOptions {
  /** Of the lease. Default that of the manager. */
  readonly name?: string;
  /** Of the lease. Default that of the pod; the start fails where there is none. */
  readonly namespace?: string | undefined;
  /** How long the others leave a lease alone after its last renewal, in milliseconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** A leader whose last renewal is older than this stops, in milliseconds. Less than {@link leaseDurationMs}. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Wait between attempts to get or renew it, in milliseconds. Default 2 s. */
  readonly retryPeriodMs?: number;
}

export interface MetricsOptions {
  /** `:8443`. */
  readonly bindAddress: BindAddress | string;
  /** Over HTTPS, to those only whom the API server allows to get /metrics. Default true. */
  readonly isSecure?: boolean;
  /** Folder with tls.crt and tls.key. A self-signed certificate is made when absent. */
  readonly certFolder?: string | undefined;
  /** For one of which a token must be that comes with a scrape. Default those of the API server. */
  readonly tokenAudiences?: readonly string[];
}

export interface WebhookOptions {
  /**
   * `own`: the manager makes and renews them and tells the webhook configurations to trust them, under the names that are the
   * defaults of {@link OwnCertificateOptions}. A folder: it has tls.crt and tls.key, which others make and renew.
   */
  readonly certificates: 'own' | OwnCertificateOptions | { readonly folder: string };
  /** Default 9443. */
  readonly port?: number;
  /** File with the CA of the certificate that the API server shows. Whoever else connects is refused when given. */
  readonly clientCaFile?: string | undefined;
  /** How long reviews are answered after the stop, in milliseconds: the API server goes on asking until it has noticed. Default 5 s. */
  readonly shutdownDelayMs?: number;
}

export interface OwnCertificateOptions {
  /** Where they are kept. Default `<name>-webhook-certificate`. */
  readonly secret?: string;
  /** Of the Secret and of the Service. Default that of the pod; the start fails where there is none. */
  readonly namespace?: string | undefined;
  /** Through which the API server calls webhooks: the certificate is for its name. Default `<name>-webhook-service`. */
  readonly service?: string;
  /**
   * Hosts of the URLs of webhook configurations that call the manager without a Service, DNS names and IPv4 addresses: the certificate is
   * for them as well, and such webhooks are told to trust it. For a manager on your machine. Default none.
   */
  readonly urlHosts?: readonly string[];
  /** Told to trust the certificate. Default `<name>-mutating-webhook-configuration`; none when `null`. */
  readonly mutatingWebhookConfiguration?: string | null;
  /** Told to trust the certificate. Default `<name>-validating-webhook-configuration`; none when `null`. */
  readonly validatingWebhookConfiguration?: string | null;
  /** For how long they are valid, in milliseconds; they are renewed after two thirds of it. Default 90 days. */
  readonly validForMs?: number;
}

/** Why webhooks are off, and what to do to have them. */
export interface WebhooksOff {
  readonly off: string;
}
