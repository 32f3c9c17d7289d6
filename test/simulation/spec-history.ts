/** All specs of one CronJob since its creation. */
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { isSuspendedAt, latest, parseInstant } from './facts.ts';

interface SpecVersion {
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
  readonly #versions: SpecVersion[] = [];

  record({ metadata, spec }: CronJob, at: Date): void {
    if (this.#versions.at(-1)?.spec === spec) return;
    this.#versions.push({ version: Number(metadata.resourceVersion), at, spec });
  }

  /** When the last suspension before that version of the object, which is not suspended, ended; `undefined` when there was none. */
  findSuspensionEnd({ metadata }: CronJob, now: Date): SuspensionEnd | undefined {
    const versions = this.#versions.filter(({ version }) => version <= Number(metadata.resourceVersion));
    const ends = versions.map((edit, index) => getSuspensionEnd(edit, versions[index + 1]?.at ?? now));
    return ends.findLast((end) => end !== undefined);
  }

  /** The time since which all specs up to that version fulfil the condition. */
  findSince({ metadata }: CronJob, matches: (spec: CronJobSpec) => boolean): Date {
    const versions = this.#versions.filter(({ version }) => version <= Number(metadata.resourceVersion));
    return latest(versions[versions.findLastIndex(({ spec }) => !matches(spec)) + 1]?.at);
  }
}

/** The end of the suspension by an edit that was in force up to `until`. */
function getSuspensionEnd({ at, spec }: SpecVersion, until: Date): SuspensionEnd | undefined {
  if (!isSuspendedAt(spec, at)) return undefined;
  const time = parseInstant(spec.suspendUntil);
  const isByTime = !spec.suspend && time !== undefined && time <= until;
  return { at: isByTime ? time : until, isByTime };
}
