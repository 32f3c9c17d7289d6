import { useEffect, useRef } from 'preact/hooks';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { isPaused } from '../../plugin/report/asked.ts';
import { timeOf } from '../../plugin/report/sentences.ts';
import { whySkipped } from '../../plugin/report/why-skipped.ts';
import { shownDuration, shownTime } from '../../plugin/terminal/times.ts';
import { timelineFor } from '../model/marks.ts';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { ResultBadge, SkipBadge } from '../parts/signs.tsx';
import { logsLinkId } from './run-logs.tsx';

interface EntryTableProps {
  readonly cronJob: CronJob;
  /** Whether the user may read logs. */
  readonly hasLogs: boolean;
}

/** The runs and the skipped scheduled times, newest first. */
export function EntryTable({ cronJob, hasLogs }: EntryTableProps) {
  const { store, view } = usePage();
  const { entries, knownFrom } = timelineFor(cronJob);
  const now = store.now.value;
  const { at } = view.value;
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const row = at === '' ? null : body.current?.querySelector<HTMLElement>('[aria-current]');
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
  }, [at]);
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs and skipped times</h2>
      {entries.length === 0 ? (
        <p>It has not run yet.</p>
      ) : (
        <div class="scrolls" role="group" aria-labelledby="runs" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Scheduled</th>
                <th scope="col">Result</th>
                <th scope="col">Took</th>
                <th scope="col">What happened</th>
                <th scope="col">Job</th>
              </tr>
            </thead>
            <tbody ref={body}>
              {entries.map((entry) => {
                const isPicked = entry.at.toISOString() === at;
                return entry.kind === 'Run' ? (
                  <RunRow key={entry.run.jobName} {...{ cronJob, hasLogs, now, isPicked }} run={entry.run} />
                ) : (
                  <SkipRow key={entry.at.getTime()} {...{ cronJob, now, isPicked }} skip={entry.skip} />
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {knownFrom && (
        <p class="hint">
          What came before {timeOf(cronJob, knownFrom)} may have left the status, which lists the newest.
        </p>
      )}
    </section>
  );
}

interface RowProps {
  readonly cronJob: CronJob;
  readonly now: Date;
  /** Whether the entry is selected in the timeline. */
  readonly isPicked: boolean;
}

/** Moves the focus to a selected entry. */
function pickable(isPicked: boolean) {
  return { tabIndex: -1, ...(isPicked && { 'aria-current': true }) } as const;
}

interface RunRowProps extends EntryTableProps, RowProps {
  readonly run: RecentRun;
}

function RunRow({ cronJob, run, hasLogs, now, isPicked }: RunRowProps) {
  const { scheduledTime, createdTime, trigger, result, jobName } = run;
  return (
    <tr {...pickable(isPicked)}>
      <td>
        <Time cronJob={cronJob} instant={scheduledTime ?? createdTime} now={now} />
        {trigger !== 'Schedule' && (
          <span class="hint"> {trigger === 'Manual' ? 'started by hand' : 'started by somebody else'}</span>
        )}
      </td>
      <td>
        <ResultBadge result={result} />
      </td>
      <td>{tookOf(run, now)}</td>
      <td>{happenedOf(run)}</td>
      <td>
        <code>{jobName}</code>{' '}
        {hasLogs && (
          <Link to={{ job: jobName }} id={logsLinkId(jobName)}>
            Logs<span class="spoken"> of {jobName}</span>
          </Link>
        )}
      </td>
    </tr>
  );
}

function tookOf({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): string {
  const from = startTime ?? createdTime;
  if (completionTime) return shownDuration(completionTime.getTime() - from.getTime());
  return result === 'Running' ? `${shownDuration(now.getTime() - from.getTime())} so far` : '–';
}

function happenedOf({ reason, message, scheduledTime, createdTime }: RecentRun): string {
  const lateMs = scheduledTime === undefined ? 0 : createdTime.getTime() - scheduledTime.getTime();
  const late = lateMs >= LATE_MS ? `started ${shownDuration(lateMs)} late` : '';
  const why = [reason, message].filter(Boolean).join(': ');
  return [why, late].filter(Boolean).join('; ');
}

/** A shorter delay is not shown. */
const LATE_MS = 10_000;

interface SkipRowProps extends RowProps {
  readonly skip: RecentSkip;
}

function SkipRow({ cronJob, skip, now, isPicked }: SkipRowProps) {
  const { firstTime, lastTime, count } = skip;
  const { cause, change } = whySkipped(skip);
  // A pause that has ended needs no action.
  const isOver = skip.reason === 'Paused' && !isPaused(cronJob);
  return (
    <tr {...pickable(isPicked)}>
      <td>
        <Time cronJob={cronJob} instant={lastTime} now={now} />
        {count > 1 && (
          <span class="hint">
            {' '}
            and {count > 100 ? 'more than 100' : count - 1} before it, since {timeOf(cronJob, firstTime)}
          </span>
        )}
      </td>
      <td>
        <SkipBadge />
      </td>
      <td>–</td>
      <td colSpan={2}>
        {skip.reason}: {cause}.{change !== undefined && !isOver && <span class="hint"> To do: {change}.</span>}
      </td>
    </tr>
  );
}

interface TimeProps {
  readonly cronJob: CronJob;
  readonly instant: Date;
  readonly now: Date;
}

/** The time in the chosen zone, and in the zone of the schedule if it differs. */
function Time({ cronJob, instant, now }: TimeProps) {
  const { zone } = usePage();
  const { timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  return (
    <>
      <time dateTime={instant.toISOString()}>
        {shownTime(instant, zone.value)} ({shownDuration(now.getTime() - instant.getTime())} ago)
      </time>
      {timeZone !== zone.value && <span class="hint other-zone">{shownTime(instant, timeZone)}</span>}
    </>
  );
}
