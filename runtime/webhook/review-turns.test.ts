import { expect, test } from 'vitest';
import { ReviewTurns } from './review-turns.ts';

const OPTIONS = { maxBytes: 100, reservedBytes: 20, smallBytes: 10, maxReviews: 3 };

/** Each resolves in a turn of the event loop of its own. */
async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function setUp() {
  const reviews = new ReviewTurns(OPTIONS);
  const entered: number[] = [];
  const ends = new Map<number, () => void>();
  const enter = (bytes: number, signal = new AbortController().signal) =>
    reviews.enter(bytes, signal).then((done) => {
      entered.push(bytes);
      ends.set(bytes, done);
    });
  return { reviews, entered, ends, enter };
}

test('lets the smallest in first, whatever came before, one in each turn', async () => {
  const { entered, enter } = setUp();
  for (const bytes of [30, 20, 2]) void enter(bytes);
  await turns(1);
  expect(entered).toEqual([2]);
  void enter(1);
  await turns(1);
  expect(entered).toEqual([2, 1]);
  await turns();
  expect(entered).toEqual([2, 1, 20]);
});

test('keeps room for small ones, and lets large ones in when there is some again', async () => {
  const { reviews, entered, ends, enter } = setUp();
  void enter(50);
  await turns();
  for (const bytes of [40, 9]) void enter(bytes);
  await turns();
  expect(entered).toEqual([50, 9]);
  expect(reviews.heldBytes).toBe(59);
  ends.get(50)?.();
  ends.get(50)?.();
  await turns();
  expect(entered).toEqual([50, 9, 40]);
  expect(reviews.heldBytes).toBe(49);
});

test('has no more at once than it may, however small', async () => {
  const { entered, ends, enter } = setUp();
  for (const bytes of [1, 2, 3, 4]) void enter(bytes);
  await turns();
  expect(entered).toEqual([1, 2, 3]);
  ends.get(2)?.();
  await turns();
  expect(entered).toEqual([1, 2, 3, 4]);
});

test('forgets who does not wait any longer', async () => {
  const { reviews, entered, enter } = setUp();
  const gone = new AbortController();
  const waiting = enter(5, gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(enter(5, gone.signal)).rejects.toThrow('gone');
  void enter(6);
  await turns();
  expect(entered).toEqual([6]);
  expect(reviews.heldBytes).toBe(6);
});
