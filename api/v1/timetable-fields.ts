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

/** The schema of a schedule in cron format, with the errors of the parser. */
function createScheduleSchema(findError: (text: string) => string | undefined) {
  return z
    .string()
    .min(1, { abort: true, error: findError('') })
    .max(MAX_SCHEDULE_LENGTH, { abort: true, error: `may not be more than ${MAX_SCHEDULE_LENGTH} characters` })
    .refine((text) => findError(text) === undefined, { error: ({ input }) => findError(String(input)) });
}

/** Removes the field and the value from the error of the parser, because the caller adds them. */
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
  .array(createScheduleSchema(findScheduleError))
  .max(MAX_EXTRA_SCHEDULES)
  .meta({ 'x-kubernetes-list-type': 'atomic' })
  .optional()
  .describe(
    'Additional schedules, with the same format and time zone as schedule. Runs start at the times of all schedules. If several ' +
      'schedules have the same time, only one run starts.',
  );

function hasOneForm({ startTime, endTime, dates, schedule }: z.output<typeof exclusionFields>): boolean {
  const hasSpan = startTime !== undefined && endTime !== undefined;
  const isHalfSpan = !hasSpan && (startTime !== undefined || endTime !== undefined);
  return !isHalfSpan && [hasSpan, dates !== undefined, schedule !== undefined].filter(Boolean).length === 1;
}

interface TimeWindow {
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
}

/** Returns true if the end is after the start, or if one of the two times is absent. */
function isValidWindow({ startTime, endTime }: TimeWindow): boolean {
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  return start === undefined || end === undefined || end > start;
}

export const WINDOW_RULE = {
  rule: '!has(self.startTime) || !has(self.endTime) || timestamp(self.endTime) > timestamp(self.startTime)',
  message: 'endTime must be after startTime; change one of them',
  isValid: isValidWindow,
};

const exclusionFields = z.object({
  reason: z
    .string()
    .max(MAX_EXCLUSION_REASON_LENGTH)
    .optional()
    .describe('Reason of the exclusion, for status.recentSkips.'),
  startTime: time().optional().describe('Start of the excluded time, inclusive.'),
  endTime: time().optional().describe('End of the excluded time, exclusive.'),
  dates: z
    .array(z.string().max('2026-12-25'.length).refine(isCalendarDate, { error: DATE_FIX }))
    .min(1)
    .max(MAX_EXCLUDED_DATES)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('Excluded days in the time zone of the CronJob, such as 2026-12-25.'),
  schedule: createScheduleSchema(findExclusionError)
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
  .describe(
    'Excluded times. A run with an excluded scheduled time does not start, even after the excluded time. ' +
      'An exclusion ignores the delay of jitterSeconds.',
  );

export const daylightSavingSchema = z
  .object({
    skippedTimes: z
      .enum(['Skip', 'RunAfter'])
      .optional()
      .describe(
        'Action for a local time that a clock change skips. With Skip, the default, no run starts. With RunAfter, one run starts ' +
          'after the change.',
      ),
    repeatedTimes: z
      .enum(['RunTwice', 'RunOnce'])
      .optional()
      .describe(
        'Action for a local time that occurs twice because of a clock change. With RunTwice, the default, two runs start. With ' +
          'RunOnce, one run starts at the first occurrence.',
      ),
  })
  .optional()
  .describe(
    'Effect of clock changes on the schedule. Schedules that run in every hour, and @every schedules, ignore this field.',
  );
