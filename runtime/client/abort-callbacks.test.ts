import { expect, test } from 'vitest';
import { AbortCallbacks } from './abort-callbacks.ts';

test('calls all callbacks of one owner when the signal aborts, and the callbacks of other owners too', () => {
  const end = new AbortController();
  const called: string[] = [];
  const [first, second] = [new AbortCallbacks(), new AbortCallbacks()];
  first.add(end.signal, () => called.push('first'));
  second.add(end.signal, () => called.push('second'));
  second.add(end.signal, () => called.push('another of the second'));
  end.abort();
  expect(called).toEqual(['first', 'second', 'another of the second']);
});
