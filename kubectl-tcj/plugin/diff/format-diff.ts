/** Formats the starts of runs that change, as text or as a value for JSON and YAML. */
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { Start } from '../../../api/v1/start-changes.ts';
import { type Cell, type Column, formatColumns } from '../terminal/columns.ts';
import { formatClockTime, formatZonedTime } from '../terminal/format-time.ts';
import { toOneLine } from '../terminal/wrap-text.ts';
import {
  type ComparedPeriod,
  type EditedCronJobDiff,
  hasStartChanges,
  type NewCronJobDiff,
  type StartDiff,
  type StartSample,
} from './start-diff.ts';

/** The maximum number of rows per CronJob. */
const MAX_ROWS_PER_CRON_JOB = 20;

interface DiffFormat extends ComparedPeriod {
  readonly width: number | undefined;
}

export function formatDiffs(diffs: readonly StartDiff[], options: DiffFormat): string {
  const changedDiffs = diffs.filter(hasStartChanges);
  const unchangedDiffs = diffs.filter((diff) => !hasStartChanges(diff));
  const pausedNames = unchangedDiffs.filter((diff) => diff.kind === 'Edited' && diff.isPaused).map(formatName);
  const texts = changedDiffs.map((diff) =>
    diff.kind === 'Created' ? formatCreated(diff) : formatEdited(diff, options),
  );
  return [
    texts.join('\n'),
    changedDiffs.length > 0 && unchangedDiffs.length > 0 ? '\n' : '',
    unchangedDiffs.length > 0 ? `${describeUnchanged(unchangedDiffs, options.until)}\n` : '',
    pausedNames.length > 0 ? `Paused, so no runs start: ${toOneLine(pausedNames.join(', '))}\n` : '',
  ].join('');
}

function formatName({ namespace, name }: StartDiff): string {
  return `${namespace}/${name}`;
}

function describeUnchanged(diffs: readonly StartDiff[], until: Date): string {
  const [first] = diffs;
  const subject = diffs.length === 1 && first ? formatName(first) : `${diffs.length} CronJobs`;
  return toOneLine(`No start changes for ${subject} until ${formatZonedTime(until, DEFAULT_TIME_ZONE)}.`);
}

function formatCreated(diff: NewCronJobDiff): string {
  const { firstStarts, timeZone, jitterSeconds } = diff;
  const times = firstStarts.map(({ time }) => formatClockTime(time, timeZone)).join(', ');
  const jitterClause =
    jitterSeconds > 0 ? `, each up to ${jitterSeconds} s later (jitterSeconds; the UID of the CronJob decides)` : '';
  const starts = times === '' ? 'no run starts' : `first starts: ${times} ${timeZone}${jitterClause}`;
  return `${toOneLine(`${formatName(diff)}: created; ${starts}`)}\n`;
}

interface ChangeRow {
  readonly change: string;
  readonly oldTime?: Date;
  readonly newTime?: Date;
  /** The slot of a missed run that starts now. */
  readonly missedSlot?: Date;
  /** The slot of a run that waits for active runs. */
  readonly waitingSlot?: Date;
}

function formatEdited(diff: EditedCronJobDiff, { now, until, width }: DiffFormat): string {
  const { dropped, moved, added, timeZone, isPartial, endsPause } = diff;
  const rows: readonly ChangeRow[] = [
    ...dropped.starts.map(({ slot, time }) => ({
      change: 'dropped',
      oldTime: time,
      ...(time <= now && { waitingSlot: slot }),
    })),
    ...moved.starts.map(({ oldTime, newTime }) => ({ change: 'moved', oldTime, newTime })),
    ...added.starts.map(({ slot, time }) => ({
      change: 'added',
      newTime: time,
      ...(time <= now && { missedSlot: slot }),
    })),
  ].toSorted((left, right) => getRowTimeMs(left) - getRowTimeMs(right));
  const counts = Object.entries({ dropped, moved, added }).flatMap(([change, { count }]) =>
    count === 0 ? [] : [`${count} ${change}`],
  );
  const end = `until ${formatZonedTime(isPartial ? diff.until : until, timeZone)}`;
  const limitNote = isPartial ? ', where the comparison stops because the schedule has too many starts' : '';
  const pauseNote = endsPause ? 'the edit ends the pause; ' : '';
  const omittedCount = dropped.count + moved.count + added.count - MAX_ROWS_PER_CRON_JOB;
  return [
    `${toOneLine(`${formatName(diff)}: ${pauseNote}starts ${counts.join(', ')} ${end}${limitNote}`)}\n`,
    formatRows(rows.slice(0, MAX_ROWS_PER_CRON_JOB), timeZone, width),
    omittedCount > 0 ? `… and ${omittedCount} more\n` : '',
  ].join('');
}

function getRowTimeMs({ oldTime, newTime }: ChangeRow): number {
  return (oldTime ?? newTime)?.getTime() ?? 0;
}

interface RowColumn extends Column {
  readonly formatCell: (row: ChangeRow) => Cell;
}

function formatRows(rows: readonly ChangeRow[], timeZone: string, width: number | undefined): string {
  const formatCellTime = (time: Date | undefined) => time && formatClockTime(time, timeZone);
  const columns: readonly RowColumn[] = [
    { header: 'CHANGE', formatCell: ({ change }) => change },
    {
      header: 'OLD START',
      formatCell: ({ oldTime, waitingSlot }) =>
        waitingSlot ? `waiting run of ${formatCellTime(waitingSlot)}` : formatCellTime(oldTime),
    },
    {
      header: 'NEW START',
      formatCell: ({ newTime, missedSlot }) =>
        missedSlot ? `now (missed run of ${formatCellTime(missedSlot)})` : formatCellTime(newTime),
    },
  ];
  const cells = rows.map((row) => columns.map(({ formatCell }) => formatCell(row)));
  return formatColumns(columns, cells, width);
}

/** Returns the value for JSON and YAML. */
export function toDiffObject(diffs: readonly StartDiff[], { now, until }: ComparedPeriod): object {
  return { from: formatTime(now), until: formatTime(until), cronJobs: diffs.map(toCronJobObject) };
}

function toCronJobObject(diff: StartDiff): object {
  const { kind, namespace, name, timeZone } = diff;
  const toStartObject = ({ slot, time }: Start) => ({ scheduledTime: formatTime(slot), startTime: formatTime(time) });
  if (diff.kind === 'Created') {
    const { firstStarts, jitterSeconds } = diff;
    return { namespace, name, change: kind, timeZone, firstStarts: firstStarts.map(toStartObject), jitterSeconds };
  }
  const { dropped, moved, added, until } = diff;
  const toList = <T>({ count, starts }: StartSample<T>, toObject: (start: T) => object) => ({
    count,
    starts: starts.map(toObject),
  });
  return {
    ...{ namespace, name, change: hasStartChanges(diff) ? kind : 'Unchanged', timeZone, until: formatTime(until) },
    ...{ paused: diff.isPaused, endsPause: diff.endsPause, dropped: toList(dropped, toStartObject) },
    moved: toList(moved, ({ slot, oldTime, newTime }) => ({
      ...{ scheduledTime: formatTime(slot), oldStartTime: formatTime(oldTime), newStartTime: formatTime(newTime) },
    })),
    added: toList(added, toStartObject),
  };
}
