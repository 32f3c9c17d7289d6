/** The view of the page. The URL contains the view, so a link shows the same view to another user. */
import { CRON_JOB_STATES, type CronJobState } from '../../plugin/report/cron-job-state.ts';

/**
 * The user's choice of a time range. `Around`: a number of hours with the current time in the middle. `Fixed`: a range
 * in Unix milliseconds.
 */
export type RangeChoice =
  | { readonly kind: 'Around'; readonly hours: number }
  | { readonly kind: 'Fixed'; readonly fromMs: number; readonly untilMs: number };

export type ZoneChoice = 'local' | 'utc';

export interface View {
  /** Words to search for in the namespace, the name and the schedule. The search ignores case. */
  readonly searchText: string;
  /** An empty string means all namespaces. */
  readonly namespace: string;
  /** A label selector in the syntax of `kubectl get -l`. */
  readonly labelSelector: string;
  /** An empty list means all states. */
  readonly states: readonly CronJobState[];
  /** Whether to show only CronJobs with a run, a skip or an upcoming time in the time range. */
  readonly shouldHideEmpty: boolean;
  readonly rangeChoice: RangeChoice;
  readonly zone: ZoneChoice;
  /** The `namespace/name` of the CronJob on the detail page, or an empty string for the list page. */
  readonly cronJob: string;
  /** The name of the Job whose logs are shown, or an empty string. */
  readonly jobName: string;
  /** The RFC 3339 time of the selected entry, or an empty string. */
  readonly entryTime: string;
  /** The kubeconfig context of the user who copied the link to the page, or an empty string. */
  readonly context: string;
}

export const RANGE_HOURS = [1, 6, 24, 72, 168] as const;
export const HOUR_MS = 3_600_000;
const DEFAULT_RANGE_HOURS = 24;
/** The minimum length of a time range. Users could not distinguish the marks in a shorter range. */
const MIN_RANGE_MS = 60_000;
const MAX_RANGE_MS = 168 * HOUR_MS;

export const DEFAULT_VIEW: View = {
  searchText: '',
  namespace: '',
  labelSelector: '',
  states: [],
  shouldHideEmpty: false,
  rangeChoice: { kind: 'Around', hours: DEFAULT_RANGE_HOURS },
  zone: 'local',
  cronJob: '',
  jobName: '',
  entryTime: '',
  context: '',
};

/** Ignores invalid parameters. */
export function parseView(query: string): View {
  const parameters = new URLSearchParams(query);
  const getParameter = (name: string) => parameters.get(name) ?? '';
  const states = getParameter('state').split(',');
  const cronJob = /^[^/]+\/[^/]+$/.test(getParameter('cronjob')) ? getParameter('cronjob') : '';
  return {
    searchText: getParameter('q'),
    namespace: getParameter('namespace'),
    labelSelector: getParameter('labels'),
    states: CRON_JOB_STATES.filter((state) => states.includes(state)),
    shouldHideEmpty: getParameter('busy') === 'true',
    rangeChoice: parseRangeChoice(parameters),
    zone: getParameter('zone') === 'utc' ? 'utc' : 'local',
    cronJob,
    jobName: cronJob === '' ? '' : getParameter('job'),
    entryTime: cronJob === '' ? '' : normalizeTime(getParameter('at')),
    context: getParameter('context'),
  };
}

/** Returns an empty string for an invalid time. */
function normalizeTime(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

function parseRangeChoice(parameters: URLSearchParams): RangeChoice {
  const [fromMs, untilMs] = [parameters.get('from'), parameters.get('until')].map((text) => Date.parse(text ?? ''));
  if (fromMs !== undefined && untilMs !== undefined && !Number.isNaN(fromMs) && !Number.isNaN(untilMs)) {
    return createFixedRange(fromMs, untilMs);
  }
  const hours = Number(parameters.get('hours'));
  return { kind: 'Around', hours: RANGE_HOURS.find((choice) => choice === hours) ?? DEFAULT_RANGE_HOURS };
}

/** Adjusts the end of the range if the range would be too long, too short or negative. */
export function createFixedRange(fromMs: number, untilMs: number): RangeChoice {
  const lengthMs = Math.min(Math.max(untilMs - fromMs, MIN_RANGE_MS), MAX_RANGE_MS);
  return { kind: 'Fixed', fromMs, untilMs: fromMs + lengthMs };
}

/** Returns the query string of the URL, which begins with `?`, or an empty string. */
export function formatQuery(view: View): string {
  const { rangeChoice } = view;
  const [from, until] =
    rangeChoice.kind === 'Fixed'
      ? [rangeChoice.fromMs, rangeChoice.untilMs].map((ms) => new Date(ms).toISOString())
      : [];
  const parameters = {
    cronjob: view.cronJob,
    job: view.jobName,
    at: view.entryTime,
    q: view.searchText,
    namespace: view.namespace,
    labels: view.labelSelector,
    state: view.states.join(','),
    busy: view.shouldHideEmpty && 'true',
    from,
    until,
    hours: rangeChoice.kind === 'Around' && rangeChoice.hours !== DEFAULT_RANGE_HOURS && String(rangeChoice.hours),
    context: view.context,
    zone: view.zone === 'utc' && 'utc',
  };
  const entries = Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(entries)
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}

export interface TimeRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

export function computeRange(rangeChoice: RangeChoice, nowMs: number): TimeRange {
  if (rangeChoice.kind === 'Fixed') return rangeChoice;
  const halfMs = (rangeChoice.hours * HOUR_MS) / 2;
  return { fromMs: nowMs - halfMs, untilMs: nowMs + halfMs };
}

/**
 * @param fraction The distance as a fraction of the length of the range. For example, -0.5 moves the range back by half
 * of its length.
 */
export function shiftRange(rangeChoice: RangeChoice, fraction: number, nowMs: number): RangeChoice {
  const { fromMs, untilMs } = computeRange(rangeChoice, nowMs);
  const offsetMs = Math.round((untilMs - fromMs) * fraction);
  return createFixedRange(fromMs + offsetMs, untilMs + offsetMs);
}

/**
 * Returns the view for a link that the user shares. The view has a fixed time range. The shared view also contains the kubeconfig
 * context, so that the page can warn a user who opens the link with a different cluster.
 */
export function toSharedView(view: View, nowMs: number, context: string): View {
  const { fromMs, untilMs } = computeRange(view.rangeChoice, nowMs);
  return { ...view, rangeChoice: { kind: 'Fixed', fromMs, untilMs }, context };
}
