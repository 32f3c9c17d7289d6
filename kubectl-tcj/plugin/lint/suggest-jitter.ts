/** Suggests a jitter for CronJobs in the linted files that start in the same minute. */
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { listStarts, type StartPeriod } from '../../../api/v1/start-changes.ts';
import { repairSpec } from '../../../api/v1/warning-rule.ts';
import { formatCommandLine } from '../command-line.ts';
import { suggestJitterSeconds } from '../report/jitter.ts';
import { formatZonedTime } from '../terminal/format-time.ts';
import { toOneLine, wrapText } from '../terminal/wrap-text.ts';
import type { LintedCronJob } from './problem.ts';

export interface JitterSuggestion {
  /** The minute in which the most CronJobs start a run. */
  readonly time: Date;
  /** The CronJobs that start a run in the minute, at least two. */
  readonly cronJobs: readonly (Pick<LintedCronJob, 'file' | 'line' | 'namespace' | 'name'> & JitterField)[];
  /**
   * The expected number of runs in one minute with the jitter. The exact number is unknown, because the delay depends on the UID,
   * which a new CronJob does not have yet.
   */
  readonly expectedPerMinute: number;
}

interface JitterField {
  readonly jitterSeconds: number;
}

interface Candidate extends JitterField {
  readonly cronJob: LintedCronJob;
  readonly spec: CronJobSpec;
}

const MINUTE_MS = 60_000;
const SEARCHED_DAYS = 7;
/** The number of starts of `*\/5 * * * *` in a week. A jitter can spread more frequent runs over only a few minutes. */
const MAX_SEARCHED_STARTS = 2016;

/** Returns `undefined` if no two CronJobs start in the same minute of the next week, or if a jitter cannot spread the starts. */
export function suggestJitter(cronJobs: readonly LintedCronJob[], now: Date): JitterSuggestion | undefined {
  const candidates = cronJobs.flatMap((each) => toCandidate(each, now));
  const period = { now, until: new Date(now.getTime() + SEARCHED_DAYS * 86_400_000), limit: MAX_SEARCHED_STARTS };
  const counts = new Map<number, number>();
  for (const { spec } of candidates) {
    for (const minuteMs of new Set(listMinutes(spec, period))) counts.set(minuteMs, (counts.get(minuteMs) ?? 0) + 1);
  }
  const [minuteMs, count] = [...counts].reduce((busiest, each) => (each[1] > busiest[1] ? each : busiest), [0, 1]);
  if (count < 2) return undefined;
  const busiestMinute = { now: new Date(minuteMs - 1), until: new Date(minuteMs + MINUTE_MS - 1), limit: 1 };
  const startingCronJobs = candidates.filter(({ spec }) => listMinutes(spec, busiestMinute, now).length > 0);
  return {
    time: new Date(minuteMs),
    cronJobs: startingCronJobs.map(({ cronJob: { file, line, namespace, name }, jitterSeconds }) => ({
      ...{ file, line, namespace, name, jitterSeconds },
    })),
    expectedPerMinute: startingCronJobs.reduce((sum, { jitterSeconds }) => sum + 60 / (jitterSeconds + 1), 0),
  };
}

function toCandidate(cronJob: LintedCronJob, now: Date): readonly Candidate[] {
  const { value, hasErrors } = cronJob.manifest;
  const manifestSpec = valueAt(value, 'spec');
  if (hasErrors || cronJob.name === undefined || !isRecord(manifestSpec)) return [];
  const spec = repairSpec(manifestSpec);
  const jitterSeconds = suggestJitterSeconds(spec, now);
  return jitterSeconds === undefined ? [] : [{ cronJob, spec, jitterSeconds }];
}

/** @param createdAt The time from which `@every` counts. */
function listMinutes(spec: CronJobSpec, period: StartPeriod, createdAt = period.now): readonly number[] {
  const metadata = { namespace: '', name: '', uid: '', resourceVersion: '', creationTimestamp: formatTime(createdAt) };
  const { starts } = listStarts({ metadata, spec }, period);
  return starts.map(({ time }) => Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS);
}

/**
 * Returns comments and commands. Quotes the file names in comments too, because zsh does not ignore comments in a pasted command
 * line.
 */
export function formatJitterSuggestion(suggestion: JitterSuggestion | undefined, width: number | undefined): string {
  const toComment = (text: string) => `${wrapText(`# ${toOneLine(text)}`, width, '# ')}\n`;
  if (suggestion === undefined) return toComment(NO_SUGGESTION_MESSAGE);
  const { time, cronJobs, expectedPerMinute } = suggestion;
  const expectation = `on average ${expectedPerMinute.toFixed(1)} of these runs would start in a minute`;
  return [
    toComment(
      `${cronJobs.length} runs start at ${formatZonedTime(time, DEFAULT_TIME_ZONE)}. With these patches, ${expectation}. ${EXPECTATION_NOTE}`,
    ),
    ...cronJobs.map(
      (cronJob) =>
        `# ${formatCommandLine([toOneLine(`${cronJob.file}:${cronJob.line}`)])}\n${formatPatchCommand(cronJob)}\n`,
    ),
  ].join('');
}

const NO_SUGGESTION_MESSAGE = `In the next ${SEARCHED_DAYS} days, no minute has runs of two CronJobs that a jitter could spread.`;
const EXPECTATION_NOTE = 'The exact number depends on the UID that each CronJob gets when it is created.';

function formatPatchCommand({ namespace, name = '', jitterSeconds }: JitterSuggestion['cronJobs'][number]): string {
  const namespaceFlag = namespace === undefined ? [] : ['-n', namespace];
  const patch = JSON.stringify({ spec: { jitterSeconds } });
  return formatCommandLine([
    ...['kubectl', 'patch', `${PLURAL}.${GROUP}`, name, ...namespaceFlag],
    ...['--type', 'merge', '-p', patch],
  ]);
}

/** Returns the value for JSON, or null without a suggestion. */
export function toSuggestionObject(suggestion: JitterSuggestion | undefined): object | null {
  return suggestion === undefined ? null : { ...suggestion, time: formatTime(suggestion.time) };
}
