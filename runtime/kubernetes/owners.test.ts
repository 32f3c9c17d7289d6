import { describe, expect, test } from 'vitest';
import { racks, widget, widgetOwner } from '../test-support/objects.ts';
import type { KubernetesObject } from './object.ts';
import {
  AlreadyOwnedError,
  controllerReference,
  hasOwner,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owners.ts';

const boss = widget({ name: 'boss' });
const key = { namespace: 'default', name: 'a' };
const controller = widgetOwner('boss', { blockOwnerDeletion: true });
const { controller: _, ...plain } = widgetOwner('boss');

function rack(): KubernetesObject {
  const metadata = { name: 'r', uid: 'uid-of-r', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion: 'example.com/v1', kind: racks.kind, metadata };
}

describe('the controller', () => {
  test('is added to the other owners, in a new object', () => {
    const others = [widgetOwner('friend', { controller: false })];
    const given = { metadata: { ...key, ownerReferences: others }, data: { a: '1' } };
    expect(setControllerReference(boss, given)).toEqual({
      ...given,
      metadata: { ...key, ownerReferences: [...others, controller] },
    });
    expect(given.metadata.ownerReferences).toEqual([widgetOwner('friend', { controller: false })]);
  });

  test('is added only once', () => {
    const once = setControllerReference(boss, { metadata: key });
    expect(setControllerReference(boss, once)).toEqual(once);
  });

  test('has a reference for literals', () => {
    expect(controllerReference(boss)).toEqual(controller);
    const { metadata } = setControllerReference(boss, { metadata: key });
    expect(metadata).toEqual({ ...key, ownerReferences: [controllerReference(boss)] });
  });

  test('can be deleted without blocking', () => {
    const { metadata } = setControllerReference(boss, { metadata: key }, { blockOwnerDeletion: false });
    expect(metadata).toMatchObject({ ownerReferences: [{ controller: true, blockOwnerDeletion: false }] });
  });

  test('is not replaced', () => {
    const ownedByOther = { metadata: { ...key, ownerReferences: [widgetOwner('other')] } };
    const error = new AlreadyOwnedError(ownedByOther, widgetOwner('other'));
    expect(() => setControllerReference(boss, ownedByOther)).toThrow(error);
    expect(error.message).toBe('default/a is controlled by Widget other already');
  });

  test('is not replaced even if it was re-created: the garbage collector handles that', () => {
    const ownedByOther = { metadata: { ...key, ownerReferences: [widgetOwner('boss', { uid: 'older' })] } };
    expect(() => setControllerReference(boss, ownedByOther)).toThrow(AlreadyOwnedError);
  });

  test('is compared by UID', () => {
    const owned = setControllerReference(boss, { metadata: key });
    expect(isControlledBy(owned, boss)).toBe(true);
    expect(isControlledBy(owned, widget({ name: 'boss', uid: 'another' }))).toBe(false);
    expect(isControlledBy(setOwnerReference(boss, { metadata: key }), boss)).toBe(false);
    expect(isControlledBy({ metadata: key }, boss)).toBe(false);
  });
});

describe('an owner', () => {
  test('is one of several', () => {
    const first = setOwnerReference(boss, { metadata: key });
    const both = setOwnerReference(widget({ name: 'b' }), first, { blockOwnerDeletion: true });
    const { controller: __, ...second } = widgetOwner('b', { blockOwnerDeletion: true });
    expect(both.metadata).toEqual({ ...key, ownerReferences: [plain, second] });
  });

  test('replaces a reference of the same name in another version of the group', () => {
    const older = { ...plain, apiVersion: 'example.com/v1beta1', uid: 'older' };
    const foreign = { ...plain, apiVersion: 'example.org/v1' };
    const given = { metadata: { ...key, ownerReferences: [foreign, older] } };
    expect(setOwnerReference(boss, given).metadata.ownerReferences).toEqual([foreign, plain]);
  });
});

describe.each([
  { name: 'setControllerReference', set: setControllerReference },
  { name: 'setOwnerReference', set: setOwnerReference },
])('$name', ({ set }) => {
  test('rejects an owner in another namespace', () => {
    expect(() => set(boss, { metadata: { namespace: 'other', name: 'a' } })).toThrow(
      'other/a cannot be owned by Widget default/boss: they are in different namespaces',
    );
  });

  test('rejects a namespaced owner of a cluster-scoped object', () => {
    expect(() => set(boss, rack())).toThrow(
      'r cannot be owned by Widget default/boss: the owner is namespaced and the object is cluster-scoped',
    );
  });

  test('accepts a cluster-scoped owner of any object', () => {
    for (const object of [rack(), widget()]) {
      expect(set(rack(), object).metadata.ownerReferences).toMatchObject([{ kind: 'Rack', uid: 'uid-of-r' }]);
    }
  });
});

test('removeOwnerReference removes the owner with the same UID only', () => {
  const friend = widget({ name: 'friend' });
  const owned = setOwnerReference(friend, setControllerReference(boss, widget()));
  const alone = removeOwnerReference(boss, owned);
  expect([hasOwner(owned, boss), hasOwner(alone, boss), hasOwner(alone, friend)]).toEqual([true, false, true]);
  expect(removeOwnerReference(boss, alone)).toBe(alone);
  const namesake = widget({ ...boss.metadata, uid: 'another' });
  expect([hasOwner(owned, namesake), removeOwnerReference(namesake, owned)]).toEqual([false, owned]);
});
