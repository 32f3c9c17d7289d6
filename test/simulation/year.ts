/** A year of CronJobs in a few seconds. */
import { FakeClock } from 'controller-runtime/testing';
import { keyOf } from '../../runtime/kubernetes/resource.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import { type Effect, Faults } from './faults.ts';
import { Inspector } from './inspector.ts';
import { JobLife, type Nature } from './job-life.ts';
import { Journal } from './journal.ts';
import { type Limits, WHOLE_YEAR } from './limits.ts';
import { planHangs, planMishapsOf, somePrunable } from './mishaps.ts';
import { type Counts, Model, type Violation } from './model.ts';
import { Network } from './network.ts';
import { Operations } from './operations.ts';
import { Person } from './people.ts';
import { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { World } from './world.ts';

/** One of them has the name of a property of every object. */
const NAMESPACES = ['red', 'constructor', 'blue'] as const;
const DAYS = 365;
/** Years with rare clock faults, and some usual ones. */
const YEARS = [2011, 2019, 2024, 2026, 2028];

export interface Year {
  readonly violations: readonly Violation[];
  readonly counts: Counts & Inspector['counts'];
  /** Number of times that each fault had an effect. */
  readonly faults: ReadonlyMap<Effect, number>;
}

/** Simulates the year of `seed`, or a part of it; ends early when a rule is broken. */
export async function liveThrough(seed: number, { cronJobs, mishaps, until }: Limits = WHOLE_YEAR): Promise<Year> {
  const random = new Random(seed);
  const start = new Date(Date.UTC(random.pick(YEARS), random.int(0, 11), random.int(1, 28), random.int(0, 23)));
  const clock = new FakeClock(start);
  const world = new World(clock);
  const journal = new Journal(clock);
  const natures = new Map<string, Nature>();
  const network = new Network(random.fork(), () => clock.monotonicMs(), mishaps);
  const faults = new Faults(clock, journal);
  const setting: Setting = { world, clock, network, faults, journal, mishaps };
  const jobLife = new JobLife(setting, random.fork(), natures);
  const model: Model = new Model(setting, (pass) => inspector.expectRest(pass));
  const operations: Operations = new Operations(setting, random.fork(), {
    witness: model,
    syncPeriodMs: random.pick([6 * HOUR_MS, 3 * DAY_MS, 1000 * DAY_MS]),
    finalizersOf: (job) => jobLife.finalizersOf(job),
  });
  const inspector = new Inspector(setting, model, operations);

  model.start();
  jobLife.start();
  inspector.start();
  operations.start();
  const hangs = random.fork();
  if (mishaps.includes('hangs')) planHangs(setting, hangs);
  // The CRD may come from another project.
  const drawn = random.chance(0.1) ? somePrunable(random) : undefined;
  const pruned = mishaps.includes('definitions') ? drawn : undefined;
  // Every CronJob draws its random values even when it does not run, so that no CronJob depends on which others run.
  for (const number of WHOLE_YEAR.cronJobs) {
    const id = { namespace: NAMESPACES[(number - 1) % NAMESPACES.length] ?? '', name: `cron-${number}` };
    const person = new Person(setting, random.fork(), { id, natures });
    const bad = random.fork();
    if (!cronJobs.includes(number)) continue;
    person.start();
    if (mishaps.includes('faults')) planMishapsOf(keyOf(id), setting, bad);
    if (pruned !== undefined) faults.prunedStatus.begin(keyOf(id), pruned, { durationMs: DAYS * DAY_MS });
  }
  const isKept = () => model.violations.length === 0;
  await pass(clock, endOf(start, until), isKept);
  return { violations: model.violations, counts: { ...model.counts, ...inspector.counts }, faults: faults.counts };
}

function endOf(start: Date, until: Date | undefined): Date {
  const end = new Date(start.getTime() + DAYS * DAY_MS);
  return until !== undefined && until < end ? until : end;
}

/** Lets time pass up to `end`, while `mayGoOn` returns true. */
async function pass(clock: FakeClock, end: Date, mayGoOn: () => boolean): Promise<void> {
  for (;;) {
    const leftMs = end.getTime() - clock.now().getTime();
    if (leftMs <= 0 || !mayGoOn()) return;
    await clock.advance(Math.min(HOUR_MS, leftMs));
  }
}
