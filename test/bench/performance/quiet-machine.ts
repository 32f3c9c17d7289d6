/** Waits until nothing else needs the processors. A load average would show the last run for minutes; a sample does not. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../../hack/control-plane/progress.ts';
import { machineTime } from './process-usage.ts';

const SAMPLE_MS = 3_000;

export interface QuietOptions {
  /** Share of all processors that may be busy, from 0 to 1. 1 does not wait. */
  readonly maxBusy: number;
  /** It goes on anyhow after this long. */
  readonly maxWaitMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Resolves to the share of the processors that was busy in the last sample. */
export async function quietMachine({ maxBusy, maxWaitMs, progress, signal }: QuietOptions): Promise<number> {
  const startedMs = performance.now();
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const step = progress.step(
    `waiting until less than ${percent(maxBusy)} of the processors are busy, at most ${maxWaitMs / 1000} s`,
  );
  for (;;) {
    const busy = await busyShare(signal);
    if (busy < maxBusy || maxBusy >= 1) {
      step.done();
      return busy;
    }
    if (performance.now() - startedMs > maxWaitMs) {
      step.undecided(`the machine is still ${percent(busy)} busy: the figures will show it`);
      return busy;
    }
    step.update(`${percent(busy)} busy`);
  }
}

async function busyShare(signal: AbortSignal): Promise<number> {
  const before = machineTime();
  await sleep(SAMPLE_MS, undefined, { signal });
  const after = machineTime();
  return (after.busySeconds - before.busySeconds) / (after.allSeconds - before.allSeconds);
}
