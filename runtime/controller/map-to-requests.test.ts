import { expect, test } from 'vitest';
import { core } from '../kubernetes/core.ts';
import type { OwnerReference } from '../kubernetes/object.ts';
import { formatKey, type Resource } from '../kubernetes/resource.ts';
import { racks, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { enqueueRequestForObject, enqueueRequestForOwner } from './map-to-requests.ts';

test('enqueueRequestForObject returns the object itself', () => {
  expect(enqueueRequestForObject(widget({ namespace: 'x', name: 'a' })).map(formatKey)).toEqual(['x/a']);
});

test.each<[name: string, owners: readonly OwnerReference[], want: readonly string[]]>([
  ['its controller, in its own namespace', [widgetOwner('boss')], ['x/boss']],
  ['its controller among owners', [widgetOwner('friend', { controller: false }), widgetOwner('boss')], ['x/boss']],
  ['its controller, of whatever version', [widgetOwner('boss', { apiVersion: 'example.com/v2' })], ['x/boss']],
  ['no owner when it has no owner reference', [], []],
  ['no owner when no owner controls it', [widgetOwner('boss', { controller: false })], []],
  ['no owner when a kind of another group controls it', [widgetOwner('boss', { apiVersion: 'other.com/v1' })], []],
  ['no owner when another kind controls it', [widgetOwner('boss', { kind: 'Rack' })], []],
])('enqueueRequestForOwner returns %s', (_, owners, want) => {
  const toOwner = enqueueRequestForOwner(widgets, { onlyController: true });
  expect(toOwner(widget({ namespace: 'x', ownerReferences: owners })).map(formatKey)).toEqual(want);
});

test('a cluster-scoped object has no namespaced owner', () => {
  const { namespace: _, ...metadata } = widget({ ownerReferences: [widgetOwner('boss')] }).metadata;
  expect(enqueueRequestForOwner(widgets)({ ...widget(), metadata })).toEqual([]);
});

test.each([
  ['that no namespace holds has a key without one', racks, widgetOwner('boss', { kind: 'Rack' }), 'boss'],
  ['of a core kind is found', core.v1.pods, widgetOwner('boss', { kind: 'Pod', apiVersion: 'v1' }), 'x/boss'],
  ['that is not the controller is found', widgets, widgetOwner('boss', { controller: false }), 'x/boss'],
])('an owner %s', (_, resource: Resource, reference, want) => {
  const owned = widget({ namespace: 'x', ownerReferences: [reference] });
  expect(enqueueRequestForOwner(resource)(owned).map(formatKey)).toEqual([want]);
});
