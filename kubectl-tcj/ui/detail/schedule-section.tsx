import { describeDstNote } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { describeSchedules, listDstNotes, listScheduleTexts } from '../../plugin/report/cron-job-schedule.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import { formatZonedTime } from '../../plugin/terminal/format-time.ts';
import { listNextTimes } from '../model/next-times.ts';
import { usePageState } from '../page-state.ts';

/** Explains the meaning of a schedule, the next scheduled times and the effect of clock changes. */
export function ScheduleSection({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, zone } = usePageState();
  const { timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  const now = store.now.value;
  const nextTimes = listNextTimes(cronJob, now);
  if (nextTimes === undefined) return null;
  const dstNotes = listDstNotes(cronJob, now);
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      <p>
        <code>{listScheduleTexts(cronJob).join(', ')}</code> in {timeZone}: {describeSchedules(cronJob)}.
      </p>
      <h3>Next scheduled times</h3>
      {nextTimes.reason !== undefined && <p>{nextTimes.reason}</p>}
      <ul>
        {nextTimes.times.map((time) => (
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
