/** A year of CronJobs in a few seconds. */
import { FakeClock } from 'controller-runtime/testing';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import type { Effect } from './effects.ts';
import { SimulatedFaults } from './faults.ts';
import { Inspector } from './inspector.ts';
import { type JobBehavior, JobLife } from './job-life.ts';
import { Journal } from './journal.ts';
import { type Limits, WHOLE_YEAR } from './limits.ts';
import { SimulatedNetwork } from './network.ts';
import { Operations } from './operations.ts';
import { drawPrunedFields, planFaults, planHangs } from './planned-faults.ts';
import { Random } from './random.ts';
import { RequestInspector } from './request-inspector.ts';
import { RequestStorage } from './request-storage.ts';
import { RequestUser } from './request-user.ts';
import { type Counts, RuleChecker, type Violation } from './rule-checker.ts';
import type { Setting } from './setting.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { SimulatedUser } from './simulated-user.ts';
import { SlotInspector } from './slot-inspector.ts';

/** One of them has the name of a property of every object. */
const NAMESPACES = ['red', 'constructor', 'blue'] as const;
const DAYS = 365;
/** Share of the years with CronJobRuns. */
const REQUEST_SHARE = 0.5;
/** Chosen so that the years that find the planted faults have no CronJobRuns. */
const REQUEST_SALT = 0x1cb;
/** Share of the years in which users delay runs, and the Pods of finished Jobs terminate. */
const DELAY_SHARE = 0.5;
/** Chosen so that the years that find the planted faults have no delays, except for faults of delays. */
const DELAY_SALT = 0xdb;
/** Years with rare clock faults, and some usual ones. */
const YEARS = [2011, 2019, 2024, 2026, 2028];

export interface Year {
  readonly violations: readonly Violation[];
  readonly counts: Counts &
    RuleChecker['requests']['counts'] &
    Inspector['counts'] &
    SlotInspector['counts'] &
    RequestInspector['counts'];
  /** Number of times that each fault had an effect. */
  readonly faults: ReadonlyMap<Effect, number>;
}

/** Simulates the year of `seed`, or a part of it; ends early when a rule is broken. */
export async function simulateYear(seed: number, { cronJobs, faultKinds, until }: Limits = WHOLE_YEAR): Promise<Year> {
  const random = new Random(seed);
  const start = new Date(Date.UTC(random.pick(YEARS), random.int(0, 11), random.int(1, 28), random.int(0, 23)));
  const clock = new FakeClock(start);
  const world = new SimulatedCluster(clock);
  const journal = new Journal(clock);
  const behaviors = new Map<string, JobBehavior>();
  const network = new SimulatedNetwork(random.fork(), () => clock.monotonicMs(), faultKinds);
  const faults = new SimulatedFaults(clock, journal);
  const setting: Setting = { world, requests: new RequestStorage(clock), clock, network, faults, journal, faultKinds };
  const delays = createDelays(seed);
  const jobLife = new JobLife(setting, random.fork(), { behaviors, terminations: delays?.fork() });
  const checker: RuleChecker = new RuleChecker(setting, (observed) =>
    (observed.requestKey === undefined ? inspector : requestInspector).scheduleInspection(observed),
  );
  const operations: Operations = new Operations(setting, random.fork(), {
    checker,
    syncPeriodMs: random.pick([6 * HOUR_MS, 3 * DAY_MS, 1000 * DAY_MS]),
    drawFinalizers: (job) => jobLife.drawFinalizers(job),
  });
  const inspector = new Inspector(setting, checker, operations);
  const slotInspector = new SlotInspector(setting, { checker, operations, inspect: inspector.inspect });
  const requestInspector = new RequestInspector(setting, checker, operations);

  checker.start();
  jobLife.start();
  inspector.start();
  slotInspector.start();
  requestInspector.start();
  operations.start();
  const hangs = random.fork();
  if (faultKinds.includes('hangs')) planHangs(setting, hangs);
  // The CRD may come from another project.
  const prunedFields = random.chance(0.1) ? drawPrunedFields(random) : undefined;
  const pruned = faultKinds.includes('definitions') ? prunedFields : undefined;
  // A separate generator, so that the other draws of a seed are those of a year without timetables.
  const timetables = new Random(~seed);
  const requestUsers = createRequestUsers(setting, seed);
  // Every CronJob draws its random values even when it does not run, so that no CronJob depends on which others run.
  for (const number of WHOLE_YEAR.cronJobs) {
    const id = { namespace: NAMESPACES[(number - 1) % NAMESPACES.length] ?? '', name: `cron-${number}` };
    const person = new SimulatedUser(setting, random.fork(), {
      id,
      behaviors,
      timetables: timetables.fork(),
      delays: delays?.fork(),
    });
    const faultRandom = random.fork();
    const requestUser = requestUsers(id);
    if (!cronJobs.includes(number)) continue;
    person.start();
    requestUser?.start();
    if (faultKinds.includes('faults')) planFaults(formatKey(id), setting, faultRandom);
    if (pruned !== undefined) faults.prunedStatus.start(formatKey(id), pruned, { durationMs: DAYS * DAY_MS });
  }
  const hasNoViolation = () => checker.violations.length === 0;
  await advanceTo(clock, computeEnd(start, until), hasNoViolation);
  return {
    violations: checker.violations,
    counts: {
      ...checker.counts,
      ...checker.requests.counts,
      ...inspector.counts,
      ...slotInspector.counts,
      ...requestInspector.counts,
    },
    faults: faults.counts,
  };
}

/** Returns a function that creates the user of CronJobRuns of one CronJob; the function returns `undefined` in a year without them. */
function createRequestUsers(setting: Setting, seed: number): (id: RequestUser['id']) => RequestUser | undefined {
  const random = new Random(seed ^ REQUEST_SALT);
  const hasRequests = random.chance(REQUEST_SHARE);
  return (id) => (hasRequests ? new RequestUser(setting, random.fork(), id) : undefined);
}

/** A separate generator, so that the other draws of a seed are those of a year without delays. */
function createDelays(seed: number): Random | undefined {
  const random = new Random(seed ^ DELAY_SALT);
  return random.chance(DELAY_SHARE) ? random : undefined;
}

function computeEnd(start: Date, until: Date | undefined): Date {
  const end = new Date(start.getTime() + DAYS * DAY_MS);
  return until !== undefined && until < end ? until : end;
}

/** Lets time pass up to `end`, while `shouldContinue` returns true. */
async function advanceTo(clock: FakeClock, end: Date, shouldContinue: () => boolean): Promise<void> {
  for (;;) {
    const leftMs = end.getTime() - clock.now().getTime();
    if (leftMs <= 0 || !shouldContinue()) return;
    await clock.advance(Math.min(HOUR_MS, leftMs));
  }
}
