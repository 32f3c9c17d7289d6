/** All specs of one CronJob since its creation. */
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { instantOf, isSuspendedAt, newest } from './facts.ts';

interface Edit {
  readonly version: number;
  readonly at: Date;
  readonly spec: CronJobSpec;
}

/** The end of the last suspension. */
export interface SuspensionEnd {
  readonly at: Date;
  /** `suspendUntil` came, and no user ended the suspension before. */
  readonly isByTime: boolean;
}

export class SpecHistory {
  readonly #edits: Edit[] = [];

  follow({ metadata, spec }: CronJob, at: Date): void {
    if (this.#edits.at(-1)?.spec === spec) return;
    this.#edits.push({ version: Number(metadata.resourceVersion), at, spec });
  }

  /** When the last suspension before that version of the object, which is not suspended, ended; `undefined` when there was none. */
  suspensionEnd({ metadata }: CronJob, now: Date): SuspensionEnd | undefined {
    const known = this.#edits.filter(({ version }) => version <= Number(metadata.resourceVersion));
    const ends = known.map((edit, index) => endIn(edit, known[index + 1]?.at ?? now));
    return ends.findLast((end) => end !== undefined);
  }

  /** The time since which all specs up to that version fulfil the condition. */
  since({ metadata }: CronJob, isSo: (spec: CronJobSpec) => boolean): Date {
    const known = this.#edits.filter(({ version }) => version <= Number(metadata.resourceVersion));
    return newest(known[known.findLastIndex(({ spec }) => !isSo(spec)) + 1]?.at);
  }
}

/** The end of the suspension by an edit that was in force up to `until`. */
function endIn({ at, spec }: Edit, until: Date): SuspensionEnd | undefined {
  if (!isSuspendedAt(spec, at)) return undefined;
  const time = instantOf(spec.suspendUntil);
  const isByTime = !spec.suspend && time !== undefined && time <= until;
  return { at: isByTime ? time : until, isByTime };
}
