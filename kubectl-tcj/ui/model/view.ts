/** The view of the page, as its address stores it: a link shows another user the same view. */
import { CRON_JOB_STATES, type CronJobState } from '../../plugin/report/cron-job-state.ts';

/** The shown time. `Around`: this many hours, half of them before now; the span moves with the time. `Fixed`: Unix milliseconds. */
export type TimeSpan =
  | { readonly kind: 'Around'; readonly hours: number }
  | { readonly kind: 'Fixed'; readonly fromMs: number; readonly untilMs: number };

/** The zone of printed times. */
export type ZoneChoice = 'local' | 'utc';

export interface View {
  /** Words in the namespace, the name or the schedule, in any case. */
  readonly text: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** In the syntax of kubectl's `-l`. */
  readonly labels: string;
  /** Empty: all states. */
  readonly states: readonly CronJobState[];
  /** Only CronJobs with a run, a skip or an upcoming time within the shown time. */
  readonly isBusyOnly: boolean;
  readonly span: TimeSpan;
  readonly zone: ZoneChoice;
  /** `namespace/name` of the CronJob whose details are shown; empty for the list. */
  readonly cronJob: string;
  /** The run whose logs are shown in the details, if any. */
  readonly job: string;
  /** The time of the selected entry in the details, if any: RFC 3339. */
  readonly at: string;
  /** Context of the user who copied the link to this view; empty for a view that was not opened from such a link. */
  readonly context: string;
}

export const SPAN_HOURS = [1, 6, 24, 72, 168] as const;
export const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
/** A minute, so that marks are distinguishable. */
const MIN_SPAN_MS = 60_000;
const MAX_SPAN_MS = 168 * HOUR_MS;

export const DEFAULT_VIEW: View = {
  text: '',
  namespace: '',
  labels: '',
  states: [],
  isBusyOnly: false,
  span: { kind: 'Around', hours: DEFAULT_HOURS },
  zone: 'local',
  cronJob: '',
  job: '',
  at: '',
  context: '',
};

/** Ignores invalid parameters. */
export function parseView(query: string): View {
  const parameters = new URLSearchParams(query);
  const text = (name: string) => parameters.get(name) ?? '';
  const states = text('state').split(',');
  const cronJob = /^[^/]+\/[^/]+$/.test(text('cronjob')) ? text('cronjob') : '';
  return {
    text: text('q'),
    namespace: text('namespace'),
    labels: text('labels'),
    states: CRON_JOB_STATES.filter((state) => states.includes(state)),
    isBusyOnly: text('busy') === 'true',
    span: parseSpan(parameters),
    zone: text('zone') === 'utc' ? 'utc' : 'local',
    cronJob,
    job: cronJob === '' ? '' : text('job'),
    at: cronJob === '' ? '' : normalizeTime(text('at')),
    context: text('context'),
  };
}

/** Empty for an invalid time. */
function normalizeTime(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

function parseSpan(parameters: URLSearchParams): TimeSpan {
  const [fromMs, untilMs] = [parameters.get('from'), parameters.get('until')].map((text) => Date.parse(text ?? ''));
  if (fromMs !== undefined && untilMs !== undefined && !Number.isNaN(fromMs) && !Number.isNaN(untilMs)) {
    return createFixedSpan(fromMs, untilMs);
  }
  const hours = Number(parameters.get('hours'));
  return { kind: 'Around', hours: SPAN_HOURS.find((choice) => choice === hours) ?? DEFAULT_HOURS };
}

/** Moves the later end when the span is too long or too short, or ends before it begins. */
export function createFixedSpan(fromMs: number, untilMs: number): TimeSpan {
  const lengthMs = Math.min(Math.max(untilMs - fromMs, MIN_SPAN_MS), MAX_SPAN_MS);
  return { kind: 'Fixed', fromMs, untilMs: fromMs + lengthMs };
}

/** The query of the address: empty, or with its `?`. */
export function formatQuery(view: View): string {
  const { span } = view;
  const [from, until] =
    span.kind === 'Fixed' ? [span.fromMs, span.untilMs].map((ms) => new Date(ms).toISOString()) : [];
  const parts = {
    cronjob: view.cronJob,
    job: view.job,
    at: view.at,
    q: view.text,
    namespace: view.namespace,
    labels: view.labels,
    state: view.states.join(','),
    busy: view.isBusyOnly && 'true',
    from,
    until,
    hours: span.kind === 'Around' && span.hours !== DEFAULT_HOURS && String(span.hours),
    context: view.context,
    zone: view.zone === 'utc' && 'utc',
  };
  const entries = Object.entries(parts).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(entries)
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

export interface TimeRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

export function computeRange(span: TimeSpan, nowMs: number): TimeRange {
  if (span.kind === 'Fixed') return span;
  const halfMs = (span.hours * HOUR_MS) / 2;
  return { fromMs: nowMs - halfMs, untilMs: nowMs + halfMs };
}

/** @param share Share of the shown span, such as -0.5 to move back by half of it. */
export function shiftSpan(span: TimeSpan, share: number, nowMs: number): TimeSpan {
  const { fromMs, untilMs } = computeRange(span, nowMs);
  const byMs = Math.round((untilMs - fromMs) * share);
  return createFixedSpan(fromMs + byMs, untilMs + byMs);
}

/** The view for another user: it does not move with the time, and contains the context, so the page can warn about another cluster. */
export function toSharedView(view: View, nowMs: number, context: string): View {
  const { fromMs, untilMs } = computeRange(view.span, nowMs);
  return { ...view, span: { kind: 'Fixed', fromMs, untilMs }, context };
}
