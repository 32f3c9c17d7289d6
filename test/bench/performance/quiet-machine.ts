/** Waits until no other process needs the processors. A load average would show the last run for minutes; a sample does not. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../../hack/control-plane/progress.ts';
import { readMachineTime } from './process-usage.ts';

const SAMPLE_MS = 3_000;
/** Share of all processors together. */
const MAX_BUSY_SHARE = 0.15;
const MAX_WAIT_MS = 300_000;

export async function waitForQuietMachine(progress: Progress, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const step = progress.step(`waiting until less than ${percent(MAX_BUSY_SHARE)} of the processors are busy`);
  for (;;) {
    const busy = await measureBusyShare(signal);
    if (busy < MAX_BUSY_SHARE) return step.done();
    if (performance.now() - startedMs > MAX_WAIT_MS) {
      return step.inconclusive(`the machine is still ${percent(busy)} busy: the figures will show it`);
    }
    step.update(`${percent(busy)} busy`);
  }
}

export async function measureBusyShare(signal: AbortSignal): Promise<number> {
  const before = readMachineTime();
  await sleep(SAMPLE_MS, undefined, { signal });
  const after = readMachineTime();
  return (after.busySeconds - before.busySeconds) / (after.allSeconds - before.allSeconds);
}
