import { expect, test } from 'vitest';
import { hashMessage, hashWording } from './message-wording.ts';

test.each([
  ['Created job backup-29012345', 'Created job backup-29012346'],
  ['Created job backup-29012345', 'Created job backup-m0a1b2c3d4'],
  ['Saw completed job: a-1, condition: Complete', 'Saw completed job: a-2, condition: Complete'],
  ['Saw completed job: a-1, condition: Complete', 'Saw completed job: a-m1f, condition: Complete'],
  ['scaled from 3 to 5', 'scaled from 5 to 12'],
  ['', ''],
])('"%s" and "%s" have the same wording', (one, other) => {
  expect(hashWording(one)).toBe(hashWording(other));
});

test.each([
  ['Saw completed job: a-1, condition: Complete', 'Saw completed job: a-1, condition: Failed'],
  ['Created job a-1', 'Deleted job a-1'],
  ['Created job a-1', 'Created job'],
  ['Created job a-1 twice', 'Created job twice a-1'],
  ['web is ready', 'api is ready'],
  ['ab c', 'a bc'],
  ['', ' '],
])('"%s" and "%s" have different wordings', (one, other) => {
  expect(hashWording(one)).not.toBe(hashWording(other));
});

test('the hash of a message distinguishes numbers too', () => {
  expect(hashMessage('no quota: 3 of 3')).toBe(hashMessage('no quota: 3 of 3'));
  expect(hashMessage('no quota: 3 of 3')).not.toBe(hashMessage('no quota: 4 of 4'));
});

test('forty thousand messages have nearly as many hashes, none negative', () => {
  const messages = Array.from({ length: 40_000 }, (_, index) => `exceeded quota: used pods=${index}`);
  const hashes = messages.map(hashMessage);
  // By chance, 0.4 pairs of them share a hash of 31 bits.
  expect(new Set(hashes).size).toBeGreaterThan(39_990);
  expect(Math.min(...hashes.slice(0, 10_000), hashWording('Created job'))).toBeGreaterThanOrEqual(0);
});
