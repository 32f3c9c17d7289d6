import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObjectName, isObjectNameAt } from './object-name.ts';

/** From Kubernetes: k8s.io/apimachinery/pkg/util/validation. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

test('a name is what the API server takes for one', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a0z9-.-.A _/$é') });
  fc.assert(
    fc.property(text, (name) => {
      expect(isObjectName(name)).toBe(SUBDOMAIN.test(name));
    }),
    { numRuns: 5000 },
  );
  expect(isObjectName('a'.repeat(253))).toBe(true);
  expect(isObjectName('a'.repeat(254))).toBe(false);
  for (const other of [undefined, null, 5, {}, ['a']]) expect(isObjectName(other)).toBe(false);
});

test('a part of a text is judged alone', () => {
  expect(isObjectNameAt('; a-1 ', 2, 5)).toBe(true);
  expect(isObjectNameAt('; a-1 ', 0, 5)).toBe(false);
  expect(isObjectNameAt('a-1 ', 0, -1)).toBe(false);
});
