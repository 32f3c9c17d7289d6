import { hash as nodeHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hash } from './node-crypto.ts';

test.each(['', 'uid/2026-11-23T02:00:00.000Z', 'Grüße 📚'.repeat(100)])('hashes %j as Node does', (text) => {
  expect(hash('sha256', text)).toBe(nodeHash('sha256', text));
});
