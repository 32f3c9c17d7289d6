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
  test('is added beside other owners, in a new object', () => {
    const others = [widgetOwner('friend', { controller: false })];
    const given = { metadata: { ...key, ownerReferences: others }, data: { a: '1' } };
    expect(setControllerReference(boss, given)).toEqual({
      ...given,
      metadata: { ...key, ownerReferences: [...others, controller] },
    });
    expect(given.metadata.ownerReferences).toEqual([widgetOwner('friend', { controller: false })]);
  });

  test('is there once however often it is set', () => {
    const once = setControllerReference(boss, { metadata: key });
    expect(setControllerReference(boss, once)).toEqual(once);
  });

  test('can be referred to by itself', () => {
    expect(controllerReference(boss)).toEqual(controller);
    const { metadata } = setControllerReference(boss, { metadata: key });
    expect(metadata).toEqual({ ...key, ownerReferences: [controllerReference(boss)] });
  });

  test('need not wait for the object', () => {
    const { metadata } = setControllerReference(boss, { metadata: key }, { blockOwnerDeletion: false });
    expect(metadata).toMatchObject({ ownerReferences: [{ controller: true, blockOwnerDeletion: false }] });
  });

  test('is not taken from another', () => {
    const theirs = { metadata: { ...key, ownerReferences: [widgetOwner('other')] } };
    const error = new AlreadyOwnedError(theirs, widgetOwner('other'));
    expect(() => setControllerReference(boss, theirs)).toThrow(error);
    expect(error.message).toBe('default/a is controlled by Widget other already');
  });

  test('is not taken from a namesake that is gone: that is for the garbage collector', () => {
    const theirs = { metadata: { ...key, ownerReferences: [widgetOwner('boss', { uid: 'older' })] } };
    expect(() => setControllerReference(boss, theirs)).toThrow(AlreadyOwnedError);
  });

  test('is told from a namesake', () => {
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

  test('takes the place of its namesake in another version of the group', () => {
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
  test('refuses an owner in another namespace', () => {
    expect(() => set(boss, { metadata: { namespace: 'other', name: 'a' } })).toThrow(
      'other/a cannot be owned by Widget default/boss: they are in two namespaces',
    );
  });

  test('refuses an owner in a namespace for an object in none', () => {
    expect(() => set(boss, rack())).toThrow(
      'r cannot be owned by Widget default/boss: the one is cluster-scoped, the other is not',
    );
  });

  test('lets a cluster-scoped owner own anything', () => {
    for (const object of [rack(), widget()]) {
      expect(set(rack(), object).metadata.ownerReferences).toMatchObject([{ kind: 'Rack', uid: 'uid-of-r' }]);
    }
  });
});

test('an owner can be taken off again, and no namesake of it', () => {
  const friend = widget({ name: 'friend' });
  const owned = setOwnerReference(friend, setControllerReference(boss, widget()));
  const alone = removeOwnerReference(boss, owned);
  expect([hasOwner(owned, boss), hasOwner(alone, boss), hasOwner(alone, friend)]).toEqual([true, false, true]);
  expect(removeOwnerReference(boss, alone)).toBe(alone);
  const namesake = widget({ ...boss.metadata, uid: 'another' });
  expect([hasOwner(owned, namesake), removeOwnerReference(namesake, owned)]).toEqual([false, owned]);
});
