import { expect, test } from 'vitest';
import { SECOND_MS } from './durations.ts';
import { SimulatedNetwork } from './network.ts';
import { Random } from './random.ts';

test('a call during a cut counts as a fault until it fails', () => {
  const network = new SimulatedNetwork(new Random(1), () => 0);
  network.cut(SECOND_MS);
  const calls = Array.from({ length: 100 }, () => network.drawFate('a/b'));
  const lastAnswerMs = Math.max(...calls.map(({ requestMs, answerMs }) => requestMs + answerMs));
  expect(lastAnswerMs).toBeGreaterThan(SECOND_MS);
  expect(network.lastTroubleMs).toBe(lastAnswerMs);
});

test('a short fault does not end a longer one', () => {
  const network = new SimulatedNetwork(new Random(1), () => 0);
  network.cut(SECOND_MS);
  network.noteFault();
  expect(network.lastTroubleMs).toBe(SECOND_MS);
});
