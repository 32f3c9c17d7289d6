import type { Verdict } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { cronJob } from '../test/support/cron-jobs.ts';
import { couldNotCheck, PASSED, setUpDryRuns } from '../test/support/dry-runs.ts';

test('has at most 16 under way, 4 of one namespace, lets 16 wait and turns the others away at once', async () => {
  const answers: (() => void)[] = [];
  const { dryRun, transport } = setUpDryRuns(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const others = Array.from({ length: 40 }, (_, index) => `other-${index}`);
  const verdicts = [...Array<string>(10).fill('greedy'), ...others].map((namespace) =>
    dryRun(cronJob(), { namespace }),
  );
  // 4 of greedy and 12 of others are under way, 16 wait, and of the 50 the other 18 are answered.
  await eventually(async () => expect(transport.requests).toHaveLength(16));
  expect(transport.requests.filter(({ namespace }) => namespace === 'greedy')).toHaveLength(4);
  const turnedAway: Verdict[] = [];
  for (const verdict of verdicts) void verdict.then((each) => each.warnings.length > 0 && turnedAway.push(each));
  await eventually(async () => expect(turnedAway).toHaveLength(18));
  expect(turnedAway[0]?.warnings).toEqual([couldNotCheck('too many requests are waiting')]);
  await eventually(() => {
    for (const answer of answers.splice(0)) answer();
    expect(transport.requests).toHaveLength(32);
  });
  for (const answer of answers.splice(0)) answer();
  expect(
    (await Promise.all(verdicts)).filter((verdict) => verdict === PASSED || verdict.warnings.length === 0),
  ).toHaveLength(32);
});

test('one that waits for its place waits no longer than the three seconds', async () => {
  const { clock, dryRun, transport } = setUpDryRuns(() => new Promise(() => {}));
  const verdicts = Promise.all(Array.from({ length: 5 }, () => dryRun()));
  await clock.advance(3000);
  expect((await verdicts).map(({ warnings }) => warnings)).toEqual(
    Array.from({ length: 5 }, () => [couldNotCheck('not done within 3000 ms')]),
  );
  expect(transport.requests).toHaveLength(4);
});

test('waits three seconds for an answer, then warns', async () => {
  const { clock, transport, dryRun } = setUpDryRuns(() => new Promise(() => {}));
  const verdict = dryRun();
  await clock.advance(2999);
  expect(transport.requests.map(({ signal }) => signal?.aborted)).toEqual([false]);
  await clock.advance(1);
  expect(await verdict).toEqual({ errors: [], warnings: [couldNotCheck('not done within 3000 ms')] });
  expect(transport.requests.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

test('waits no longer than who asks', async () => {
  const { caller, clock, dryRun } = setUpDryRuns(() => new Promise(() => {}));
  const verdict = dryRun();
  caller.abort(new Error('gone'));
  expect(await verdict).toEqual({ errors: [], warnings: [couldNotCheck('gone')] });
  expect(clock.pendingTimers).toBe(0);
});
