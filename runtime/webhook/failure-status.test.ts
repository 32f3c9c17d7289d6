import { describe, expect, test } from 'vitest';
import { createInvalidStatus } from './failure-status.ts';

const widget = { group: 'example.com', kind: 'Widget' };
const tooBig = { reason: 'FieldValueInvalid', field: 'spec.size', message: 'Invalid value: 11: must be at most 10' };
const noColor = { reason: 'FieldValueRequired', field: 'spec.color', message: 'Required value' };

test('describes one invalid field as a built-in kind does', () => {
  expect(createInvalidStatus(widget, 'a', [tooBig])).toEqual({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: 'Widget.example.com "a" is invalid: spec.size: Invalid value: 11: must be at most 10',
    details: { name: 'a', group: 'example.com', kind: 'Widget', causes: [tooBig] },
  });
});

test('joins several errors in brackets without duplicates', () => {
  const { message, details } = createInvalidStatus(widget, 'a', [tooBig, noColor, tooBig]);
  expect(message).toBe(
    'Widget.example.com "a" is invalid: ' +
      '[spec.size: Invalid value: 11: must be at most 10, spec.color: Required value]',
  );
  expect(details?.causes).toEqual([tooBig, noColor, tooBig]);
});

test('names a kind of the core group without a group', () => {
  expect(createInvalidStatus({ group: '', kind: 'Pod' }, 'a', [noColor]).message).toMatch(
    /^Pod "a" is invalid: spec.color/,
  );
});

describe('an object with a million errors', () => {
  const MILLION = Array.from({ length: 1_000_000 }, (_, index) => ({ ...noColor, field: `spec.colors[${index}]` }));

  test('gets the first fifty errors and the number of the others', () => {
    const { message, details } = createInvalidStatus(widget, 'a', MILLION);
    expect(details?.causes).toEqual(MILLION.slice(0, 50));
    expect(message).toMatch(/spec\.colors\[49\]: Required value, 999950 more errors are not shown\]$/);
  });

  test('gets shortened names, paths and messages', () => {
    const long = 'x'.repeat(3_000_000);
    const status = createInvalidStatus(
      widget,
      long,
      Array(100).fill({ reason: 'FieldValueInvalid', field: long, message: long }),
    );
    expect(status.details?.name).toHaveLength(253);
    expect(JSON.stringify(status).length).toBeLessThan(200_000);
  });
});
