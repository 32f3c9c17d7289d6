import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { toLocalTime } from '../../../api/v1/schedule.ts';
import { hasAllNamespacesFlag, SELECTION_FLAGS } from '../cluster-flags.ts';
import { type Command, type CommandFlag, type Invocation, UsageError } from '../command.ts';
import { listCronJobs, runWithSession } from '../cron-jobs.ts';
import { createDurationParser, createTimeParser, parseFlag } from '../flag-value.ts';
import { describeEmptyList, describeMissingNamespace } from '../not-found.ts';
import { createOutputFlag, formatValue, OBJECT_FORMATS, parseOutputFormat } from '../output.ts';
import {
  type Agenda,
  type AgendaPeriod,
  type AgendaSlot,
  type BusyMinute,
  buildAgenda,
  type FrequentCronJob,
  getMaxListedSlots,
} from '../report/agenda.ts';
import { describeSchedules, formatScheduleCell, getTimeZone, pickSchedules } from '../report/cron-job-schedule.ts';
import { describeJitterEffect, predictJitterEffect } from '../report/jitter.ts';
import { formatLocalTime } from '../report/sentences.ts';
import { parseNextTime } from '../report/time-of-day.ts';
import { suggestName } from '../similar-name.ts';
import { type Cell, type Column, formatColumns } from '../terminal/columns.ts';
import { formatClockTime, formatDuration } from '../terminal/format-time.ts';
import { toOneLine, wrapText } from '../terminal/wrap-text.ts';

const MAX_WITHIN_HOURS = 168;
const WITHIN_FLAG = {
  name: 'within',
  value: 'duration',
  description: 'Length of the period, such as 3h.',
  default: '24h',
};
const FROM_FLAG = { name: 'from', value: 'time', description: 'Start of the period, such as 02:00 (default: now).' };
const TIME_ZONE_FLAG: CommandFlag = {
  name: 'time-zone',
  value: 'zone',
  description: 'Time zone of the output (default: your time zone).',
  values: TIME_ZONE_NAMES,
};
const OUTPUT_FORMATS = ['wide', ...OBJECT_FORMATS] as const;
const MAX_ROWS = 200;

export const nextCommand: Command = {
  name: 'next',
  description: 'List the upcoming runs and the busiest minutes.',
  flags: [FROM_FLAG, WITHIN_FLAG, TIME_ZONE_FLAG, createOutputFlag(OUTPUT_FORMATS), ...SELECTION_FLAGS],
  examples: [
    { task: 'List the runs of the next three hours in all namespaces', args: 'next -A --within 3h' },
    { task: 'List the runs between 02:00 and 03:00', args: 'next -A --from 02:00 --within 1h' },
    { task: 'Show each time also in the time zone of its schedule', args: 'next -o wide' },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal, now } = invocation;
    const format = parseOutputFormat(flagValues, OUTPUT_FORMATS);
    const timeZone = findOutputZone(invocation);
    const from = parseFlag(flagValues, FROM_FLAG, createTimeParser(timeZone, now, parseNextTime));
    const until = new Date(
      (from ?? now).getTime() + parseFlag(flagValues, WITHIN_FLAG, createDurationParser(MAX_WITHIN_HOURS)),
    );
    const cronJobs = await listCronJobs(invocation);
    // A run that starts now is not upcoming, but a run at the time of --from is included.
    const period = { from: from ?? new Date(now.getTime() + 1), until };
    const agenda = buildAgenda(cronJobs, period);
    if (format === 'json' || format === 'yaml') {
      terminal.out(formatValue(toJsonObject(agenda), format));
      if (cronJobs.length === 0) terminal.err(await describeMissingNamespace(invocation));
    } else if (cronJobs.length === 0) terminal.err(await describeEmptyList(invocation));
    else {
      const isWide = format === 'wide';
      const hasNamespaces = hasAllNamespacesFlag(flagValues);
      const width = isWide ? undefined : terminal.width;
      terminal.out(formatAgenda(agenda, { now, from, period, timeZone, hasNamespaces, isWide, width }));
    }
    return 0;
  }),
};

function findOutputZone({ flagValues, now, localZone = DEFAULT_TIME_ZONE }: Invocation): string {
  const name = flagValues.get(TIME_ZONE_FLAG.name);
  const zone = name ?? localZone;
  if (toLocalTime(now, zone) !== undefined) return zone;
  if (name === undefined) return DEFAULT_TIME_ZONE;
  const hint = suggestName(name, TIME_ZONE_NAMES) || '; use a name such as Europe/Berlin';
  throw new UsageError(`--${TIME_ZONE_FLAG.name}: unknown time zone ${JSON.stringify(name)}${hint}`);
}

interface AgendaFormat {
  readonly now: Date;
  /** The value of --from. */
  readonly from: Date | undefined;
  readonly period: AgendaPeriod;
  readonly timeZone: string;
  readonly hasNamespaces: boolean;
  readonly width: number | undefined;
  /** Whether the table has a column with each time in the zone of its schedule. */
  readonly isWide: boolean;
}

function formatAgenda(
  { slots, frequentCronJobs, busiestMinutes, inactiveCronJobs }: Agenda,
  options: AgendaFormat,
): string {
  const { from, period, timeZone, hasNamespaces, width } = options;
  const omittedCount = slots.length - MAX_ROWS;
  const formatClock = (time: Date) => formatClockTime(time, timeZone);
  const formatParagraph = (text: string, prefix = '') =>
    `${wrapText(`${prefix}${toOneLine(text)}`, width, `${prefix}  `)}\n`;
  const busiestMinuteTexts = busiestMinutes.map(
    ({ time, startCount }) => `${formatClock(time)} (${startCount} starts)`,
  );
  const jitterAdvice = busiestMinutes[0] && describeBusiestMinute(busiestMinutes[0], options);
  const isEmpty = slots.length + frequentCronJobs.length === 0;
  return [
    `Times are in ${timeZone}.\n`,
    slots.length > 0 ? formatTable(slots.slice(0, MAX_ROWS), options) : '',
    isEmpty ? `No runs start ${from ? `from ${formatClock(from)} ` : ''}until ${formatClock(period.until)}.\n` : '',
    omittedCount > 0 ? `… and ${omittedCount} more; use a shorter --within\n` : '',
    frequentCronJobs.length > 0 ? `CronJobs with more than ${getMaxListedSlots(period)} runs:\n` : '',
    ...frequentCronJobs.map((each) => formatParagraph(formatFrequentCronJob(each, options), '  ')),
    busiestMinuteTexts.length > 0 ? formatParagraph(`Busiest minutes: ${busiestMinuteTexts.join(', ')}`) : '',
    jitterAdvice === undefined ? '' : formatParagraph(jitterAdvice),
    inactiveCronJobs.length > 0
      ? formatParagraph(
          `Not listed because suspended or paused: ${inactiveCronJobs.map((each) => formatName(each, hasNamespaces)).join(', ')}`,
        )
      : '',
  ].join('');
}

/** Describes how a jitter would spread the runs of the busiest minute. */
function describeBusiestMinute(
  { time, startCount, cronJobs }: BusyMinute,
  { now, timeZone }: Pick<AgendaFormat, 'now' | 'timeZone'>,
): string | undefined {
  const effect = cronJobs.length === startCount ? predictJitterEffect(cronJobs, now) : undefined;
  return effect && describeJitterEffect(effect, `the ${startCount} runs of ${formatClockTime(time, timeZone)}`);
}

interface SlotColumn extends Column {
  readonly formatCell: (slot: AgendaSlot) => Cell;
}

function formatTable(
  slots: readonly AgendaSlot[],
  { now, timeZone, hasNamespaces, width, isWide }: AgendaFormat,
): string {
  const namespace: SlotColumn = { header: 'NAMESPACE', formatCell: ({ cronJob }) => cronJob.metadata.namespace };
  const scheduleTime: SlotColumn = {
    header: 'SCHEDULE TIME',
    formatCell: ({ time, cronJob }) => formatLocalTime(cronJob, time),
  };
  const columns: readonly SlotColumn[] = [
    { header: 'TIME', formatCell: ({ time }) => formatClockTime(time, timeZone) },
    { header: 'IN', formatCell: ({ time }) => formatDuration(time.getTime() - now.getTime()) },
    ...(hasNamespaces ? [namespace] : []),
    { header: 'NAME', formatCell: ({ cronJob }) => cronJob.metadata.name },
    { header: 'SCHEDULE', fit: 'cut', formatCell: ({ cronJob }) => formatScheduleCell(cronJob) },
    ...(isWide ? [scheduleTime] : []),
  ];
  const rows = slots.map((slot) => columns.map(({ formatCell }) => formatCell(slot)));
  return formatColumns(columns, rows, width);
}

function formatFrequentCronJob(
  { cronJob, startCount, suspendedUntil }: FrequentCronJob,
  { hasNamespaces, timeZone }: Pick<AgendaFormat, 'hasNamespaces' | 'timeZone'>,
): string {
  const scheduleZone = getTimeZone(cronJob);
  const description = describeSchedules(cronJob);
  const zoneSuffix = scheduleZone === timeZone ? '' : `, in ${scheduleZone}`;
  const suspension = suspendedUntil ? `, suspended until ${formatClockTime(suspendedUntil, timeZone)}` : '';
  return `${formatName(cronJob, hasNamespaces)}: ${description}${zoneSuffix} (${startCount} runs${suspension})`;
}

function formatName({ metadata }: CronJob, hasNamespaces: boolean): string {
  return `${hasNamespaces ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

function toJsonObject({ slots, frequentCronJobs, busiestMinutes, inactiveCronJobs }: Agenda): object {
  const pickName = ({ metadata: { namespace, name } }: CronJob) => ({ namespace, name });
  return {
    slots: slots.map(({ time, cronJob }) => ({
      ...{ time: formatTime(time), ...pickName(cronJob) },
      ...{ ...pickSchedules(cronJob), timeZone: getTimeZone(cronJob) },
    })),
    frequent: frequentCronJobs.map(({ cronJob, startCount, suspendedUntil }) => ({
      ...{ ...pickName(cronJob), starts: startCount },
      ...(suspendedUntil && { suspendedUntil: formatTime(suspendedUntil) }),
    })),
    busiest: busiestMinutes.map(({ time, startCount }) => ({ time: formatTime(time), starts: startCount })),
    silent: inactiveCronJobs.map(pickName),
  };
}
