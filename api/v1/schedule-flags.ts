/** The command line of `manager schedule` and of `kubectl tcj schedule`, as texts. */
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import { parseSchedule } from './schedule.ts';

export const SCHEDULE = {
  name: 'schedule',
  description: 'As in .spec.schedule, in quotes: "30 2 * * *", @daily, "@every 90m".',
};
/**
 * A hint for a user whose shell split the schedule: the same command line in quotes.
 * @param args The command line after the name of the command.
 */
export function quotesHint(args: readonly string[]): string {
  const flag = args.findIndex((arg) => arg.startsWith('-'));
  const text = (flag === -1 ? args : args.slice(0, flag)).join(' ');
  return parseSchedule(text).kind === 'ok'
    ? `put the schedule in quotes: ${JSON.stringify(text)}`
    : 'put the schedule in quotes: without them the shell writes the names of files in place of *';
}
/** Maximum number of times to print. */
export const MAX_COUNT = 1000;
/** The output formats. */
export const OUTPUTS = ['text', 'json'] as const;

export const TIME_ZONE = {
  name: 'time-zone',
  value: 'name',
  description: 'As in .spec.timeZone, such as Europe/Berlin.',
  default: DEFAULT_TIME_ZONE,
};
export const FROM = {
  name: 'from',
  value: 'instant',
  description: 'Time to start from, such as 2026-03-28T00:00:00Z.',
  default: 'now',
};
export const COUNT = {
  name: 'count',
  short: 'n',
  value: 'count',
  description: `Number of times to print, 1 to ${MAX_COUNT}.`,
  default: '5',
};
export const OUTPUT = {
  name: 'output',
  short: 'o',
  value: 'format',
  description: `Output format: one of ${OUTPUTS.join(', ')}.`,
  default: 'text',
};
