import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A queue of items such as `a1`: the first letter is the flow. */
function createQueue(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item.slice(0, 1), item);
  return queue;
}

function takeAll(queue: FairQueue<string>, isEligible?: (flow: string) => boolean): string[] {
  const taken: string[] = [];
  for (let item = queue.takeNext(isEligible); item !== undefined; item = queue.takeNext(isEligible)) taken.push(item);
  return taken;
}

test('flows take turns, and items of a flow come in order', () => {
  const queue = createQueue('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});

test('skips a flow that is not eligible and keeps its turn', () => {
  const queue = createQueue('a1', 'b1', 'b2', 'c1');
  expect([queue.takeNext((flow) => flow !== 'a'), queue.takeNext()]).toEqual(['b1', 'a1']);
  expect(queue.takeNext((flow) => flow === 'x')).toBeUndefined();
  expect(takeAll(queue)).toEqual(['c1', 'b2']);
});

test('an item that is added twice waits once, at its first position', () => {
  const queue = createQueue('a1', 'a2', 'a1');
  expect(queue.size).toBe(2);
  expect(takeAll(queue)).toEqual(['a1', 'a2']);
});

test('does not return a deleted item; delete returns whether the item waited', () => {
  const queue = createQueue('a1', 'a2', 'b1');
  expect([queue.delete('a', 'a1'), queue.delete('a', 'a1'), queue.delete('x', 'a2')]).toEqual([true, false, false]);
  expect([queue.size, takeAll(queue)]).toEqual([2, ['a2', 'b1']]);
});

test('serves no flow twice while another one has items', () => {
  const item = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20)).map(([flow, number]) => `${flow}${number}`);
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const left = new Set(items);
      const taken = takeAll(createQueue(...items));
      expect(new Set(taken)).toEqual(left);
      expect(taken).toHaveLength(left.size);
      let sinceServed = new Map<string, Set<string>>();
      for (const item of taken) {
        const flow = item.slice(0, 1);
        const waiting = new Set([...left].map((each) => each.slice(0, 1)));
        const others = [...waiting].filter((other) => other !== flow);
        const served = sinceServed.get(flow);
        if (served) for (const other of others) expect(served, `${other} before ${item} in ${taken}`).toContain(other);
        for (const each of sinceServed.values()) each.add(flow);
        sinceServed = sinceServed.set(flow, new Set());
        left.delete(item);
      }
    }),
  );
});
