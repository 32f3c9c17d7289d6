import type { ValidationResult } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { cronJob } from '../test/support/cron-jobs.ts';
import { couldNotCheck, NO_FINDINGS, setUpDryRuns } from '../test/support/dry-runs.ts';

test('has at most 16 under way, 4 of one namespace, lets 16 wait and turns the others away at once', async () => {
  const answers: (() => void)[] = [];
  const { dryRun, transport } = setUpDryRuns(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const others = Array.from({ length: 40 }, (_, index) => `other-${index}`);
  const verdicts = [...Array<string>(10).fill('greedy'), ...others].map((namespace) =>
    dryRun(cronJob(), { namespace }),
  );
  // 4 of greedy and 12 of others are in flight, 16 wait, and the other 18 of the 50 have a response.
  await eventually(async () => expect(transport.requests).toHaveLength(16));
  expect(transport.requests.filter(({ namespace }) => namespace === 'greedy')).toHaveLength(4);
  const turnedAway: ValidationResult[] = [];
  for (const verdict of verdicts) void verdict.then((each) => each.warnings.length > 0 && turnedAway.push(each));
  await eventually(async () => expect(turnedAway).toHaveLength(18));
  expect(turnedAway[0]?.warnings).toEqual([couldNotCheck('too many requests are waiting')]);
  await eventually(() => {
    for (const answer of answers.splice(0)) answer();
    expect(transport.requests).toHaveLength(32);
  });
  for (const answer of answers.splice(0)) answer();
  expect(
    (await Promise.all(verdicts)).filter((verdict) => verdict === NO_FINDINGS || verdict.warnings.length === 0),
  ).toHaveLength(32);
});

test('waits three seconds for an answer or for its place, then warns', async () => {
  const { clock, dryRun, transport } = setUpDryRuns(() => new Promise(() => {}));
  const verdicts = Promise.all(Array.from({ length: 5 }, () => dryRun()));
  await clock.advance(2999);
  const areAborted = () => transport.requests.map(({ signal }) => signal?.aborted);
  expect(areAborted()).toEqual([false, false, false, false]);
  await clock.advance(1);
  const late = { errors: [], warnings: [couldNotCheck('not done within 3000 ms')] };
  expect(await verdicts).toEqual([late, late, late, late, late]);
  expect(areAborted()).toEqual([true, true, true, true]);
});

test('waits no longer than who asks', async () => {
  const { caller, clock, dryRun } = setUpDryRuns(() => new Promise(() => {}));
  const verdict = dryRun();
  caller.abort(new Error('gone'));
  expect(await verdict).toEqual({ errors: [], warnings: [couldNotCheck('gone')] });
  expect(clock.pendingTimers).toBe(0);
});
