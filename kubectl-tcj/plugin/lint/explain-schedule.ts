/** Explains the schedule of a CronJob manifest in words. */
import { describeDstNote } from 'kubernetes-cron-schedule';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { valueAt } from '../../../api/v1/raw-object.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { parseSpecSchedules } from '../../../api/v1/warning-rule.ts';
import type { LintedCronJob } from './problem.ts';

interface ScheduleExplanation
  extends Pick<LintedCronJob, 'schedule' | 'schedules' | 'timeZone' | 'words' | 'clockChanges'> {
  /** The valid schedules, each with its field and its description. */
  readonly descriptions: readonly { readonly field: string; readonly words: string }[];
}

/** Never throws. */
export function explainSchedule(cronJob: unknown, now: Date): ScheduleExplanation {
  const [schedule, zone = DEFAULT_TIME_ZONE] = [
    valueAt(cronJob, 'spec', 'schedule'),
    valueAt(cronJob, 'spec', 'timeZone'),
  ];
  if (typeof schedule !== 'string' || typeof zone !== 'string')
    return { timeZone: String(zone), clockChanges: [], descriptions: [] };
  const fields = { schedule, ...pickOtherSchedules(cronJob), timeZone: zone };
  const parsed = parseSchedule(schedule, { timeZone: zone, anchor: now });
  if (parsed.kind === 'invalid') return { ...fields, clockChanges: [], descriptions: [] };
  const { schedules } = parseSpecSchedules(valueAt(cronJob, 'spec'), now) ?? {
    schedules: [{ path: 'schedule', schedule: parsed.schedule }],
  };
  const notes = schedules.flatMap(({ schedule: each }) => (each.next(now) === undefined ? [] : each.dstNotes(now)));
  const clockChanges = notes.map((note) => ({ at: formatTime(note.at), words: describeDstNote(note) }));
  const descriptions = schedules.map((each) => ({ field: `spec.${each.path}`, words: each.schedule.describe() }));
  return { ...fields, words: descriptions.map(({ words }) => words).join('; '), clockChanges, descriptions };
}

function pickOtherSchedules(cronJob: unknown): Pick<LintedCronJob, 'schedules'> {
  const schedules = valueAt(cronJob, 'spec', 'schedules');
  const texts = Array.isArray(schedules) ? schedules.filter((each) => typeof each === 'string') : [];
  return texts.length > 0 ? { schedules: texts } : {};
}
