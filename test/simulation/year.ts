/** A year of CronJobs in a few seconds. */
import { FakeClock } from 'controller-runtime/testing';
import { keyOf } from '../../runtime/kubernetes/resource.ts';
import { type Effect, Faults } from './faults.ts';
import { Inspector } from './inspector.ts';
import { JobLife, type Nature } from './job-life.ts';
import { Journal } from './journal.ts';
import { CronJobMishaps, NamespaceMishaps, somePrunable } from './mishaps.ts';
import { type Counts, Model, type Violation } from './model.ts';
import { Network } from './network.ts';
import { DAY_MS, HOUR_MS, Operations } from './operations.ts';
import { Person } from './people.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const CRON_JOBS = 6;
const NAMESPACES = ['red', 'green', 'blue'] as const;
const DAYS = 365;
/** Years in which clocks did what they seldom do, and some that are usual. */
const YEARS = [2011, 2019, 2024, 2026, 2028];

export interface Year {
  readonly violations: readonly Violation[];
  readonly counts: Counts & Inspector['counts'];
  /** How often each fault has had an effect. */
  readonly faults: ReadonlyMap<Effect, number>;
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
  const faults = new Faults(clock, journal);
  const jobLife = new JobLife({ world, clock, random: random.fork(), faults, natures });
  const model: Model = new Model({ world, clock, journal, faults, onPassEnd: (pass) => inspector.expectRest(pass) });
  const operations: Operations = new Operations({
    world,
    clock,
    network,
    faults,
    random: random.fork(),
    witness: model,
    syncPeriodMs: random.pick([6 * HOUR_MS, 3 * DAY_MS, 1000 * DAY_MS]),
    finalizersOf: (job) => jobLife.finalizersOf(job),
  });
  const inspector = new Inspector({ world, clock, model, operations, faults, journal });

  model.start();
  jobLife.start();
  inspector.start();
  operations.start();
  new NamespaceMishaps({ world, clock, random: random.fork(), faults }).start();
  // The definition may be somebody else's altogether.
  const pruned = random.chance(0.1) ? somePrunable(random) : undefined;
  for (let number = 0; number < CRON_JOBS; number++) {
    const id = { namespace: NAMESPACES[number % NAMESPACES.length] ?? '', name: `cron-${number + 1}` };
    new Person({ world, clock, random: random.fork(), faults, id, natures }).start();
    new CronJobMishaps({ world, clock, random: random.fork(), faults }, keyOf(id)).start();
    if (pruned !== undefined) faults.prunedStatus.begin(keyOf(id), pruned, { durationMs: DAYS * DAY_MS });
  }
  for (let hour = 0; hour < DAYS * 24 && model.violations.length === 0; hour++) await clock.advance(HOUR_MS);
  return { violations: model.violations, counts: { ...model.counts, ...inspector.counts }, faults: faults.counts };
}
