import type { Clock } from '../clock/clock.ts';
import type { EventRecorder } from './event-recorder.ts';

/**
 * Maximum time for which a stopping manager sends Events. Events that are not sent in this time are lost. The loss of
 * Events does not affect other objects.
 */
export const EVENT_FLUSH_TIMEOUT_MS = 2_000;

/** Sends the waiting Events, and then stops the recorders. */
export async function flushRecorders(recorders: readonly EventRecorder[], clock: Clock): Promise<void> {
  const timeoutController = new AbortController();
  const cancelTimeout = clock.schedule(EVENT_FLUSH_TIMEOUT_MS, () => timeoutController.abort());
  await Promise.all(recorders.map((recorder) => recorder.flush(timeoutController.signal)));
  cancelTimeout();
  for (const recorder of recorders) recorder.stop();
}
