import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Row } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { SetClock } from '../support/set-clock.ts';
import { EVERY_SECONDS, Tenant } from '../support/tenant.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Where the clock stands after each jump, ahead of the machine's: minutes and a day forward, and back again. */
const OFFSETS_MS = [5 * MINUTE_MS, 0, 6 * MINUTE_MS, DAY_MS, 0, DAY_MS + MINUTE_MS];
const SMALL_JUMP_MS = 20_000;
/** Nothing but the jump of a day makes these due, less than a hundred times. */
const SELDOM_SECONDS = 1200;
const SELDOM = 6;
const BOUND_MS = 120_000;
/** What is under way when the clock is set may still start. */
const UNDER_WAY_MS = 2000;

/** The machine's time is set while the manager runs. */
export async function clockJumps(rig: Rig): Promise<Row> {
  const tenant = await Tenant.open(rig, { namespace: 'clock-jumps' });
  const seldom = await Tenant.open(rig, {
    namespace: 'clock-jumps-seldom',
    count: SELDOM,
    everySeconds: SELDOM_SECONDS,
  });
  const clock = new SetClock(rig.folder, 0);
  await tenant.startManager({ environment: clock.environment, alsoSees: [seldom.namespace] });
  await tenant.runsAfter(Date.now(), BOUND_MS);
  const beganMs = Date.now();
  for (const offsetMs of OFFSETS_MS) {
    const isForward = offsetMs > clock.offsetMs;
    await clock.set(offsetMs, tenant.manager);
    const jumpedMs = Date.now();
    if (isForward) {
      await tenant.runsAfter(clock.now(), BOUND_MS);
      await tenant.isWellThrough(clock.now(), BOUND_MS);
      await seldom.isWellThrough(clock.now(), BOUND_MS);
    } else {
      await sleep(UNDER_WAY_MS + EVERY_SECONDS * 1000);
      // Every slot up to the clock was handled before it was set back.
      await tenant.isWellThrough(clock.now(), BOUND_MS);
      expect(tenant.created.filter(({ askedMs }) => askedMs > jumpedMs + UNDER_WAY_MS)).toEqual([]);
    }
  }
  expect(seldom.created).toHaveLength(SELDOM);
  const lastSlotMs = Math.max(...tenant.created.map(({ slotMs = 0 }) => slotMs));
  await clock.set(clock.offsetMs - SMALL_JUMP_MS, tenant.manager);
  await tenant.runsAfter(lastSlotMs, SMALL_JUMP_MS + BOUND_MS);
  await tenant.isWellThrough(clock.now(), BOUND_MS);
  const early = tenant.created.filter(
    ({ askedMs, slotMs = 0 }) => slotMs > lastSlotMs && askedMs + clock.offsetMs < slotMs,
  );
  expect(early).toEqual([]);
  expect(tenant.manager.ends).toEqual([]);
  const jumps = OFFSETS_MS.length + 1;
  return { ...tenant.row('clock set forward and back, by seconds, minutes and a day', { beganMs }), times: jumps };
}
