/** Explains the schedule of a CronJob manifest in words. */
import { describeDstNote } from 'kubernetes-cron-schedule';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { valueAt } from '../../../api/v1/raw-object.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { parseSpecSchedules } from '../../../api/v1/warning-rule.ts';
import type { LintedCronJob } from './problem.ts';

type ScheduleExplanation = Pick<LintedCronJob, 'schedule' | 'timeZone' | 'words' | 'clockChanges'>;

/** Never throws. */
export function explainSchedule(cronJob: unknown, now: Date): ScheduleExplanation {
  const [schedule, zone = DEFAULT_TIME_ZONE] = [
    valueAt(cronJob, 'spec', 'schedule'),
    valueAt(cronJob, 'spec', 'timeZone'),
  ];
  if (typeof schedule !== 'string' || typeof zone !== 'string') return { timeZone: String(zone), clockChanges: [] };
  const parsed = parseSchedule(schedule, { timeZone: zone, anchor: now });
  if (parsed.kind === 'invalid') return { schedule, timeZone: zone, clockChanges: [] };
  const parsedSpec = parseSpecSchedules(valueAt(cronJob, 'spec'), now);
  const schedules = parsedSpec?.schedules.map((each) => each.schedule) ?? [parsed.schedule];
  const notes = schedules.flatMap((each) => (each.next(now) === undefined ? [] : each.dstNotes(now)));
  const clockChanges = notes.map((note) => ({ at: formatTime(note.at), words: describeDstNote(note) }));
  return { schedule, timeZone: zone, words: schedules.map((each) => each.describe()).join('; '), clockChanges };
}
