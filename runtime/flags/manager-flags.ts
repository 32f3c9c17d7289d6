/** The flags of a manager, as those of Go's operators are called, and the options that their values stand for. */
import { DEFAULT_MAX_IN_FLIGHT } from '../client/transport.ts';
import { LOG_FORMATS } from '../log/log-line.ts';
import { LOG_LEVELS } from '../log/logger.ts';
import { DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS, DEFAULT_SYNC_PERIOD_MS } from '../manager/manager.ts';
import { defaultWebhookNames } from '../manager/webhook-names.ts';
import { ENABLE_WEBHOOKS } from '../manager/webhooks.ts';
import { DEFAULT_VALID_FOR_MS } from '../tls/issued.ts';
import {
  bindAddress,
  bool,
  certificateDurationMs,
  durationMs,
  integer,
  namespaceList,
  oneOf,
  optionalText,
  text,
  textList,
} from './flag-values.ts';
import type { Flag, FlagTable, FlagValues } from './flags.ts';

export interface ManagerFlagDefaults {
  /** That of the manager: names of objects that belong to it begin with it. */
  readonly name: string;
  /** Name of the lease. Default {@link name}. */
  readonly leaderElectionId?: string;
  /**
   * `own`: the manager makes the certificates of its webhooks unless it is given --webhook-cert-path, and keeps them in the Secret
   * `<name>-webhook-certificate`. Default: webhooks are off until one of the flags for certificates is given.
   */
  readonly certificates?: 'own';
  /** Any other defaults, as one would type them: `{ isLeaderElected: 'true', metricsBindAddress: ':8443' }`. */
  readonly defaults?: Partial<Readonly<Record<ManagerFlagKey, string>>>;
}

/** Those whose default is a name get it from {@link managerFlags}. */
const FLAGS = {
  metricsBindAddress: {
    group: 'Metrics',
    name: 'metrics-bind-address',
    value: 'address',
    default: '0',
    description: 'Where metrics are served, such as :8443. 0 turns them off.',
    parse: bindAddress,
  },
  isMetricsSecure: {
    group: 'Metrics',
    name: 'metrics-secure',
    value: 'bool',
    default: 'true',
    description: 'Serve metrics over HTTPS, to those only whom the API server allows to get /metrics.',
    parse: bool,
  },
  metricsTokenAudiences: {
    group: 'Metrics',
    name: 'metrics-token-audiences',
    value: 'a,b',
    default: '',
    description:
      'Audiences, for one of which a token must be that comes with a scrape. Those of the API server when not given.',
    parse: textList,
  },
  metricsCertPath: {
    group: 'Metrics',
    name: 'metrics-cert-path',
    value: 'folder',
    default: '',
    description: 'Folder with tls.crt and tls.key for metrics. A self-signed certificate is made when there is none.',
    parse: optionalText,
  },
  healthProbeBindAddress: {
    group: 'Health',
    name: 'health-probe-bind-address',
    value: 'address',
    default: ':8081',
    description: 'Where /healthz and /readyz are served. 0 turns them off.',
    parse: bindAddress,
  },
  webhookPort: {
    group: 'Webhooks',
    name: 'webhook-port',
    value: 'port',
    default: '9443',
    description: 'Port at which webhooks are served.',
    parse: integer(1, 65_535),
  },
  webhookCertPath: {
    group: 'Webhooks',
    name: 'webhook-cert-path',
    value: 'folder',
    default: '',
    description: `Folder with tls.crt and tls.key for webhooks. They are off without it and --webhook-cert-secret, or when the environment has ${ENABLE_WEBHOOKS}=false.`,
    parse: optionalText,
    excludes: {
      flag: 'webhook-cert-secret',
      advice: 'give the one for certificates that others make, the other for those that the manager makes',
    },
  },
  webhookCertSecret: {
    group: 'Webhooks',
    name: 'webhook-cert-secret',
    value: 'name',
    default: '',
    description:
      'Secret in which the manager keeps certificates for webhooks that it makes and renews by itself, instead of --webhook-cert-path.',
    parse: optionalText,
  },
  webhookClientCaFile: {
    group: 'Webhooks',
    name: 'webhook-client-ca-file',
    value: 'file',
    default: '',
    description:
      'File with the CA of the certificate that the API server shows to webhooks. When given, whoever else connects is refused.',
    parse: optionalText,
  },
  webhookCertDurationMs: {
    group: 'Webhooks',
    name: 'webhook-cert-duration',
    value: 'duration',
    default: `${DEFAULT_VALID_FOR_MS / 3_600_000}h`,
    description: 'How long certificates in that Secret are valid. They are renewed after two thirds of it.',
    parse: certificateDurationMs,
  },
  webhookNamespace: {
    group: 'Webhooks',
    name: 'webhook-namespace',
    value: 'namespace',
    default: '',
    description:
      "Namespace of that Secret and of the webhooks' Service. Inside a cluster it is the pod's own when not given.",
    parse: optionalText,
  },
  webhookService: {
    group: 'Webhooks',
    name: 'webhook-service',
    value: 'name',
    default: '',
    description: 'Service through which the API server calls webhooks: the certificate is for its name.',
    parse: text,
  },
  mutatingWebhookConfiguration: {
    group: 'Webhooks',
    name: 'mutating-webhook-configuration',
    value: 'name',
    default: '',
    description: 'MutatingWebhookConfiguration that is told to trust the certificate. None when empty.',
    parse: optionalText,
  },
  validatingWebhookConfiguration: {
    group: 'Webhooks',
    name: 'validating-webhook-configuration',
    value: 'name',
    default: '',
    description: 'ValidatingWebhookConfiguration that is told to trust the certificate. None when empty.',
    parse: optionalText,
  },
  webhookShutdownDelayMs: {
    group: 'Webhooks',
    name: 'webhook-shutdown-delay',
    value: 'duration',
    default: '5s',
    description:
      'How long webhooks answer after the process was told to stop: the API server goes on asking until it has noticed.',
    parse: durationMs('0 or more', (ms) => ms >= 0),
  },
  isLeaderElected: {
    group: 'Leader election',
    name: 'leader-elect',
    value: 'bool',
    default: 'false',
    description: 'Work only while this process holds the lease, so that several can stand by.',
    parse: bool,
  },
  leaderElectionNamespace: {
    group: 'Leader election',
    name: 'leader-election-namespace',
    value: 'namespace',
    default: '',
    description: "Namespace of the lease. Inside a cluster it is the pod's own when not given.",
    parse: optionalText,
  },
  leaderElectionId: {
    group: 'Leader election',
    name: 'leader-election-id',
    value: 'name',
    default: '',
    description: 'Name of the lease.',
    parse: text,
  },
  kubeconfig: {
    group: 'Cluster',
    name: 'kubeconfig',
    value: 'file',
    default: '',
    description: "Kubeconfig file. When not given: $KUBECONFIG, then the pod's service account, then ~/.kube/config.",
    parse: optionalText,
  },
  namespaces: {
    group: 'Cluster',
    name: 'namespaces',
    value: 'a,b,c',
    default: '',
    description: 'Namespaces to work in. All of them when not given.',
    parse: namespaceList,
  },
  syncPeriodMs: {
    group: 'Work',
    name: 'sync-period',
    value: 'duration',
    default: `${DEFAULT_SYNC_PERIOD_MS / 60_000}m`,
    description: 'How often every object is reconciled though nothing has happened to it.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  maxInflightRequests: {
    group: 'Work',
    name: 'max-inflight-requests',
    value: 'count',
    default: String(DEFAULT_MAX_IN_FLIGHT),
    description:
      'Requests to the API server at once, not counting watches and the lease. Shared by namespace: urgent requests of one get at most a quarter.',
    parse: integer(1, 10_000),
  },
  gracefulShutdownTimeoutMs: {
    group: 'Work',
    name: 'graceful-shutdown-timeout',
    value: 'duration',
    default: `${DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS / 1000}s`,
    description: 'How long running passes may take to finish when the process is told to stop.',
    parse: durationMs('0 or more', (ms) => ms >= 0),
  },
  logLevel: {
    group: 'Logging',
    name: 'log-level',
    value: 'level',
    default: 'info',
    description: `Lines below this level are dropped: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    group: 'Logging',
    name: 'log-format',
    value: 'format',
    default: 'json',
    description: `One of ${LOG_FORMATS.join(', ')}.`,
    parse: oneOf(LOG_FORMATS),
  },
} as const satisfies FlagTable;

type ManagerFlagKey = keyof typeof FLAGS;

export type ManagerFlags = FlagValues<typeof FLAGS>;

/**
 * A table of flags; a program adds its own to it. `managerOptionsOf` makes options of their values. Throws a TypeError for a default
 * that its flag would not take.
 */
export function managerFlags(options: ManagerFlagDefaults): typeof FLAGS {
  const { name, leaderElectionId = name, certificates, defaults = {} } = options;
  const { secret, service, ...configurations } = defaultWebhookNames(name);
  const texts: Readonly<Record<string, string>> = {
    leaderElectionId,
    webhookService: service,
    ...configurations,
    ...(certificates === 'own' && { webhookCertSecret: secret }),
    ...defaults,
  };
  const entries = Object.entries<Flag<unknown>>(FLAGS).map(
    ([key, flag]) => [key, { ...flag, default: texts[key] ?? flag.default }] as const,
  );
  for (const [, flag] of entries) checkDefault(flag);
  return Object.fromEntries(entries) as unknown as typeof FLAGS; // only defaults change, which are texts
}

function checkDefault({ name, default: text, parse }: Flag<unknown>): void {
  const parsed = parse(text);
  if (parsed.kind === 'invalid') throw new TypeError(`default of --${name}: "${text}" is not valid: ${parsed.message}`);
}
