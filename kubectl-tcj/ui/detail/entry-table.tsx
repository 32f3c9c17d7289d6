import { useEffect, useRef } from 'preact/hooks';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { explainSkip } from '../../plugin/report/explain-skip.ts';
import { formatLocalTime, getRequestedSlot } from '../../plugin/report/sentences.ts';
import { isPaused } from '../../plugin/report/suspension-state.ts';
import type { TimelineEntry } from '../../plugin/report/timeline.ts';
import { formatDuration, formatZonedTime } from '../../plugin/terminal/format-time.ts';
import { fetchCreators } from '../cluster/requests.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { getTimeline } from '../model/timeline-marks.ts';
import { usePageState } from '../page-state.ts';
import { ResultBadge, SkipBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { RetryButton } from './retry-button.tsx';
import { getLogsLinkId } from './run-logs.tsx';
import { useRequest } from './use-request.ts';

interface EntryTableProps {
  readonly cronJob: CronJob;
  readonly canReadLogs: boolean;
  readonly canCreateRuns: boolean;
}

export function EntryTable({ cronJob, canReadLogs, canCreateRuns }: EntryTableProps) {
  const { store, view } = usePageState();
  const { entries, completeSince } = getTimeline(cronJob);
  const creators = useCreators(cronJob, entries);
  const now = store.now.value;
  const { entryTime } = view.value;
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const row = entryTime === '' ? null : bodyRef.current?.querySelector<HTMLElement>('[aria-current]');
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
  }, [entryTime]);
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs and skipped times</h2>
      {entries.length === 0 ? (
        <p>No runs yet.</p>
      ) : (
        <div class="scroll-area" role="group" aria-labelledby="runs" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Scheduled</th>
                <th scope="col">Result</th>
                <th scope="col">Duration</th>
                <th scope="col">Details</th>
                <th scope="col">Job</th>
              </tr>
            </thead>
            <tbody ref={bodyRef}>
              {entries.map((entry) => {
                const isSelected = entry.time.toISOString() === entryTime;
                return entry.kind === 'Run' ? (
                  <RunRow
                    key={entry.run.jobName}
                    {...{ cronJob, canReadLogs, canCreateRuns, now, isSelected }}
                    run={entry.run}
                    creator={creators.get(entry.run.jobName)}
                  />
                ) : (
                  <SkipRow key={entry.time.getTime()} {...{ cronJob, now, isSelected }} skip={entry.skip} />
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {creators.size > 0 && (
        <p class="hint">
          The names in parentheses are the users who created the CronJobRuns, as the webhook recorded them. The audit
          log of the API server is the proof.
        </p>
      )}
      {completeSince && (
        <p class="hint">
          The status lists only the newest runs: runs before {formatLocalTime(cronJob, completeSince)} may be missing.
        </p>
      )}
    </section>
  );
}

/**
 * Maps the name of a Job to the user who requested it with a CronJobRun. The map is empty until the server has read the
 * CronJobRuns.
 */
function useCreators(cronJob: CronJob, entries: readonly TimelineEntry[]): ReadonlyMap<string, string> {
  const jobNames = entries.flatMap((entry) =>
    entry.kind === 'Run' && entry.run.requestedBy ? [entry.run.jobName] : [],
  );
  const { uid } = cronJob.metadata;
  const request = useRequest(
    [uid, ...jobNames].join(' '),
    jobNames.length === 0 ? undefined : () => fetchCreators(getCronJobKey(cronJob)),
  );
  return request.value ?? new Map();
}

interface RowProps {
  readonly cronJob: CronJob;
  readonly now: Date;
  /** Whether the entry is selected in the timeline. */
  readonly isSelected: boolean;
}

/** Returns attributes that make a row focusable and mark the selected row. */
function getRowAttributes(isSelected: boolean) {
  return { tabIndex: -1, ...(isSelected && { 'aria-current': true }) } as const;
}

interface RunRowProps extends EntryTableProps, RowProps {
  readonly run: RecentRun;
  /** The user who requested the run with a CronJobRun. Absent if unknown. */
  readonly creator?: string | undefined;
}

function RunRow({ cronJob, run, creator, canReadLogs, canCreateRuns, now, isSelected }: RunRowProps) {
  const { scheduledTime, createdTime, trigger, result, jobName } = run;
  return (
    <tr {...getRowAttributes(isSelected)}>
      <td>
        <Time cronJob={cronJob} instant={scheduledTime ?? createdTime} now={now} />
        {trigger !== 'Schedule' && <span class="hint"> {describeTrigger(cronJob, run, creator)}</span>}
      </td>
      <td>
        <ResultBadge result={result} />
      </td>
      <td>{formatRunDuration(run, now)}</td>
      <td>{describeRun(run)}</td>
      <td>
        <code>{jobName}</code>{' '}
        {canReadLogs && (
          <Link to={{ jobName }} id={getLogsLinkId(jobName)}>
            Logs<span class="visually-hidden"> of {jobName}</span>
          </Link>
        )}
        {canCreateRuns && result === 'Failed' && trigger !== 'External' && (
          <RetryButton cronJob={cronJob} jobName={jobName} />
        )}
      </td>
    </tr>
  );
}

function describeTrigger(cronJob: CronJob, run: RecentRun, creator: string | undefined): string {
  if (run.trigger === 'External') return 'started by another client';
  const slot = getRequestedSlot(run);
  const description = slot === undefined ? 'manual run' : `run of ${formatLocalTime(cronJob, slot)}`;
  if (run.requestedBy === undefined) return description;
  return `${description}, requested by ${run.requestedBy}${creator === undefined ? '' : ` (${creator})`}`;
}

function formatRunDuration({ startTime, createdTime, completionTime, result }: RecentRun, now: Date): string {
  const runStart = startTime ?? createdTime;
  if (completionTime) return formatDuration(completionTime.getTime() - runStart.getTime());
  return result === 'Running' ? `${formatDuration(now.getTime() - runStart.getTime())} so far` : '–';
}

function describeRun({ reason, message, scheduledTime, createdTime }: RecentRun): string {
  const lateMs = scheduledTime === undefined ? 0 : createdTime.getTime() - scheduledTime.getTime();
  const delayText = lateMs >= MIN_SHOWN_DELAY_MS ? `started ${formatDuration(lateMs)} late` : '';
  const cause = [reason, message].filter(Boolean).join(': ');
  return [cause, delayText].filter(Boolean).join('; ');
}

/** The page shows only delays of at least this duration. */
const MIN_SHOWN_DELAY_MS = 10_000;

interface SkipRowProps extends RowProps {
  readonly skip: RecentSkip;
}

function SkipRow({ cronJob, skip, now, isSelected }: SkipRowProps) {
  const { firstTime, lastTime, count } = skip;
  const { cause, advice } = explainSkip(skip);
  // A pause that has ended needs no action.
  const hasPauseEnded = skip.reason === 'Paused' && !isPaused(cronJob);
  return (
    <tr {...getRowAttributes(isSelected)}>
      <td>
        <Time cronJob={cronJob} instant={lastTime} now={now} />
        {count > 1 && (
          <span class="hint">
            {' '}
            and {count > 100 ? 'more than 100' : count - 1} earlier, since {formatLocalTime(cronJob, firstTime)}
          </span>
        )}
      </td>
      <td>
        <SkipBadge />
      </td>
      <td>–</td>
      <td colSpan={2}>
        {skip.reason}: {cause}.{advice !== undefined && !hasPauseEnded && <span class="hint"> To do: {advice}.</span>}
      </td>
    </tr>
  );
}

interface TimeProps {
  readonly cronJob: CronJob;
  readonly instant: Date;
  readonly now: Date;
}

/** Shows a time in the display zone, and also in the zone of the schedule if that zone differs. */
function Time({ cronJob, instant, now }: TimeProps) {
  const { zone } = usePageState();
  const { timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  return (
    <>
      <time dateTime={instant.toISOString()}>
        {formatZonedTime(instant, zone.value)} ({formatDuration(now.getTime() - instant.getTime())} ago)
      </time>
      {timeZone !== zone.value && <span class="hint other-zone">{formatZonedTime(instant, timeZone)}</span>}
    </>
  );
}
