import { expect, test } from 'vitest';
import { racks, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { getControllerReference } from './object.ts';
import {
  formatApiVersion,
  formatKey,
  objectKeyFromObject,
  parseKey,
  pluralize,
  type Resource,
  resourcePath,
} from './resource.ts';

const pods: Resource = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

test('formatApiVersion omits the group of core kinds', () => {
  expect([formatApiVersion(pods), formatApiVersion(widgets)]).toEqual(['v1', 'example.com/v1']);
});

test.each([
  ['a collection', resourcePath(widgets, 'default'), '/apis/example.com/v1/namespaces/default/widgets'],
  ['a collection in all namespaces', resourcePath(widgets), '/apis/example.com/v1/widgets'],
  ['a core kind', resourcePath(pods, 'default'), '/api/v1/namespaces/default/pods'],
  ['an object', resourcePath(widgets, 'default', 'a'), '/apis/example.com/v1/namespaces/default/widgets/a'],
  [
    'a part',
    resourcePath(widgets, 'default', 'a', 'status'),
    '/apis/example.com/v1/namespaces/default/widgets/a/status',
  ],
  ['a cluster-scoped object', resourcePath(racks, undefined, 'a'), '/apis/example.com/v1/racks/a'],
  ['a cluster-scoped kind in spite of a namespace', resourcePath(racks, 'a'), '/apis/example.com/v1/racks'],
  ['an invalid name', resourcePath(pods, '../x', '../nodes?a'), '/api/v1/namespaces/..%2Fx/pods/..%2Fnodes%3Fa'],
])('the path of %s is %s', (_, path, want) => {
  expect(path).toBe(want);
});

test.each([
  { key: { namespace: 'default', name: 'a' }, want: 'default/a' },
  { key: { name: 'a' }, want: 'a' },
])('formatKey and parseKey convert $want', ({ key, want }) => {
  expect(formatKey(key)).toBe(want);
  expect(parseKey(want)).toEqual(key);
});

test.each([
  ['ConfigMap', 'configmaps'],
  ['Ingress', 'ingresses'],
  ['StorageClass', 'storageclasses'],
  ['NetworkPolicy', 'networkpolicies'],
  ['Gateway', 'gateways'],
  ['Batch', 'batches'],
  ['Database', 'databases'],
])('the plural of %s is %s', (kind, plural) => {
  expect(pluralize(kind)).toBe(plural);
});

test('formatKey accepts an object or a key', () => {
  expect(formatKey(widget({ namespace: 'web', name: 'b' }))).toBe('web/b');
  expect(objectKeyFromObject(widget({ namespace: 'web', name: 'b' }))).toEqual({ namespace: 'web', name: 'b' });
});

test('getControllerReference returns the owner with controller: true', () => {
  const ownerReferences = [widgetOwner('friend', { controller: false }), widgetOwner('boss')];
  expect(getControllerReference(widget({ ownerReferences }))).toEqual(widgetOwner('boss'));
  expect(
    getControllerReference(widget({ ownerReferences: [widgetOwner('friend', { controller: false })] })),
  ).toBeUndefined();
  expect(getControllerReference(widget())).toBeUndefined();
});
