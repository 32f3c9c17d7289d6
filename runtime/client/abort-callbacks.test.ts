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

test('one that was taken off is not called', () => {
  const end = new AbortController();
  const called: string[] = [];
  const callbacks = new AbortCallbacks();
  const off = () => called.push('off');
  callbacks.add(end.signal, off);
  callbacks.add(end.signal, () => called.push('on'));
  callbacks.delete(end.signal, off);
  end.abort();
  expect(called).toEqual(['on']);
});

test('each signal has its own', () => {
  const [end, other] = [new AbortController(), new AbortController()];
  const called: string[] = [];
  const callbacks = new AbortCallbacks();
  callbacks.add(end.signal, () => called.push('its own'));
  callbacks.add(other.signal, () => called.push('of another'));
  end.abort();
  expect(called).toEqual(['its own']);
});
