/** What the spec of one CronJob has been since its creation. */
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

  /** When that version of the object, which is not suspended, last was; `undefined` when it never was. */
  suspensionEnd({ metadata }: CronJob, now: Date): SuspensionEnd | undefined {
    const known = this.#edits.filter(({ version }) => version <= Number(metadata.resourceVersion));
    const ends = known.map((edit, index) => endIn(edit, known[index + 1]?.at ?? now));
    return ends.findLast((end) => end !== undefined);
  }

  /** Since when the specs up to that version have all been so. */
  since({ metadata }: CronJob, isSo: (spec: CronJobSpec) => boolean): Date {
    const known = this.#edits.filter(({ version }) => version <= Number(metadata.resourceVersion));
    return newest(known[known.findLastIndex(({ spec }) => !isSo(spec)) + 1]?.at);
  }
}

/** When the suspension of an edit ended, which was in force up to `until`. */
function endIn({ at, spec }: Edit, until: Date): SuspensionEnd | undefined {
  if (!isSuspendedAt(spec, at)) return undefined;
  const time = instantOf(spec.suspendUntil);
  const isByTime = !spec.suspend && time !== undefined && time <= until;
  return { at: isByTime ? time : until, isByTime };
}
