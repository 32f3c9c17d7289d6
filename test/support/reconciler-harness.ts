/** Reconciles of the reconciler of CronJobs over a client that the test defines. */
import type { Client, KubernetesObject, LiveReader, Reader } from 'controller-runtime';
import { type FakeClock, RecordingLogger } from 'controller-runtime/testing';
import type { Notifications } from '../../controllers/cronjob/events.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import type { RequestedStarts } from '../../controllers/requested-starts.ts';

/** Default: the client. */
interface Readers {
  readonly apiReader: LiveReader;
  readonly cache: Pick<Reader, 'get'>;
  /** Default: no CronJobRun has started a Job. */
  readonly requestedStarts: RequestedStarts;
}

interface ReconcileOptions {
  /** Whether other CronJobs come first, so that the status is left to the next reconcile. */
  readonly othersComeFirst?: boolean;
  /** Whether other CronJobs wait when the status is stored. Default: when they come first. */
  readonly othersWait?: boolean;
}

export class ReconcilerHarness {
  readonly reasons: string[] = [];
  readonly messages: string[] = [];
  readonly createdSlots: Date[] = [];
  readonly skips: Notifications['skips'][number][] = [];
  startTimeouts = 0;
  readonly log = new RecordingLogger();
  readonly signal = new AbortController().signal;
  readonly reconciler: CronJobReconciler;

  /** @param client Needs only the methods that the test is about. */
  constructor(client: Partial<Record<keyof Client, unknown>>, clock: FakeClock, readers: Partial<Readers> = {}) {
    const fullClient = client as unknown as Client;
    this.reconciler = new CronJobReconciler({
      ...{ client: fullClient, apiReader: fullClient, cache: fullClient, clock, ...readers },
      recorder: {
        event: (_: KubernetesObject, __: string, reason: string, message: string) => {
          this.reasons.push(reason);
          this.messages.push(message);
        },
      },
      metrics: {
        recordCreatedJob: (slot) => void this.createdSlots.push(slot),
        recordSkippedSlots: (skips) => void this.skips.push(...skips.map(({ reason, count }) => ({ reason, count }))),
        recordFinishedRun() {},
        recordStartTimeout: () => void this.startTimeouts++,
      },
    });
  }

  /** One reconcile of the builders' CronJob. */
  reconcile({ othersComeFirst = false, othersWait = othersComeFirst }: ReconcileOptions = {}) {
    const { log, signal } = this;
    const context = {
      log,
      signal,
      tryContinueAtLowPriority: () => !othersComeFirst,
      hasWaitingObjects: () => othersWait,
    };
    return this.reconciler.reconcile({ namespace: 'default', name: 'hello' }, context);
  }
}
