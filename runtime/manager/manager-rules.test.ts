import { expect, test } from 'vitest';
import { parseFlagValues } from '../flags/flags.ts';
import { managerFlags } from '../flags/manager-flags.ts';
import { toManagerOptions } from '../flags/to-manager-options.ts';
import { managerRules } from './manager-rules.ts';

const name = 'website-operator';
const EVENTS = { group: '', resources: ['events'], verbs: ['create', 'patch'] };
const READ_AND_PATCH = ['get', 'list', 'watch', 'patch'];
const group = 'admissionregistration.k8s.io';
const MUTATING = { group, resources: ['mutatingwebhookconfigurations'], verbs: READ_AND_PATCH };
const VALIDATING = { group, resources: ['validatingwebhookconfigurations'], verbs: READ_AND_PATCH };
const leaseRules = (lease: string) => [
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['create'] },
  { group: 'coordination.k8s.io', resources: ['leases'], resourceNames: [lease], verbs: ['get', 'update'] },
];
const secretRules = (secret: string) => [
  { group: '', resources: ['secrets'], verbs: ['create'] },
  { group: '', resources: ['secrets'], resourceNames: [secret], verbs: ['get', 'list', 'watch', 'update'] },
];
const REVIEWS = [
  { group: 'authentication.k8s.io', resources: ['tokenreviews'], verbs: ['create'] },
  { group: 'authorization.k8s.io', resources: ['subjectaccessreviews'], verbs: ['create'] },
];

test('a manager with default options may write Events', () => {
  expect(managerRules({ name })).toEqual({ clusterRules: [EVENTS], namespaceRules: [] });
});

test.each([
  { leaderElection: true, lease: name },
  { leaderElection: { name: 'other' }, lease: 'other' },
])('a manager with leader election may use its lease: $lease', ({ leaderElection, lease }) => {
  expect(managerRules({ name, leaderElection }).namespaceRules).toEqual(leaseRules(lease));
});

test('a manager with its own certificates may store them and set the caBundle', () => {
  expect(managerRules({ name, webhooks: { certificates: 'own' } })).toEqual({
    clusterRules: [
      EVENTS,
      { ...MUTATING, resourceNames: ['website-operator-mutating-webhook-configuration'] },
      { ...VALIDATING, resourceNames: ['website-operator-validating-webhook-configuration'] },
    ],
    namespaceRules: secretRules('website-operator-webhook-certificate'),
  });
});

test('rules for its own certificates use the names of the options', () => {
  const certificates = { secret: 's', mutatingWebhookConfiguration: null, validatingWebhookConfiguration: 'v' };
  expect(managerRules({ name, webhooks: { certificates } })).toEqual({
    clusterRules: [EVENTS, { ...VALIDATING, resourceNames: ['v'] }],
    namespaceRules: secretRules('s'),
  });
});

test.each([{ certificates: { folder: '/certs' } }, { off: 'not used' }])(
  'webhooks without its own certificates need no rules: %j',
  (webhooks) => {
    expect(managerRules({ name, webhooks })).toEqual({ clusterRules: [EVENTS], namespaceRules: [] });
  },
);

test.each([
  { metrics: { bindAddress: ':8443' }, want: REVIEWS },
  { metrics: { bindAddress: ':8443', isSecure: false }, want: [] },
  { metrics: { bindAddress: '0' }, want: [] },
  { metrics: { bindAddress: { kind: 'listen', port: 1 } as const }, want: REVIEWS },
  { metrics: { bindAddress: { kind: 'off' } as const }, want: [] },
])('secure metrics need access reviews: %j', ({ metrics, want }) => {
  expect(managerRules({ name, metrics }).clusterRules).toEqual([EVENTS, ...want]);
});

test('flags produce the same rules as options', () => {
  const flags = managerFlags({ name, certificates: 'own', defaults: { metricsBindAddress: ':8443' } });
  expect(managerRules({ name, ...toManagerOptions(parseFlagValues(flags, ['--leader-elect'])) })).toEqual(
    managerRules({
      name,
      leaderElection: true,
      webhooks: { certificates: 'own' },
      metrics: { bindAddress: ':8443' },
    }),
  );
});
