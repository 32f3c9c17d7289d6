/** The predicted effect of an edit equals the difference between two runs of the real core: one with the edit, and one without. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { parseSlotJobName } from '../../api/v1/job-names.ts';
import { compareStarts, type Start } from '../../api/v1/start-changes.ts';
import { CoreWorld } from '../support/core-world.ts';
import { at } from '../support/cron-jobs.ts';

const STEP_MS = 30_000;
const EDIT = new Date(at('12:05:00'));
const END = new Date(at('15:00:00'));

const specs: fc.Arbitrary<Partial<CronJobSpec>> = fc.record(
  {
    schedule: fc.constantFrom('0 * * * *', '*/20 * * * *', '30 12,14 * * *', '@every 25m', '5 12 * * *', '0 0 31 2 *'),
    schedules: fc.constantFrom<readonly string[]>(['15 * * * *'], ['@every 50m']),
    timeZone: fc.constantFrom('UTC', 'Asia/Kolkata'),
    jitterSeconds: fc.constantFrom(0, 60, 600, 1800),
    suspend: fc.boolean(),
    suspendUntil: fc.constantFrom(at('11:00:00'), at('12:20:00'), at('13:00:00')),
    startTime: fc.constantFrom(at('11:30:00'), at('13:00:00')),
    endTime: fc.constantFrom(at('12:01:00'), at('14:00:00')),
    exclude: fc.constant([{ schedule: '* 13 * * *' }]),
    catchUpPolicy: fc.constantFrom('Latest' as const, 'All' as const),
    concurrencyPolicy: fc.constantFrom('Allow' as const, 'Queue' as const, 'Skip' as const),
    startingDeadlineSeconds: fc.constantFrom(0, 90, 4000),
  },
  { requiredKeys: ['schedule'] },
) as fc.Arbitrary<Partial<CronJobSpec>>;

/** Runs a reconcile every 30 seconds, and ends each run at once. @returns the slot and the start of each run, as text. */
function runReconciles(world: CoreWorld, from: Date, until: Date): readonly string[] {
  const starts: string[] = [];
  for (let ms = from.getTime(); ms <= until.getTime(); ms += STEP_MS) {
    const time = new Date(ms).toISOString().replace('.000', '');
    for (const name of world.reconcile(time).created) {
      starts.push(`${parseSlotJobName(world.cronJob, name)?.toISOString()} at ${time}`);
      world.finish(time);
    }
  }
  return starts;
}

/** The start as {@link runReconciles} would see it. */
function toText({ slot, time }: Start): string {
  const reconcileTime = new Date(Math.ceil(time.getTime() / STEP_MS) * STEP_MS);
  return `${slot.toISOString()} at ${reconcileTime.toISOString().replace('.000', '')}`;
}

function createWorld(spec: Partial<CronJobSpec>, isPaused: boolean): CoreWorld {
  const world = CoreWorld.afterFirstReconcile({ ...spec, pauseAfterFailures: 1 });
  runReconciles(world, new Date(at('10:00:00')), EDIT);
  if (isPaused) {
    const paused = { reason: 'TooManyFailures', since: at('12:04:00') } as const;
    world.cronJob = { ...world.cronJob, status: { ...world.cronJob.status, paused } };
  }
  return world;
}

test('a predicted start is a start of the core, and the reverse', () => {
  fc.assert(
    fc.property(specs, specs, fc.boolean(), (spec, changed, isPaused) => {
      const world = createWorld(spec, isPaused);
      const kept = createWorld(spec, isPaused);
      const edited = { ...world.cronJob.spec, ...changed };
      const span = { now: EDIT, until: END, limit: 1000 };
      const { dropped, moved, added } = compareStarts(world.cronJob, edited, span);
      world.edit(changed);
      const [before, after] = [kept, world].map((each) =>
        runReconciles(each, EDIT, new Date(END.getTime() + 1_800_000)),
      );
      const isListed = (text: string) => new Date(text.slice(0, 24)) <= END;
      const [oldStarts, newStarts] = [before, after].map((list) => new Set(list?.filter(isListed)));
      expect({
        gone: [...dropped, ...moved.map(({ slot, oldTime: time }) => ({ slot, time }))].map(toText).toSorted(),
        come: [...added, ...moved.map(({ slot, newTime: time }) => ({ slot, time }))].map(toText).toSorted(),
      }).toEqual({
        gone: [...(oldStarts ?? [])].filter((text) => !newStarts?.has(text)).toSorted(),
        come: [...(newStarts ?? [])].filter((text) => !oldStarts?.has(text)).toSorted(),
      });
    }),
    { numRuns: 60 },
  );
});
