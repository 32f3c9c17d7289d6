import { expect, test } from 'vitest';
import { racks, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { controllerOf } from './object.ts';
import { apiVersionOf, keyOf, objectKeyOf, parseKey, pathOf, pluralOf, type Resource } from './resource.ts';

const pods: Resource = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

test('an apiVersion has no group for core kinds', () => {
  expect([apiVersionOf(pods), apiVersionOf(widgets)]).toEqual(['v1', 'example.com/v1']);
});

test.each([
  { of: 'a collection', path: pathOf(widgets, 'default'), want: '/apis/example.com/v1/namespaces/default/widgets' },
  { of: 'a collection in all namespaces', path: pathOf(widgets), want: '/apis/example.com/v1/widgets' },
  { of: 'a core kind', path: pathOf(pods, 'default'), want: '/api/v1/namespaces/default/pods' },
  {
    of: 'an object',
    path: pathOf(widgets, 'default', 'a'),
    want: '/apis/example.com/v1/namespaces/default/widgets/a',
  },
  {
    of: 'a subresource',
    path: pathOf(widgets, 'default', 'a', 'status'),
    want: '/apis/example.com/v1/namespaces/default/widgets/a/status',
  },
  { of: 'a cluster-scoped object', path: pathOf(racks, undefined, 'a'), want: '/apis/example.com/v1/racks/a' },
  { of: 'a cluster-scoped kind in spite of a namespace', path: pathOf(racks, 'a'), want: '/apis/example.com/v1/racks' },
  {
    of: 'a name that is no name',
    path: pathOf(pods, '../x', '../nodes?a'),
    want: '/api/v1/namespaces/..%2Fx/pods/..%2Fnodes%3Fa',
  },
])('the path of $of is $want', ({ path, want }) => {
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
