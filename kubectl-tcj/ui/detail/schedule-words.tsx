import { describeDstNote } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { timeFrom } from '../../plugin/report/sentences.ts';
import { shownTime } from '../../plugin/terminal/times.ts';
import { silentUntil } from '../model/marks.ts';
import { usePage } from '../page.ts';

const TIMES = 5;

/** Explains the schedule: its meaning, its next times, and the effect of clock changes. */
export function ScheduleWords({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, zone } = usePage();
  const { schedule: text, timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  const schedule = scheduleOf(cronJob);
  const now = store.now.value;
  if (schedule === undefined) return null;
  const silentMs = silentUntil(cronJob, now);
  const next =
    silentMs === Number.POSITIVE_INFINITY
      ? []
      : nextTimes(schedule, silentMs === undefined ? now : new Date(silentMs - 1));
  const notes = schedule.dstNotes(now);
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      <p>
        <code>{text}</code> in {timeZone}: {schedule.describe()}.
      </p>
      <h3>Next times</h3>
      {next.length === 0 && (
        <p>{silentMs === undefined ? 'None within five years.' : 'None: no run starts until it is resumed.'}</p>
      )}
      <ul>
        {next.map((time) => (
          <li key={time.getTime()}>
            {timeFrom(cronJob, time, now)}
            {zone.value !== timeZone && <span class="hint"> {shownTime(time, timeZone)}</span>}
          </li>
        ))}
      </ul>
      {notes.length > 0 && (
        <>
          <h3>Changes of the clock</h3>
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

function nextTimes(schedule: NonNullable<ReturnType<typeof scheduleOf>>, after: Date): readonly Date[] {
  const times: Date[] = [];
  for (let time = schedule.next(after); time && times.length < TIMES; time = schedule.next(time)) times.push(time);
  return times;
}
