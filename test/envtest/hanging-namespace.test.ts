/** One namespace whose Job webhook does not answer: what becomes of the lease, and of everybody else. */
import { eventually, RecordingLogger } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { AdmissionGate, JOB_CREATES } from '../support/admission-gate.ts';
import { leases } from '../support/leases.ts';
import type { NotedRequest } from '../support/noting-transport.ts';
import type { RunningManager } from '../support/running-manager.ts';
import { Scene } from '../support/scene.ts';

const LEASE = 'manager';
const LEASE_PATH = /\/leases/;

const MINUTE_MS = 60_000;
/** A leader renews every 2 s and has lost after 10; a delete is given up after 5: a step is shorter than what may be waited. */
const STEP_MS = 4_000;
const RENEWALS_PER_MINUTE = MINUTE_MS / STEP_MS;
/** Steps of the clock while the test waits for something else. */
const CREEP_MS = 1000;

/** Less than the 30 s after which the API server gives a hanging call up: the lease must not wait for that. */
const ANSWER_TIMEOUT_MS = 28_000;

const HANGING_CRON_JOBS = 200;
/** Half of them Replace. */
const OTHER_CRON_JOBS = 50;
const SLOTS = 4;
/** It bounds a failure only. */
const MANY_SLOTS_TIMEOUT_MS = 1_200_000;

/** The clock, which waits wherever it stands until what can be answered has been: no wait that it bounds ends too soon. */
class WaitingClock {
  readonly #scene: Scene;
  readonly #manager: RunningManager;

  constructor(scene: Scene, manager: RunningManager) {
    this.#scene = scene;
    this.#manager = manager;
  }

  async advance(byMs: number): Promise<void> {
    for (let leftMs = byMs; leftMs > 0; leftMs -= STEP_MS) {
      await this.#scene.clock.advance(Math.min(leftMs, STEP_MS));
      await this.#answered();
    }
  }

  /** Moves to one second past the next full minute; returns that minute. */
  async passNextMinute(): Promise<Date> {
    const minute = this.#scene.nextMinute;
    await this.advance(minute.getTime() + 1000 - this.#scene.clock.now().getTime());
    return minute;
  }

  /** Creeps on until `assertion` holds, but not into the next minute: what comes must come because of this one. */
  async eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
    const lastMs = this.#scene.nextMinute.getTime() - STEP_MS;
    const creep = async () => {
      if (this.#scene.clock.now().getTime() + CREEP_MS < lastMs) await this.advance(CREEP_MS);
      return await assertion();
    };
    return await eventually(creep, { intervalMs: 20 });
  }

  async #answered(): Promise<void> {
    const leaseAnswered = () => expectNone(this.#pending().filter(({ path }) => LEASE_PATH.test(path)));
    await eventually(leaseAnswered, { intervalMs: 1, timeoutMs: ANSWER_TIMEOUT_MS });
    await eventually(() => expectNone(this.#pending()), { intervalMs: 1 });
  }

  /** Requests without an answer, but for the creates that hang, and for reads of their Jobs, which wait behind them. */
  #pending(): readonly NotedRequest[] {
    const hanging = `/namespaces/${this.#scene.namespace}/jobs`;
    return this.#manager.requests().filter(({ outcome, path }) => outcome === 'pending' && !path.includes(hanging));
  }
}

function expectNone(waiting: readonly NotedRequest[]): void {
  const [first] = waiting;
  if (first) throw new Error(`${first.method} ${first.path} is not answered, nor are ${waiting.length - 1} others`);
}

async function leading(scene: Scene): Promise<string> {
  return await scene.eventually(async () => {
    const lease = await scene.client.get(leases, { namespace: scene.namespace, name: LEASE });
    if (!lease?.spec.holderIdentity) throw new Error('nobody leads');
    return lease.spec.holderIdentity;
  });
}

/** One process has led all the time, and everything that it asked for the lease was done. */
async function expectOneLeader(scene: Scene, manager: RunningManager, leader: string, minutes: number): Promise<void> {
  const requests = manager.requests(undefined, LEASE_PATH);
  expect(new Set(requests.slice(2).map(({ method, outcome }) => `${method} ${outcome}`))).toEqual(
    new Set(['PUT done']),
  );
  expect(requests.length).toBeGreaterThanOrEqual(minutes * RENEWALS_PER_MINUTE);
  const lease = await scene.client.get(leases, { namespace: scene.namespace, name: LEASE });
  expect(lease?.spec).toMatchObject({ holderIdentity: leader, leaseTransitions: 0 });
}

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

describe('a Job webhook that does not answer', () => {
  test(
    `one tenant does not hold up all: ${SLOTS} slots of ${OTHER_CRON_JOBS} CronJobs run while ${HANGING_CRON_JOBS} of another namespace hang`,
    async () => {
      await using hanging = await Scene.open();
      await using other = await Scene.open({ clock: hanging.clock });
      const { namespace, client } = hanging;
      await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [JOB_CREATES] });
      gate.verdict = () => 'hold';
      await Promise.all(names('hello', HANGING_CRON_JOBS).map((name) => hanging.createCronJob({}, name)));
      const allowing = names('allow', OTHER_CRON_JOBS / 2);
      const replacing = names('replace', OTHER_CRON_JOBS / 2);
      await Promise.all(allowing.map((name) => other.createCronJob({}, name)));
      await Promise.all(replacing.map((name) => other.createCronJob({ concurrencyPolicy: 'Replace' }, name)));
      // Not before: what is created moves the clock, whatever the leader waits for.
      const log = new RecordingLogger();
      const manager = await hanging.startManager({
        leaseName: LEASE,
        log,
        alsoIn: [other.namespace],
        isTransportOnClock: true,
      });
      const leader = await leading(hanging);
      const clock = new WaitingClock(hanging, manager);

      const slots: Date[] = [];
      const created = new RegExp(`/${other.namespace}/jobs$`);
      while (slots.length < SLOTS) {
        const before = manager.requests('POST', created).length;
        const slot = await clock.passNextMinute();
        slots.push(slot);
        await eventually(() => {
          const done = manager.requests('POST', created).filter(({ outcome }) => outcome === 'done');
          expect(done.length, `creates at slot ${slots.length}`).toBeGreaterThanOrEqual(before + OTHER_CRON_JOBS);
        });
        await clock.eventually(async () => {
          const all = await client.list(cronJobs, { namespace: other.namespace });
          const told = all.filter(({ status }) => Date.parse(status?.lastScheduleTime ?? '') === slot.getTime());
          expect(told.length, `CronJobs whose status tells of slot ${slots.length}`).toBe(OTHER_CRON_JOBS);
        });
        await clock.eventually(() => expect(gate.held).toBeGreaterThan(0));
      }

      const seconds = slots.map((slot) => slot.getTime() / 1000);
      // A minute that passed while the CronJobs were being made is a slot of some of them.
      const isAwaited = (jobName: string) => Number(jobName.split('-').at(-1)) >= (seconds[0] ?? 0);
      const jobNames = (await other.jobs()).map(({ metadata }) => metadata.name).filter(isAwaited);
      const expected = [
        ...allowing.flatMap((name) => seconds.map((each) => `${name}-${each}`)),
        ...replacing.map((name) => `${name}-${seconds.at(-1)}`),
      ];
      expect(new Set(jobNames)).toEqual(new Set(expected));
      expect(await hanging.jobs()).toEqual([]); // nobody was let go: all the above was sent meanwhile
      // The first minute had begun before it led.
      await expectOneLeader(hanging, manager, leader, SLOTS - 1);
      expect(log.errors.map(({ message, error }) => `${message}: ${error}`)).toEqual([]);
      gate.allowAll();
      await clock.eventually(async () => {
        const owners = (await hanging.jobs()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
        expect(new Set(owners).size).toBe(HANGING_CRON_JOBS);
      });
    },
    MANY_SLOTS_TIMEOUT_MS,
  );
});
