import { expect, test } from 'vitest';
import { SECOND_MS } from './durations.ts';
import { Network } from './network.ts';
import { Random } from './random.ts';

test('a call that is sent while nothing gets through is trouble until it has failed', () => {
  const network = new Network(new Random(1), () => 0);
  network.cut(SECOND_MS);
  const calls = Array.from({ length: 100 }, () => network.fateOfCall('a/b'));
  const lastAnswerMs = Math.max(...calls.map(({ requestMs, answerMs }) => requestMs + answerMs));
  expect(lastAnswerMs).toBeGreaterThan(SECOND_MS);
  expect(network.lastTroubleMs).toBe(lastAnswerMs);
});

test('trouble that is short does not end trouble that lasts', () => {
  const network = new Network(new Random(1), () => 0);
  network.cut(SECOND_MS);
  network.noteTrouble();
  expect(network.lastTroubleMs).toBe(SECOND_MS);
});
