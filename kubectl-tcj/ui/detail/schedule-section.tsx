import { describeDstNote } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import { formatZonedTime } from '../../plugin/terminal/times.ts';
import { getInactiveUntilMs } from '../model/marks.ts';
import { usePageState } from '../page-state.ts';

const NEXT_TIMES_COUNT = 5;

/** Explains the schedule: its meaning, its next times, and the effect of clock changes. */
export function ScheduleSection({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, zone } = usePageState();
  const { schedule: text, timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  const schedule = parseCronJobSchedule(cronJob);
  const now = store.now.value;
  if (schedule === undefined) return null;
  const inactiveUntilMs = getInactiveUntilMs(cronJob, now);
  const next =
    inactiveUntilMs === Number.POSITIVE_INFINITY
      ? []
      : listNextTimes(schedule, inactiveUntilMs === undefined ? now : new Date(inactiveUntilMs - 1));
  const notes = schedule.dstNotes(now);
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      <p>
        <code>{text}</code> in {timeZone}: {schedule.describe()}.
      </p>
      <h3>Next scheduled times</h3>
      {next.length === 0 && (
        <p>
          {inactiveUntilMs === undefined ? 'None in the next five years.' : 'None: no run starts until you resume it.'}
        </p>
      )}
      <ul>
        {next.map((time) => (
          <li key={time.getTime()}>
            {formatRelativeTime(cronJob, time, now)}
            {zone.value !== timeZone && <span class="hint"> {formatZonedTime(time, timeZone)}</span>}
          </li>
        ))}
      </ul>
      {notes.length > 0 && (
        <>
          <h3>Clock changes</h3>
          <ul>
            {notes.map((note) => (
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
