import { describe, expect, test } from 'vitest';
import { subresources } from '../kubernetes/subresource.ts';
import { apps } from '../kubernetes/workloads.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { type AdmissionWebhooks, type Defaulter, subresourceOf, type WebhookRegistrar } from './admission.ts';
import { getWebhookPath } from './webhook-declaration.ts';
import { collectDeclarations } from './webhook-registry.ts';

const declared = (webhooks: AdmissionWebhooks<Widget>, resource = widgets) =>
  collectDeclarations((registrar) => registrar.for(resource, webhooks));
const nothing = () => undefined;
const DEFAULTS: Defaulter<Widget> = { default: (object) => object };

test('a kind with all handlers and no settings has two webhooks with defaults that fail closed', () => {
  const [mutating, validating] = declared({ ...DEFAULTS, validate: nothing });
  expect(mutating).toEqual({
    kind: 'mutating',
    name: 'mwidget-v1.example.com',
    resource: widgets,
    operations: ['CREATE', 'UPDATE'],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 10,
    matchConditions: [{ name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' }],
  });
  expect(validating).toEqual({ ...mutating, kind: 'validating', name: 'vwidget-v1.example.com' });
});

test.each<[name: string, webhooks: AdmissionWebhooks<Widget>, want: readonly (readonly string[])[]]>([
  ['only a defaulter', DEFAULTS, [['mutating', 'CREATE', 'UPDATE']]],
  ['only a validator', { validate: nothing }, [['validating', 'CREATE', 'UPDATE']]],
  ['a validator of creates', { validateCreate: nothing }, [['validating', 'CREATE']]],
  ['a validator of updates', { validateUpdate: nothing }, [['validating', 'UPDATE']]],
  ['a validator of deletes', { validateDelete: nothing }, [['validating', 'DELETE']]],
  ['validators of all', { validate: nothing, validateDelete: nothing }, [['validating', 'CREATE', 'UPDATE', 'DELETE']]],
])('a kind with %s is asked about for that', (_, webhooks, want) => {
  expect(declared(webhooks).map(({ kind, operations }) => [kind, ...operations])).toEqual(want);
});

test('settings apply to both webhooks, and extend the conditions for deletions', () => {
  const condition = { name: 'not-leases', expression: `request.resource.resource != 'leases'` };
  const settings = { failurePolicy: 'Ignore', sideEffects: 'NoneOnDryRun', timeoutSeconds: 7 } as const;
  const both = declared({
    ...DEFAULTS,
    ...{ ...settings, validate: nothing, name: 'a.example.org', matchConditions: [condition] },
  });
  expect(both.map(({ name }) => name)).toEqual(['ma.example.org', 'va.example.org']);
  for (const declaration of both) {
    expect(declaration).toMatchObject(settings);
    expect(declaration.matchConditions?.map(({ name }) => name)).toEqual(['not-being-deleted', 'not-leases']);
  }
});

test.each([
  ['', 'mwidget-v1.core.k8s.io', '/mutate--v1-widget'],
  ['apps', 'mwidget-v1.apps.k8s.io', '/mutate-apps-v1-widget'],
  ['example.com', 'mwidget-v1.example.com', '/mutate-example-com-v1-widget'],
])('a webhook of group "%s" has the name and path of controller-runtime', (group, name, path) => {
  const [webhook] = declared(DEFAULTS, { ...widgets, group });
  expect([webhook?.name, webhook && getWebhookPath(webhook)]).toEqual([name, path]);
});

test('selectors apply to both webhooks, and reinvocation to the mutating one', () => {
  const selectors = {
    namespaceSelector: {},
    objectSelector: { matchLabels: { a: 'b' } },
    matchPolicy: 'Exact',
  } as const;
  const both = declared({ ...DEFAULTS, validate: nothing, ...selectors, reinvocationPolicy: 'IfNeeded' });
  expect(both).toMatchObject([{ ...selectors, reinvocationPolicy: 'IfNeeded' }, selectors]);
  expect(both[1]).not.toHaveProperty('reinvocationPolicy');
});

test('the subresources of two kinds have different names and paths', () => {
  const declarations = collectDeclarations((registrar) => {
    const validators = { validateUpdate: nothing };
    registrar.for(subresourceOf(apps.v1.deployments, subresources.scale), validators);
    registrar.for(subresourceOf(apps.v1.statefulSets, subresources.scale), validators);
  });
  expect(declarations.map((declaration) => [declaration.name, getWebhookPath(declaration)])).toEqual([
    ['vdeployment-scale-v1.autoscaling.k8s.io', '/validate-autoscaling-v1-scale-deployment'],
    ['vstatefulset-scale-v1.autoscaling.k8s.io', '/validate-autoscaling-v1-scale-statefulset'],
  ]);
});

test.each([0, 31, 1.5])('rejects a timeout of %d seconds', (timeoutSeconds) => {
  expect(() => declared({ ...DEFAULTS, timeoutSeconds })).toThrow(
    `webhooks of Widget: timeoutSeconds must be a whole number from 1 to 30, not ${timeoutSeconds}`,
  );
});

test('rejects a kind without a handler', () => {
  expect(() => declared({ failurePolicy: 'Ignore' })).toThrow('webhooks of Widget: no handlers');
});

test('rejects a second registration of a kind', () => {
  const twice = (registrar: WebhookRegistrar) => {
    registrar.for(widgets, DEFAULTS);
    registrar.for(widgets, DEFAULTS);
  };
  expect(() => collectDeclarations(twice)).toThrow('a webhook is already registered at /mutate-example-com-v1-widget');
});

describe('types', () => {
  test('a draft has typed fields only for a kind with a schema', () => {
    const kind = { ...widgets, schema: { faults: () => [] }, specInput: { size: 1 as number | undefined } };
    collectDeclarations((registrar) => {
      // @ts-expect-error the type of spec is unknown
      registrar.for(widgets, { default: (object) => ({ ...object, spec: { color: object.spec.color } }) });
      registrar.for(
        { ...kind, kind: 'Kind' },
        {
          default: (object) => ({ ...object, spec: { size: object.spec.size ?? 1 } }),
          validate: ({ object, old }) => (object.spec.color === old?.spec.color ? [] : { warnings: ['changed'] }),
        },
      );
      registrar.for(
        { ...kind, kind: 'Other' },
        {
          // @ts-expect-error a field with a default may be missing
          default: (object) => ({ ...object, spec: { size: object.spec.size + 1 } }),
        },
      );
      // @ts-expect-error changes have one validator
      registrar.for({ ...widgets, kind: 'Twice' }, { validate: nothing, validateCreate: nothing });
    });
  });
});
