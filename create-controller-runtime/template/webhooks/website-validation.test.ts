import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbidden } from 'controller-runtime';
import { storedObject } from 'controller-runtime/testing';
import { Website } from '../api/v1alpha1/website-types.ts';
import { validateWebsite, validateWebsiteDeletion } from './website-validation.ts';

test('an empty message causes a warning', () => {
  const object = storedObject(Website, { metadata: { name: 'sample' }, spec: { message: '' } });
  const warnings = ['spec.message: the message is empty'];
  assert.deepEqual(validateWebsite({ operation: 'CREATE', object }), { warnings });
});

test('an object with the label keep cannot be deleted', () => {
  const object = storedObject(Website, { metadata: { name: 'sample' }, spec: {} });
  assert.deepEqual(validateWebsiteDeletion(object), []);
  const metadata = { ...object.metadata, labels: { 'example.com/keep': 'true' } };
  const error = forbidden('metadata.labels', 'remove the label example.com/keep before you delete the object');
  assert.deepEqual(validateWebsiteDeletion({ ...object, metadata }), [error]);
});
