/** Whether a suspended CronJob of batch/v1 still starts Jobs: no field of its status says that its controller has seen the suspension. */
import type { Job } from 'controller-runtime/kubernetes';
import { latest, parseTime } from '../../../api/time.ts';
import { suspendedAt } from './marks.ts';
import { isActive, jobsOf, type SourceCronJob } from './source.ts';

/** More than its controller takes to hear of the suspension, busy as it may be. */
export const STILL_MS = 10_000;
/** The API server dates in whole seconds. */
const SECOND_MS = 1_000;

export type Stillness =
  | { readonly kind: 'Still' }
  | { readonly kind: 'Moving' }
  /** Runs are active beside which its policy lets no other one go. */
  | { readonly kind: 'Running'; readonly jobNames: readonly string[] }
  /** Somebody has resumed it. */
  | { readonly kind: 'Resumed' };

/** @param now By the clock of the API server, at the earliest. */
export function stillness(source: SourceCronJob, all: readonly Job[], now: Date): Stillness {
  if (source.spec.suspend !== true) return { kind: 'Resumed' };
  const own = jobsOf(source, all);
  const moved = latest(suspendedAt(source), ...own.map(({ metadata }) => parseTime(metadata.creationTimestamp)));
  if (moved === undefined || now.getTime() - moved.getTime() < STILL_MS + SECOND_MS) return { kind: 'Moving' };
  const active = source.spec.concurrencyPolicy === 'Allow' ? [] : own.filter(isActive);
  return active.length === 0
    ? { kind: 'Still' }
    : { kind: 'Running', jobNames: active.map(({ metadata }) => metadata.name) };
}
