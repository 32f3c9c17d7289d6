import { expect, test } from 'vitest';
import type { OwnerReference } from '../kubernetes/object.ts';
import { keyOf } from '../kubernetes/resource.ts';
import { racks, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { enqueueRequestForObject, enqueueRequestForOwner } from './handler.ts';

test('an event concerns the object itself', () => {
  expect(enqueueRequestForObject(widget({ namespace: 'x', name: 'a' })).map(keyOf)).toEqual(['x/a']);
});

test.each<[name: string, owners: readonly OwnerReference[], want: readonly string[]]>([
  ['its controller, in its own namespace', [widgetOwner('boss')], ['x/boss']],
  [
    'its controller among other owners',
    [widgetOwner('friend', { controller: false }), widgetOwner('boss')],
    ['x/boss'],
  ],
  [
    'its controller, whatever version the reference names',
    [widgetOwner('boss', { apiVersion: 'example.com/v2' })],
    ['x/boss'],
  ],
  ['nobody when it has no owner', [], []],
  ['nobody when no owner controls it', [widgetOwner('boss', { controller: false })], []],
  [
    'nobody when a kind of the same name in another group controls it',
    [widgetOwner('boss', { apiVersion: 'other.com/v1' })],
    [],
  ],
  ['nobody when another kind controls it', [widgetOwner('boss', { kind: 'Rack' })], []],
])('an event of an owned object concerns %s', (_, owners, want) => {
  const toOwner = enqueueRequestForOwner(widgets, { onlyController: true });
  expect(toOwner(widget({ namespace: 'x', ownerReferences: owners })).map(keyOf)).toEqual(want);
});

test('a controller that no namespace holds has a key without one', () => {
  const ownerReferences = [widgetOwner('boss', { kind: 'Rack' })];
  expect(enqueueRequestForOwner(racks)(widget({ namespace: 'x', ownerReferences })).map(keyOf)).toEqual(['boss']);
});

test('an object that no namespace holds is owned by nothing that is in one', () => {
  const { namespace: _, ...metadata } = widget({ ownerReferences: [widgetOwner('boss')] }).metadata;
  expect(enqueueRequestForOwner(widgets)({ ...widget(), metadata })).toEqual([]);
});

test('a controller of a core kind is found', () => {
  const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
  const ownerReferences = [widgetOwner('boss', { kind: 'Pod', apiVersion: 'v1' })];
  expect(enqueueRequestForOwner(pods)(widget({ namespace: 'x', ownerReferences })).map(keyOf)).toEqual(['x/boss']);
});

test('all owners of a kind are found, unless only the controller is asked for', () => {
  const ownerReferences = [widgetOwner('friend', { controller: false }), widgetOwner('boss')];
  const owned = widget({ namespace: 'x', ownerReferences });
  expect(enqueueRequestForOwner(widgets)(owned).map(keyOf)).toEqual(['x/friend', 'x/boss']);
});
