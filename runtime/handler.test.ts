import { expect, test } from 'vitest';
import { racks, widget, widgetOwner, widgets } from '../test/support/objects.ts';
import type { OwnerReference } from './client/object.ts';
import { toController, toItself } from './handler.ts';

test('an event concerns the object itself', () => {
  expect(toItself(widget({ namespace: 'x', name: 'a' }))).toEqual(['x/a']);
});

test.each<{ name: string; owners: readonly OwnerReference[]; want: readonly string[] }>([
  { name: 'its controller, in its own namespace', owners: [widgetOwner('boss')], want: ['x/boss'] },
  {
    name: 'its controller among other owners',
    owners: [widgetOwner('friend', { controller: false }), widgetOwner('boss')],
    want: ['x/boss'],
  },
  {
    name: 'its controller, whatever version the reference names',
    owners: [widgetOwner('boss', { apiVersion: 'example.com/v2' })],
    want: ['x/boss'],
  },
  { name: 'nobody when it has no owner', owners: [], want: [] },
  { name: 'nobody when no owner controls it', owners: [widgetOwner('boss', { controller: false })], want: [] },
  {
    name: 'nobody when a kind of the same name in another group controls it',
    owners: [widgetOwner('boss', { apiVersion: 'other.com/v1' })],
    want: [],
  },
  { name: 'nobody when another kind controls it', owners: [widgetOwner('boss', { kind: 'Rack' })], want: [] },
])('an event of an owned object concerns $name', ({ owners, want }) => {
  expect(toController(widgets)(widget({ namespace: 'x', ownerReferences: owners }))).toEqual(want);
});

test('a controller that no namespace holds has a key without one', () => {
  const ownerReferences = [widgetOwner('boss', { kind: 'Rack' })];
  expect(toController(racks)(widget({ namespace: 'x', ownerReferences }))).toEqual(['boss']);
});

test('a controller of a core kind is found', () => {
  const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
  const ownerReferences = [widgetOwner('boss', { kind: 'Pod', apiVersion: 'v1' })];
  expect(toController(pods)(widget({ namespace: 'x', ownerReferences }))).toEqual(['x/boss']);
});
