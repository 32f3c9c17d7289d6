import { expect, test } from 'vitest';
import { racks, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { controllerOf } from './object.ts';
import { apiVersionOf, keyOf, objectKeyOf, parseKey, pathOf, pluralOf, type Resource } from './resource.ts';

const pods: Resource = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

test('an apiVersion has no group for core kinds', () => {
  expect([apiVersionOf(pods), apiVersionOf(widgets)]).toEqual(['v1', 'example.com/v1']);
});

test.each([
  ['a collection', pathOf(widgets, 'default'), '/apis/example.com/v1/namespaces/default/widgets'],
  ['a collection in all namespaces', pathOf(widgets), '/apis/example.com/v1/widgets'],
  ['a core kind', pathOf(pods, 'default'), '/api/v1/namespaces/default/pods'],
  ['an object', pathOf(widgets, 'default', 'a'), '/apis/example.com/v1/namespaces/default/widgets/a'],
  ['a part', pathOf(widgets, 'default', 'a', 'status'), '/apis/example.com/v1/namespaces/default/widgets/a/status'],
  ['a cluster-scoped object', pathOf(racks, undefined, 'a'), '/apis/example.com/v1/racks/a'],
  ['a cluster-scoped kind in spite of a namespace', pathOf(racks, 'a'), '/apis/example.com/v1/racks'],
  ['a name that is no name', pathOf(pods, '../x', '../nodes?a'), '/api/v1/namespaces/..%2Fx/pods/..%2Fnodes%3Fa'],
])('the path of %s is %s', (_, path, want) => {
  expect(path).toBe(want);
});

test.each([
  { key: { namespace: 'default', name: 'a' }, want: 'default/a' },
  { key: { name: 'a' }, want: 'a' },
])('the key $want is written and read', ({ key, want }) => {
  expect(keyOf(key)).toBe(want);
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
  expect(pluralOf(kind)).toBe(plural);
});

test('the key of an object is that of its metadata', () => {
  expect(keyOf(widget({ namespace: 'web', name: 'b' }))).toBe('web/b');
  expect(objectKeyOf(widget({ namespace: 'web', name: 'b' }))).toEqual({ namespace: 'web', name: 'b' });
});

test('the controller is the one owner that says so', () => {
  const ownerReferences = [widgetOwner('friend', { controller: false }), widgetOwner('boss')];
  expect(controllerOf(widget({ ownerReferences }))).toEqual(widgetOwner('boss'));
  expect(controllerOf(widget({ ownerReferences: [widgetOwner('friend', { controller: false })] }))).toBeUndefined();
  expect(controllerOf(widget())).toBeUndefined();
});
