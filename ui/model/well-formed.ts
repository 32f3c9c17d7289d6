/** Objects that were stored before there was a schema, or under another one: one of them must not take the page from all others. */

import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { isRecord } from '../../api/v1/raw-object.ts';
import type { PageCronJob } from '../../plugin/ui-server/messages.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const truth: Check = (value) => typeof value === 'boolean';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const withTexts =
  (...names: readonly string[]): Check =>
  (value) =>
    isRecord(value) && names.every((name) => text(value[name]));

/** What reports read. Other fields stay as they are. */
const SPEC: Readonly<Record<string, Check>> = {
  schedule: text,
  timeZone: text,
  suspend: truth,
  suspendUntil: text,
  concurrencyPolicy: text,
  startingDeadlineSeconds: number,
  recentRunsLimit: number,
};
const STATUS: Readonly<Record<string, Check>> = {
  conditions: listOf(withTexts('type', 'status', 'reason', 'message', 'lastTransitionTime')),
  active: listOf(isRecord),
  activeCount: number,
  recentRuns: listOf(text),
  recentSkips: listOf(text),
  lastRun: withTexts('jobName', 'result'),
  paused: isRecord,
  effectiveSchedule: isRecord,
  failedStart: withTexts('jobName'),
  lastManualRun: text,
  lastResume: text,
};
const DEFAULTS = { schedule: '', suspend: false, concurrencyPolicy: 'Allow' };

/** Without the fields that are of another type than they should be. No report reads the template, which the page does not have. */
export function wellFormed({ spec, status, metadata, ...rest }: PageCronJob): CronJob {
  const { labels, annotations, ...identity } = metadata;
  const kept = {
    ...rest,
    metadata: {
      ...identity,
      ...(isRecord(labels) && { labels: only(labels, text) }),
      ...(isRecord(annotations) && { annotations: only(annotations, text) }),
    },
    spec: { ...DEFAULTS, ...checked(spec, SPEC) },
    ...(isRecord(status) && { status: checked(status, STATUS) }),
  };
  return kept as CronJob;
}

function checked(value: object, checks: Readonly<Record<string, Check>>): object {
  const fits = ([name, each]: readonly [string, unknown]) => !Object.hasOwn(checks, name) || checks[name]?.(each);
  return Object.fromEntries(Object.entries(value).filter(fits));
}

function only(values: object, check: Check): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => check(value)));
}
