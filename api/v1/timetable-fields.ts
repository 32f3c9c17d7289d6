/** The schemas of the spec fields that, beside `schedule` and `timeZone`, define the scheduled times. */
import { apiRule, time } from 'controller-runtime/schema';
import { isCalendarDate } from 'kubernetes-cron-schedule';
import { z } from 'zod';
import { parseTime } from '../time.ts';
import {
  MAX_EXCLUDED_DATES,
  MAX_EXCLUSION_REASON_LENGTH,
  MAX_EXCLUSIONS,
  MAX_EXTRA_SCHEDULES,
  MAX_SCHEDULE_LENGTH,
} from './cronjob-defaults.ts';
import { type ParsedSchedule, parseSchedule } from './schedule.ts';

const DATE_FIX = 'give a date such as 2026-12-25';

/** A schedule in cron format. `refine` adds the error of the parser. */
function cronExpression(findError: (text: string) => string | undefined) {
  return z
    .string()
    .min(1, { abort: true, error: findError('') })
    .max(MAX_SCHEDULE_LENGTH, { abort: true, error: `may not be more than ${MAX_SCHEDULE_LENGTH} characters` })
    .refine((text) => findError(text) === undefined, { error: ({ input }) => findError(String(input)) });
}

/** The message of the parser without the field and the value, which the caller adds. */
function formatParserError(parsed: ParsedSchedule): string | undefined {
  return parsed.kind === 'ok' ? undefined : parsed.message.replace(/^[\w.]+: "(?:[^"\\]|\\.)*": /, '');
}

const findScheduleError = (text: string) => formatParserError(parseSchedule(text));

function findExclusionError(text: string): string | undefined {
  const parsed = parseSchedule(text);
  const isEvery = parsed.kind === 'ok' && parsed.schedule.kind === 'every';
  return isEvery ? 'an exclusion cannot use @every; give five fields' : formatParserError(parsed);
}

export const schedulesSchema = z
  .array(cronExpression(findScheduleError))
  .max(MAX_EXTRA_SCHEDULES)
  .meta({ 'x-kubernetes-list-type': 'atomic' })
  .optional()
  .describe(
    'More schedules, with the same format and time zone as schedule. Runs start at the times of all of them. A time that several of ' +
      'them have starts one run.',
  );

/** Whether the exclusion has exactly one of its forms. */
function hasOneForm({ startTime, endTime, dates, schedule }: z.output<typeof exclusionFields>): boolean {
  const hasSpan = startTime !== undefined && endTime !== undefined;
  const isHalfSpan = !hasSpan && (startTime !== undefined || endTime !== undefined);
  return !isHalfSpan && [hasSpan, dates !== undefined, schedule !== undefined].filter(Boolean).length === 1;
}

interface Window {
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
}

/** Whether the end is after the start. True if one of them is absent. */
function isWindow({ startTime, endTime }: Window): boolean {
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  return start === undefined || end === undefined || end > start;
}

export const WINDOW_RULE = {
  rule: '!has(self.startTime) || !has(self.endTime) || timestamp(self.endTime) > timestamp(self.startTime)',
  message: 'endTime must be after startTime; change one of them',
  isValid: isWindow,
};

const exclusionFields = z.object({
  reason: z.string().max(MAX_EXCLUSION_REASON_LENGTH).optional().describe('Why no run starts, for status.recentSkips.'),
  startTime: time().optional().describe('Start of the excluded time.'),
  endTime: time().optional().describe('End of the excluded time. A run that is scheduled for this time starts.'),
  dates: z
    .array(z.string().max('2026-12-25'.length).refine(isCalendarDate, { error: DATE_FIX }))
    .min(1)
    .max(MAX_EXCLUDED_DATES)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('Excluded days in the time zone of the CronJob, such as 2026-12-25.'),
  schedule: cronExpression(findExclusionError)
    .optional()
    .describe(
      'Excluded minutes in cron format, in the time zone of the CronJob: "* 2-3 * * 0" excludes 02:00 to 03:59 on Sundays.',
    ),
});

export const excludeSchema = z
  .array(
    apiRule(
      apiRule(exclusionFields, {
        rule: '[has(self.startTime) && has(self.endTime), has(self.dates), has(self.schedule)].exists_one(form, form) && has(self.startTime) == has(self.endTime)',
        message: 'give exactly one of: startTime and endTime, dates, schedule',
        isValid: hasOneForm,
      }),
      WINDOW_RULE,
    ),
  )
  .max(MAX_EXCLUSIONS)
  .meta({ 'x-kubernetes-list-type': 'atomic' })
  .optional()
  .describe('Times at which no run of the schedule starts, not even later.');

export const daylightSavingSchema = z
  .object({
    skippedTimes: z
      .enum(['Skip', 'RunAfter'])
      .optional()
      .describe(
        'What happens to a local time that does not exist because the clock moves forward. Skip, also when not set: no run. ' +
          'RunAfter: one run after the change.',
      ),
    repeatedTimes: z
      .enum(['RunTwice', 'RunOnce'])
      .optional()
      .describe(
        'What happens to a local time that occurs twice because the clock moves back. RunTwice, also when not set: two runs. ' +
          'RunOnce: one run, at the first of the two.',
      ),
  })
  .optional()
  .describe(
    'How changes of the clock affect the schedule. A schedule whose hour field matches every hour, and @every, are not affected.',
  );
