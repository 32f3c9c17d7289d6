/** Looks at CronJobs when things are quiet, and at slots when they are due. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { keyOf } from '../../runtime/client/object.ts';
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import { deadlineMsOf, isActive } from './facts.ts';
import type { Journal } from './journal.ts';
import type { Model } from './model.ts';
import { MINUTE_MS, type Operations, SECOND_MS } from './operations.ts';
import type { Pass } from './pass.ts';
import { brokenAtRest } from './rest-rules.ts';
import type { World } from './world.ts';

export interface InspectorOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly model: Model;
  readonly operations: Operations;
  readonly journal: Journal;
}

/** After a pass, until all that it has caused has come about. */
const REST_MS = 2 * SECOND_MS;
/** How late a slot may start when nothing is wrong. */
const PROMPT_MS = 3 * SECOND_MS;
/** Patrols between one look and the next. */
const LOOKS_APART = 6;
/** The longest back-off, and some more. */
const PATIENCE_MS = 20 * MINUTE_MS;

export class Inspector {
  readonly tally = { rests: 0, repeatedPasses: 0, promptSlots: 0 };
  readonly #world: World;
  readonly #clock: Clock;
  readonly #model: Model;
  readonly #operations: Operations;
  readonly #journal: Journal;
  #patrols = 0;
  /** Keys that will be looked at soon. */
  readonly #expected = new Set<string>();
  readonly #slotWatches = new Map<string, Cancel>();
  /** When each key was last seen at rest, or last had a reason not to be; on the monotonic clock. */
  readonly #excusedMs = new Map<string, number>();

  constructor({ world, clock, model, operations, journal }: InspectorOptions) {
    this.#world = world;
    this.#clock = clock;
    this.#model = model;
    this.#operations = operations;
    this.#journal = journal;
  }

  start(): void {
    this.#world.cronJobs.listen(({ old, object, by }) => {
      if (by.kind !== 'Person') return;
      const gone = object ?? old;
      if (gone === undefined) return;
      this.#excuse(keyOf(gone));
      if (object !== undefined) this.#watchSlots(object);
    });
    this.#patrol();
  }

  /** To be called when a pass has ended. */
  readonly expectRest = ({ key, refusedCreates }: Pick<Pass, 'key' | 'refusedCreates'>): void => {
    if (refusedCreates > 0) this.#excuse(key);
    if (this.#expected.has(key)) return;
    this.#expected.add(key);
    this.#clock.schedule(REST_MS, () => {
      this.#expected.delete(key);
      this.#lookAt(key);
    });
  };

  #excuse(key: string): void {
    this.#excusedMs.set(key, this.#clock.monotonicMs());
  }

  #lookAt(key: string): void {
    const cronJob = this.#world.cronJobs.get(key);
    const { process } = this.#operations;
    if (cronJob === undefined || !process?.isCalm(key)) return;
    const ledger = this.#model.ledgerOf(cronJob);
    const now = this.#clock.now();
    if (ledger === undefined) return;
    const slot = ledger.schedule(cronJob, now)?.previous(now);
    if (slot !== undefined && slot.getTime() > now.getTime() - REST_MS) {
      this.expectRest({ key, refusedCreates: 0 }); // its pass is just about to come
      return;
    }
    this.#excuse(key);
    this.tally.rests++;
    const jobs = this.#world.jobs.ownedBy(cronJob.metadata.uid);
    this.#model.accuse(key, brokenAtRest({ cronJob, jobs, ledger, now }));
    if (this.tally.rests % 16 === 0) void this.#repeatPass(cronJob);
  }

  /** One more pass must find nothing to do. */
  async #repeatPass({ metadata: { namespace, name } }: CronJob): Promise<void> {
    const { process } = this.#operations;
    if (process === undefined) return;
    const key = keyOf({ namespace, name });
    this.tally.repeatedPasses++;
    this.#journal.note(() => 'once more', key);
    const pass = await process.reconcileAgain({ namespace, name });
    if (pass === undefined) return;
    if (pass.writes > 0) this.#model.accuse(key, ['at rest one more pass changes nothing']);
    if (pass.events > 0) this.#model.accuse(key, ['at rest one more pass has nothing to say']);
  }

  /** Now and then a look at one of whom nobody has heard anything, and whether any of them is stuck. */
  #patrol(): void {
    this.#clock.schedule(PATIENCE_MS, () => {
      const cronJobs = this.#world.cronJobs.list();
      this.#patrols++;
      const chosen = cronJobs[this.#patrols / LOOKS_APART];
      if (chosen !== undefined) this.#lookAt(keyOf(chosen));
      if (this.#patrols >= cronJobs.length * LOOKS_APART) this.#patrols = 0;
      for (const cronJob of cronJobs) this.#findStuck(keyOf(cronJob));
      this.#patrol();
    });
  }

  #findStuck(key: string): void {
    const isBusy = this.#operations.process?.isBusy(key) === true;
    const isTroubled = this.#operations.peaceMs < PATIENCE_MS || this.#world.overQuota.has(key);
    const quietMs = this.#clock.monotonicMs() - (this.#excusedMs.get(key) ?? 0);
    if (!isBusy || isTroubled) this.#excuse(key);
    else if (quietMs > 2 * PATIENCE_MS) this.#model.accuse(key, ['in peace everything comes to rest']);
  }

  /** Sees to it that somebody looks when the next slot is due, and the one after that. */
  #watchSlots(cronJob: CronJob): void {
    const key = keyOf(cronJob);
    this.#slotWatches.get(key)?.();
    const now = this.#clock.now();
    const next = this.#model.ledgerOf(cronJob)?.schedule(cronJob, now)?.next(now);
    if (next === undefined) return;
    const cancel = this.#clock.schedule(next.getTime() - now.getTime(), () => {
      const current = this.#world.cronJobs.get(key);
      if (current?.metadata.uid !== cronJob.metadata.uid) return;
      this.#expectStart(current, next);
      this.#expectGivingUp(current);
      this.#watchSlots(current);
    });
    this.#slotWatches.set(key, cancel);
  }

  #expectStart(cronJob: CronJob, slot: Date): void {
    const key = keyOf(cronJob);
    const { uid, generation } = cronJob.metadata;
    const isReady = this.#operations.process?.isCalm(key) === true && !cronJob.spec.suspend;
    const deadlineMs = deadlineMsOf(cronJob) ?? Number.POSITIVE_INFINITY;
    const ledger = this.#model.ledgerOf(cronJob);
    const isPast = ledger === undefined || slot <= ledger.since(cronJob, slot);
    if (!isReady || deadlineMs < PROMPT_MS || isPast || this.#hasActive(cronJob)) return;
    this.#clock.schedule(PROMPT_MS, () => {
      const current = this.#world.cronJobs.get(key);
      const isSame = current?.metadata.uid === uid && current.metadata.generation === generation;
      const isTroubled = this.#operations.peaceMs < PROMPT_MS + SECOND_MS || this.#world.overQuota.has(key);
      if (!isSame || isTroubled || ledger.runOfSlot(slot) !== undefined || this.#hasActive(current)) return;
      if (this.#isNameTaken(cronJob, slot)) return;
      this.#model.accuse(key, [`in peace a slot starts at once (${slot.toISOString()})`]);
    });
    this.tally.promptSlots++;
  }

  /** When the deadline of a slot that waits has passed, that has to be seen. */
  #expectGivingUp(cronJob: CronJob): void {
    const deadlineMs = deadlineMsOf(cronJob);
    if (deadlineMs === undefined || !this.#hasActive(cronJob)) return;
    this.#clock.schedule(deadlineMs + 2 * PROMPT_MS, () => this.#lookAt(keyOf(cronJob)));
  }

  /** Under Forbid an active run holds up the next. */
  #hasActive({ metadata, spec }: CronJob): boolean {
    return spec.concurrencyPolicy === 'Forbid' && this.#world.jobs.ownedBy(metadata.uid).some(isActive);
  }

  #isNameTaken({ metadata: { namespace, name } }: CronJob, slot: Date): boolean {
    return this.#world.jobs.get(keyOf({ namespace, name: `${name}-${slot.getTime() / 1000}` })) !== undefined;
  }
}
