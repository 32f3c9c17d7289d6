import { describe, expect, test } from 'vitest';
import { parseFlags, parseFlagValues } from './flags.ts';
import { managerFlags } from './manager-flags.ts';
import { toManagerOptions } from './to-manager-options.ts';

const name = 'website-operator';
/** With an additional flag of the program: the checks of the other flags must survive the spread. */
const toTable = (flags: ReturnType<typeof managerFlags>) => ({
  ...flags,
  own: { ...flags.kubeconfig, name: 'own', description: 'Flag of the program.' },
});

test('names of objects begin with the name of the operator', () => {
  expect(parseFlagValues(managerFlags({ name }))).toMatchObject({
    leaderElectionId: name,
    webhookService: 'website-operator-webhook-service',
    mutatingWebhookConfiguration: 'website-operator-mutating-webhook-configuration',
    validatingWebhookConfiguration: 'website-operator-validating-webhook-configuration',
    webhookCertSecret: undefined,
  });
  expect(parseFlagValues(managerFlags({ name, leaderElectionId: 'other' })).leaderElectionId).toBe('other');
});

test('defaults can be overridden, and the help shows them', () => {
  const flags = managerFlags({ name, defaults: { isLeaderElected: 'true', syncPeriodMs: '1h' } });
  expect(parseFlagValues(flags)).toMatchObject({ isLeaderElected: true, syncPeriodMs: 3_600_000 });
  expect(parseFlagValues(flags, ['--leader-elect=false'])).toMatchObject({ isLeaderElected: false });
  const help = parseFlags({ name, description: '', version: '1', flags }, ['--help']);
  expect(help).toMatchObject({ text: expect.stringMatching(/--sync-period <duration>.*?\(default: 1h\)\./s) });
});

test('rejects a default that the flag does not accept', () => {
  expect(() => managerFlags({ name, defaults: { syncPeriodMs: '10' } })).toThrow(
    'default of --sync-period: "10" is not valid: use a duration (more than 0)',
  );
  // @ts-expect-error: this flag does not exist
  managerFlags({ name, defaults: { syncPeriod: '10s' } });
});

describe('certificates of the webhooks', () => {
  const own = toTable(managerFlags({ name, certificates: 'own' }));
  const parseWebhookOptions = (...args: readonly string[]) => toManagerOptions(parseFlagValues(own, args)).webhooks;

  test('come from the manager unless a flag says otherwise', () => {
    expect(parseWebhookOptions()).toMatchObject({
      certificates: { secret: 'website-operator-webhook-certificate', service: 'website-operator-webhook-service' },
    });
    expect(parseWebhookOptions('--webhook-cert-path=/certs')).toMatchObject({ certificates: { folder: '/certs' } });
    expect(parseWebhookOptions('--webhook-cert-secret=other')).toMatchObject({ certificates: { secret: 'other' } });
    expect(parseWebhookOptions('--webhook-cert-secret=')).toEqual({
      off: expect.stringContaining('--webhook-cert-path'),
    });
  });

  test.each([{ table: own }, { table: toTable(managerFlags({ name })) }])(
    'are mutually exclusive ($#)',
    ({ table }) => {
      const both = ['--webhook-cert-path=/certs', '--webhook-cert-secret=a'];
      expect(parseFlags({ name, description: '', version: '1', flags: table }, both)).toEqual({
        kind: 'invalid',
        message: expect.stringMatching(
          /^--webhook-cert-path and --webhook-cert-secret are mutually exclusive: use the first for/,
        ),
      });
      expect(() => parseFlagValues(table, both)).toThrow('are mutually exclusive');
    },
  );
});

test('parseFlagValues rejects --help', () => {
  expect(() => parseFlagValues(managerFlags({ name }), ['--help'])).toThrow('no flags: --help');
});
