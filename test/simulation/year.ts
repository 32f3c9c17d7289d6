/** A year of CronJobs in a few seconds. */
import { FakeClock } from '../../runtime/clock/fake-clock.ts';
import { Inspector } from './inspector.ts';
import { JobLife, type Nature } from './job-life.ts';
import { Journal } from './journal.ts';
import { Model, type Tally, type Violation } from './model.ts';
import { Network } from './network.ts';
import { DAY_MS, HOUR_MS, Operations } from './operations.ts';
import { Person } from './people.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const CRON_JOBS = 6;
const DAYS = 365;
/** Years in which clocks did what they seldom do, and some that are usual. */
const YEARS = [2011, 2019, 2024, 2026, 2028];

export interface Year {
  readonly violations: readonly Violation[];
  readonly tally: Tally & Inspector['tally'];
}

/** Lives through the year that `seed` stands for; ends early when a rule is broken. */
export async function liveThrough(seed: number): Promise<Year> {
  const random = new Random(seed);
  const start = new Date(Date.UTC(random.pick(YEARS), random.int(0, 11), random.int(1, 28), random.int(0, 23)));
  const clock = new FakeClock(start);
  const world = new World(clock);
  const journal = new Journal(clock);
  const natures = new Map<string, Nature>();
  const network = new Network(random.fork(), () => clock.monotonicMs());
  const jobLife = new JobLife({ world, clock, random: random.fork(), natures });
  const model: Model = new Model({ world, clock, journal, onPassEnd: (pass) => inspector.expectRest(pass) });
  const operations: Operations = new Operations({
    world,
    clock,
    network,
    random: random.fork(),
    witness: model,
    syncPeriodMs: random.pick([6 * HOUR_MS, 3 * DAY_MS, 1000 * DAY_MS]),
    finalizersOf: (job) => jobLife.finalizersOf(job),
  });
  const inspector = new Inspector({ world, clock, model, operations, journal });

  model.start();
  jobLife.start();
  inspector.start();
  operations.start();
  for (let number = 1; number <= CRON_JOBS; number++) {
    new Person({ world, clock, random: random.fork(), name: `cron-${number}`, natures }).start();
  }
  for (let hour = 0; hour < DAYS * 24 && model.violations.length === 0; hour++) await clock.advance(HOUR_MS);
  return { violations: model.violations, tally: { ...model.tally, ...inspector.tally } };
}
