/** The arguments and options of the commands `manager schedule` and `kubectl tcj schedule`. */
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import { parseSchedule } from './schedule.ts';

export const SCHEDULE_ARGUMENT = {
  name: 'schedule',
  description: 'Schedule as in .spec.schedule, in quotes: "30 2 * * *", @daily, "@every 90m".',
};
/**
 * Returns a hint for users who did not quote the schedule.
 * @param args The arguments after the name of the command.
 */
export function getQuotesHint(args: readonly string[]): string {
  const flagIndex = args.findIndex((arg) => arg.startsWith('-'));
  const text = (flagIndex === -1 ? args : args.slice(0, flagIndex)).join(' ');
  return parseSchedule(text).kind === 'ok'
    ? `put the schedule in quotes: ${JSON.stringify(text)}`
    : 'put the schedule in quotes: without quotes, the shell replaces * with the names of files';
}
/** Maximum number of times to print. */
export const MAX_PRINTED_TIMES = 1000;
export const OUTPUT_FORMATS = ['text', 'json'] as const;

export const TIME_ZONE_FLAG = {
  name: 'time-zone',
  value: 'name',
  description: 'Time zone as in .spec.timeZone, such as Europe/Berlin.',
  default: DEFAULT_TIME_ZONE,
};
export const FROM_FLAG = {
  name: 'from',
  value: 'instant',
  description: 'Time to start from, such as 2026-03-28T00:00:00Z.',
  default: 'now',
};
export const COUNT_FLAG = {
  name: 'count',
  short: 'n',
  value: 'count',
  description: `Number of times to print, 1 to ${MAX_PRINTED_TIMES}.`,
  default: '5',
};
export const OUTPUT_FLAG = {
  name: 'output',
  short: 'o',
  value: 'format',
  description: `Output format: one of ${OUTPUT_FORMATS.join(', ')}.`,
  default: 'text',
};
