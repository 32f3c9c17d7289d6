import { parseFlags } from 'controller-runtime';
import { describe, expect, test } from 'vitest';
import { addSelectorHashToLeaseName, FLAGS, type Flags, MANAGER_PROGRAM } from './flags.ts';

const parseArgs = (args: readonly string[]) => parseFlags({ ...MANAGER_PROGRAM, version: '1.2.3' }, args);

/** The flags, or the error about them. */
function parseOk(...args: string[]): Flags {
  const parsed = parseArgs(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.flags;
}

/** The error about the flags. */
function parseError(...args: string[]): string {
  const parsed = parseArgs(args);
  if (parsed.kind !== 'invalid') throw new Error(JSON.stringify(parsed));
  return parsed.message;
}

function parseText(...args: string[]): string {
  const parsed = parseArgs(args);
  if (parsed.kind !== 'show') throw new Error(JSON.stringify(parsed));
  return parsed.text;
}

test('has a default for every flag', () => {
  expect(parseOk()).toEqual({
    metricsBindAddress: { kind: 'off' },
    isMetricsSecure: true,
    metricsCertPath: undefined,
    metricsTokenAudiences: [],
    watchLabelSelector: undefined,
    metricsMaxCronJobs: 1000,
    healthProbeBindAddress: { kind: 'listen', port: 8081 },
    webhookPort: 9443,
    webhookShutdownDelayMs: 5_000,
    webhookCertPath: undefined,
    webhookClientCaFile: undefined,
    webhookCertSecret: undefined,
    webhookCertDurationMs: 90 * 24 * 3_600_000,
    webhookNamespace: undefined,
    webhookService: 'cronjob-operator-webhook-service',
    webhookUrlHosts: [],
    mutatingWebhookConfiguration: 'cronjob-operator-mutating-webhook-configuration',
    validatingWebhookConfiguration: 'cronjob-operator-validating-webhook-configuration',
    isLeaderElected: false,
    leaderElectionNamespace: undefined,
    leaderElectionId: 'cronjob-controller.batch.tutorial.kubebuilder.io',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    kubeconfig: undefined,
    context: undefined,
    convertsV2: false,
    namespaces: [],
    syncPeriodMs: 600_000,
    maxConcurrentReconciles: 512,
    maxInflightRequests: 64,
    gracefulShutdownTimeoutMs: 30_000,
    logLevel: 'info',
    logFormat: 'json',
  } satisfies Flags);
});

describe('parses values as Go does', () => {
  test.each([
    [['--sync-period=30s'], { syncPeriodMs: 30_000 }],
    [['--sync-period', '30s'], { syncPeriodMs: 30_000 }],
    [['--sync-period=30s', '--sync-period=1m'], { syncPeriodMs: 60_000 }],
    [['--leader-elect'], { isLeaderElected: true }],
    [['--leader-elect=true'], { isLeaderElected: true }],
    [['--leader-elect=false'], { isLeaderElected: false }],
    [['--leader-elect', '--metrics-secure=0'], { isLeaderElected: true, isMetricsSecure: false }],
    [['--leader-elect', 'false'], { isLeaderElected: false }],
    [['--metrics-bind-address=:8443'], { metricsBindAddress: { kind: 'listen', port: 8443 } }],
    [['--metrics-bind-address', '127.0.0.1:0'], { metricsBindAddress: { kind: 'listen', host: '127.0.0.1', port: 0 } }],
    [['--health-probe-bind-address=0'], { healthProbeBindAddress: { kind: 'off' } }],
    [['--metrics-cert-path=/certs'], { metricsCertPath: '/certs' }],
    [['--webhook-cert-duration=5m'], { webhookCertDurationMs: 300_000 }],
    [['--webhook-cert-duration=87600h'], { webhookCertDurationMs: 3650 * 86_400_000 }],
    [['--webhook-url-hosts=a,b'], { webhookUrlHosts: ['a', 'b'] }],
    [['--namespaces=a, b,a'], { namespaces: ['a', 'b'] }],
    [['--namespaces='], { namespaces: [] }],
    [['--watch-label-selector=shard in (b, a),!off'], { watchLabelSelector: '!off,shard in (a,b)' }],
    [['--metrics-max-cronjobs=0'], { metricsMaxCronJobs: 0 }],
    [['--kubeconfig='], { kubeconfig: undefined }],
    [['--mutating-webhook-configuration='], { mutatingWebhookConfiguration: undefined }],
    [['--graceful-shutdown-timeout=0'], { gracefulShutdownTimeoutMs: 0 }],
    [['--log-level=debug', '--log-format=human'], { logLevel: 'debug', logFormat: 'human' }],
    [
      ['--max-concurrent-reconciles=1', '--max-inflight-requests', '128'],
      { maxConcurrentReconciles: 1, maxInflightRequests: 128 },
    ],
  ])('%j', (args, want) => {
    expect(parseOk(...args)).toMatchObject(want);
  });
});

describe('reports the fix for', () => {
  test.each([
    ['--sync-period=10', '--sync-period: "10" is not valid: use a duration (more than 0), such as 500ms, 30s or 1h30m'],
    ['--sync-period=0', '--sync-period: "0" is not valid: use a duration (more than 0), such as 500ms, 30s or 1h30m'],
    ['--graceful-shutdown-timeout=-1s', /"-1s" is not valid: use a duration \(0 or more\),/],
    ['--webhook-cert-duration=299s', /"299s" is not valid: use a duration \(5m to 87600h\),/],
    ['--webhook-cert-duration=87601h', /use a duration \(5m to 87600h\),/],
    ['--leader-elect=maybe', '--leader-elect: "maybe" is not valid: use true or false'],
    ['--webhook-port=70000', '--webhook-port: "70000" is not valid: use a whole number from 1 to 65535'],
    ['--max-concurrent-reconciles=0', /use a whole number from 1/],
    ['--max-inflight-requests=1e3', /use a whole number from 1/],
    ['--metrics-max-cronjobs=-1', /use a whole number from 0/],
    ['--log-level=trace', '--log-level: "trace" is not valid: use one of error, info, debug'],
    ['--log-format=xml', '--log-format: "xml" is not valid: use one of json, human'],
    ['--metrics-bind-address=8080', /^--metrics-bind-address: "8080" is not valid: .* use ":8081"/],
    [
      '--namespaces=a,B',
      '--namespaces: "a,B" is not valid: "B" is not a valid namespace name; use a comma-separated list, such as team-a,team-b',
    ],
    [
      '--watch-label-selector=a in b',
      /^--watch-label-selector: "a in b" is not valid: .*; use a label selector such as shard=a/,
    ],
    ['--leader-election-id=', '--leader-election-id: "" is not valid: the value must not be empty'],
  ])('%s', (arg, want) => {
    const error = parseError(arg);
    if (typeof want === 'string') expect(error).toBe(want);
    else expect(error).toMatch(want);
  });

  test('two sources of webhook certificates', () => {
    const error = parseError('--webhook-cert-path=/certs', '--webhook-cert-secret=certificate');
    expect(error).toMatch(/^--webhook-cert-path and --webhook-cert-secret are mutually exclusive: use /);
    expect(parseOk('--webhook-cert-path=', '--webhook-cert-secret=a')).toMatchObject({ webhookCertSecret: 'a' });
  });

  test('a conversion for callers with a client certificate only', () => {
    const error = parseError('--convert-v2', '--webhook-client-ca-file=/ca.crt');
    expect(error).toMatch(
      /^--convert-v2 does not work with --webhook-client-ca-file, because .*; remove one of the flags$/,
    );
    expect(parseOk('--convert-v2')).toMatchObject({ convertsV2: true });
  });

  test.each([
    [
      ['--leader-elect-lease-duration=10s'],
      '--leader-elect-lease-duration must be more than --leader-elect-renew-deadline',
    ],
    [
      ['--leader-elect-retry-period=9s'],
      '--leader-elect-renew-deadline must be more than 1.2 times --leader-elect-retry-period',
    ],
  ])('lease timings that contradict each other: %j', (args, message) => {
    expect(parseFlags(MANAGER_PROGRAM, args)).toEqual({ kind: 'invalid', message });
  });

  test('several invalid flags at once', () => {
    expect(parseError('--log-level=x', '--webhook-port=y').split('\n')).toHaveLength(2);
  });

  test('an unknown flag, with the closest match', () => {
    expect(parseError('--leder-elect')).toBe(
      "unknown option '--leder-elect'\n(Did you mean --leader-elect?)\nsee --help for all flags",
    );
  });

  test('a flag without a value', () => {
    expect(parseError('--kubeconfig')).toContain("option '--kubeconfig <file>' argument missing");
  });
});

describe('help', () => {
  test.each(['--help', '-h'])('%s shows every flag with its default', (flag) => {
    const help = parseText(flag).replace(/\s+/g, ' ');
    for (const { name, description, default: fallback } of Object.values(FLAGS)) {
      expect(help).toContain(`--${name} `);
      expect(help).toContain(
        fallback === '' ? description : `${description.replace(/\.$/, '')} (default: ${fallback}).`,
      );
    }
  });

  test('matches the snapshot', () => {
    expect(parseText('--help').split('\n').slice(0, 12).join('\n')).toMatchInlineSnapshot(`
      "Usage: manager [options]
             manager schedule <schedule> [options]

      Runs the controller that creates Jobs from CronJobs.

      Options:
        --version                                  Show the version.
        -h, --help                                 Show this text.

      Metrics:
        --metrics-bind-address <address>           Address of the metrics endpoint, such as :8443. 0 turns the
                                                   endpoint off (default: 0)."
    `);
  });
});

test('shows the version', () => {
  expect(parseText('--version')).toBe('1.2.3\n');
});

describe('the lease', () => {
  const lease = (...args: string[]) => addSelectorHashToLeaseName(parseOk(...args)).leaderElectionId;

  test('has the same name for all managers without a label selector', () => {
    expect(lease()).toBe('cronjob-controller.batch.tutorial.kubebuilder.io');
  });

  test('has another name for each label selector, whatever its order', () => {
    const [a, b] = [lease('--watch-label-selector=shard=a'), lease('--watch-label-selector=shard=b')];
    expect(a).toMatch(/^cronjob-controller\.batch\.tutorial\.kubebuilder\.io-[0-9a-f]{9}$/);
    expect(a).not.toBe(b);
    expect(lease('--watch-label-selector=x,shard=a')).toBe(lease('--watch-label-selector=shard=a,x'));
  });

  test('keeps the name of the flag', () => {
    expect(lease('--watch-label-selector=shard=a', '--leader-election-id=mine')).toBe('mine');
  });
});
