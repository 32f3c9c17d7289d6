import { expect, test } from 'vitest';
import { AbortCallbacks } from './abort-callbacks.ts';

test('all are called when the signal aborts, also beside those of others on the same signal', () => {
  const end = new AbortController();
  const called: string[] = [];
  const [first, second] = [new AbortCallbacks(), new AbortCallbacks()];
  first.add(end.signal, () => called.push('first'));
  second.add(end.signal, () => called.push('second'));
  second.add(end.signal, () => called.push('another of the second'));
  end.abort();
  expect(called).toEqual(['first', 'second', 'another of the second']);
});
