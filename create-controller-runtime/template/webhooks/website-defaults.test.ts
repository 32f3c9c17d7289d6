import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedObject } from 'controller-runtime/testing';
import { Website } from '../api/v1alpha1/website-types.ts';
import { defaultWebsite } from './website-defaults.ts';

test('the default message is the name of the object', () => {
  const object = storedObject(Website, { metadata: { name: 'sample' }, spec: {} });
  assert.deepEqual(defaultWebsite(object).spec, { message: 'sample' });
});
