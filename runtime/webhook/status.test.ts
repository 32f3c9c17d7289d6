import { expect, test } from 'vitest';
import { invalidStatus } from './status.ts';

const widget = { group: 'example.com', kind: 'Widget' };
const tooBig = { reason: 'FieldValueInvalid', field: 'spec.size', message: 'Invalid value: 11: must be at most 10' };
const noColor = { reason: 'FieldValueRequired', field: 'spec.color', message: 'Required value' };

test('says what is wrong with one field as a built-in kind does', () => {
  expect(invalidStatus(widget, 'a', [tooBig])).toEqual({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: 'Widget.example.com "a" is invalid: spec.size: Invalid value: 11: must be at most 10',
    details: { name: 'a', group: 'example.com', kind: 'Widget', causes: [tooBig] },
  });
});

test('joins several in brackets, and says the same sentence once', () => {
  const { message, details } = invalidStatus(widget, 'a', [tooBig, noColor, tooBig]);
  expect(message).toBe(
    'Widget.example.com "a" is invalid: ' +
      '[spec.size: Invalid value: 11: must be at most 10, spec.color: Required value]',
  );
  expect(details?.causes).toEqual([tooBig, noColor, tooBig]);
});

test('names a kind of the core group without a group', () => {
  expect(invalidStatus({ group: '', kind: 'Pod' }, 'a', [noColor]).message).toMatch(/^Pod "a" is invalid: spec.color/);
});
