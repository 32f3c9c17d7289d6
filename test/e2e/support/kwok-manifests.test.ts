import { expect, test } from 'vitest';
import { only, parseManifests } from '../../support/manifests.ts';
import { kwokManifests } from './kwok-manifests.ts';

const PLACES = { nodeName: 'here', relayPort: 12_345 };
const SERVICE = 'service: { name: hooks, namespace: system, path: /hook }';
const CONFIGURATIONS = ['Mutating', 'Validating'].map(
  (kind) => `
kind: ${kind}WebhookConfiguration
metadata: { name: hooks }
webhooks:
  - { name: one, clientConfig: { ${SERVICE} } }
  - { name: two, clientConfig: { ${SERVICE} } }
`,
);
const MANIFESTS = [
  `
# the manager
kind: Deployment
metadata: { name: manager, namespace: system }
spec: { template: { spec: { serviceAccountName: manager } } }
`,
  `
kind: Service
metadata: { name: hooks, namespace: other }
spec: { selector: { app: other } }
`,
  `
kind: Service
metadata: { name: hooks, namespace: system }
spec: { ports: [{ port: 443, targetPort: 9443 }], selector: { app: manager } }
`,
  ...CONFIGURATIONS,
];

const changed = (manifests: readonly string[]) => parseManifests(kwokManifests(manifests.join('---\n'), PLACES));

test('the Pods are bound to the Node', () => {
  const { spec } = only(changed(MANIFESTS), 'Deployment');
  expect(spec.template.spec).toEqual({ serviceAccountName: 'manager', nodeName: 'here' });
});

test('the API server looks up the Service of the webhooks by itself, and finds this machine', () => {
  const manifests = changed(MANIFESTS);
  const [other, service] = manifests.filter(({ kind }) => kind === 'Service');
  expect(service?.['spec']).toEqual({
    type: 'ExternalName',
    externalName: 'localhost',
    ports: [{ port: 443, targetPort: 9443 }],
    selector: { app: 'manager' },
  });
  expect(other?.['spec']).toEqual({ selector: { app: 'other' } });
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    expect(only(manifests, kind)['webhooks']).toEqual(
      ['one', 'two'].map((name) => ({
        name,
        clientConfig: { service: { name: 'hooks', namespace: 'system', path: '/hook', port: 12_345 } },
      })),
    );
  }
});

test('everything else stays, in its order', () => {
  const more = ['kind: Namespace\nmetadata: { name: system }\n', ...MANIFESTS, 'kind: Role\nmetadata: { name: r }\n'];
  expect(changed(more).map(({ kind }) => kind)).toEqual(parseManifests(more.join('---\n')).map(({ kind }) => kind));
});

test.each([
  ['a Deployment', MANIFESTS.filter((text) => !text.includes('kind: Deployment')), 'one Deployment'],
  ['no second Deployment', [...MANIFESTS, ...MANIFESTS.slice(0, 1)], 'one Deployment'],
  ['the Service', MANIFESTS.filter((text) => !text.includes('targetPort')), 'no Service hooks'],
  ['mutating webhooks', MANIFESTS.filter((text) => !text.includes('Mutating')), 'no MutatingWebhookConfiguration'],
  ['validating webhooks', MANIFESTS.filter((text) => !text.includes('Validating')), 'no ValidatingWebhookConf'],
  [
    'webhooks behind a Service',
    MANIFESTS.map((text) => text.replace(SERVICE, 'url: https://host')),
    'through a Service',
  ],
  ['the usual port', MANIFESTS.map((text) => text.replace('path:', 'port: 8443, path:')), 'port 8443 would be lost'],
  ['YAML', [...MANIFESTS, '{'], 'Flow map'],
])('%s must be there', (_, manifests, message) => {
  expect(() => changed(manifests)).toThrow(message);
});
