import { expect, test } from 'vitest';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import { Website } from '../test-support/websites.ts';
import { checkCaBundle, type WebhookConfiguration, type WebhookObject } from './ca-bundle.ts';

const SERVICE = { namespace: 'system', name: 'hooks' };
const BUNDLE = 'some PEM';
const PLAIN = { admissionReviewVersions: ['v1'], sideEffects: 'None' };
const IN_BASE64 = Buffer.from(BUNDLE).toString('base64');

function configuration(...clientConfigs: readonly object[]): WebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    webhooks: clientConfigs.map((clientConfig, index) => ({ ...PLAIN, name: `w${index}`, clientConfig })),
  };
}

const judged = (...clientConfigs: readonly object[]) => checkCaBundle(configuration(...clientConfigs), SERVICE, BUNDLE);

test('sets the bundle of every webhook of the service, and of no other', () => {
  const foreign = [
    { service: { ...SERVICE, name: 'other' }, caBundle: 'x' },
    { service: { ...SERVICE, namespace: 'other' }, caBundle: 'x' },
    { url: 'https://elsewhere', caBundle: 'x' },
  ];
  const ours = [
    { service: { ...SERVICE, path: '/a', port: 443 } },
    { service: SERVICE, caBundle: 'old' },
    { service: SERVICE, caBundle: IN_BASE64 },
  ];
  expect(judged(...foreign, ...ours)).toEqual({
    kind: 'outdated',
    patch: {
      webhooks: configuration(...foreign, ...ours.map((config) => ({ ...config, caBundle: IN_BASE64 }))).webhooks,
    },
  });
});

test('sets the bundle of a webhook whose URL has one of the hosts, and of no other', () => {
  const [ours, foreign] = [{ url: 'https://192.168.1.5:9443/a' }, { url: 'https://192.168.1.6:9443/a', caBundle: 'x' }];
  const service = { ...SERVICE, urlHosts: ['192.168.1.5'] };
  expect(checkCaBundle(configuration(ours, foreign), service, BUNDLE)).toEqual({
    kind: 'outdated',
    patch: { webhooks: configuration({ ...ours, caBundle: IN_BASE64 }, foreign).webhooks },
  });
});

test('keeps the other fields of a webhook', () => {
  const clientConfig = { service: SERVICE };
  const rest = { ...PLAIN, name: 'w', failurePolicy: 'Fail', matchConditions: [{ name: 'a', expression: 'true' }] };
  const before = { ...configuration(), webhooks: [{ ...rest, clientConfig }] };
  expect(checkCaBundle(before, SERVICE, BUNDLE)).toEqual({
    kind: 'outdated',
    patch: { webhooks: [{ ...rest, clientConfig: { ...clientConfig, caBundle: IN_BASE64 } }] },
  });
});

test('changes nothing when all webhooks have the bundle', () => {
  expect(judged({ service: SERVICE, caBundle: IN_BASE64 }, { url: 'x' })).toEqual({ kind: 'current' });
});

test('ignores a configuration without webhooks of the service', () => {
  expect(judged({ url: 'https://elsewhere' })).toEqual({ kind: 'unrelated' });
  expect(judged()).toEqual({ kind: 'unrelated' });
  const { webhooks: _, ...empty } = configuration();
  expect(checkCaBundle(empty, SERVICE, BUNDLE)).toEqual({ kind: 'unrelated' });
});

test('sets the bundle of the conversion of a CRD', () => {
  const { metadata } = configuration();
  const define = (service: typeof SERVICE, changes: object = {}) => {
    const crd = customResourceDefinition(Website, {}, { service });
    Object.assign(crd.spec.conversion?.webhook.clientConfig ?? {}, changes);
    return checkCaBundle({ ...crd, metadata } as WebhookObject, SERVICE, BUNDLE);
  };
  expect(define(SERVICE)).toEqual({
    kind: 'outdated',
    patch: { spec: { conversion: { webhook: { clientConfig: { caBundle: IN_BASE64 } } } } },
  });
  expect(define(SERVICE, { caBundle: IN_BASE64 })).toEqual({ kind: 'current' });
  expect(define({ ...SERVICE, name: 'other' })).toEqual({ kind: 'unrelated' });
  const { conversion: _, ...spec } = customResourceDefinition(Website).spec;
  expect(
    checkCaBundle({ ...customResourceDefinition(Website), metadata, spec } as WebhookObject, SERVICE, BUNDLE),
  ).toEqual({ kind: 'unrelated' });
});
