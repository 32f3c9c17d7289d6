import { describeDstNote } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import {
  describeSchedules,
  listDstNotes,
  listScheduleTexts,
  parseCronJobSchedule,
} from '../../plugin/report/cron-job-schedule.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import { formatZonedTime } from '../../plugin/terminal/format-time.ts';
import { getInactiveUntilMs } from '../model/timeline-marks.ts';
import { usePageState } from '../page-state.ts';

const NEXT_TIMES_COUNT = 5;

/** Explains the meaning of a schedule, the next scheduled times and the effect of clock changes. */
export function ScheduleSection({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, zone } = usePageState();
  const { timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  const schedule = parseCronJobSchedule(cronJob);
  const now = store.now.value;
  if (schedule === undefined) return null;
  const inactiveUntilMs = getInactiveUntilMs(cronJob, now);
  const nextTimes =
    inactiveUntilMs === Number.POSITIVE_INFINITY
      ? []
      : listNextTimes(schedule, inactiveUntilMs === undefined ? now : new Date(inactiveUntilMs - 1));
  const dstNotes = listDstNotes(cronJob, now);
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      <p>
        <code>{listScheduleTexts(cronJob).join(', ')}</code> in {timeZone}: {describeSchedules(cronJob)}.
      </p>
      <h3>Next scheduled times</h3>
      {nextTimes.length === 0 && (
        <p>
          {inactiveUntilMs === undefined
            ? 'No time matches within the next five years.'
            : 'No run starts until you resume the CronJob.'}
        </p>
      )}
      <ul>
        {nextTimes.map((time) => (
          <li key={time.getTime()}>
            {formatRelativeTime(cronJob, time, now)}
            {zone.value !== timeZone && <span class="hint"> {formatZonedTime(time, timeZone)}</span>}
          </li>
        ))}
      </ul>
      {dstNotes.length > 0 && (
        <>
          <h3>Clock changes</h3>
          <ul>
            {dstNotes.map((note) => (
              <li key={note.at.getTime()}>{describeDstNote(note)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function listNextTimes(schedule: NonNullable<ReturnType<typeof parseCronJobSchedule>>, after: Date): readonly Date[] {
  const times: Date[] = [];
  for (let time = schedule.next(after); time && times.length < NEXT_TIMES_COUNT; time = schedule.next(time))
    times.push(time);
  return times;
}
