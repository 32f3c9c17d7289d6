/** Converts a batch/v1 CronJob to a CronJob of this API group, and back. */
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, GROUP, IMPORTED_FROM_ANNOTATION, KIND } from '../../../api/v1/groupversion.ts';
import { listTrackingMarks, type ManagedObject } from './managing-tool.ts';
import type { SourceCronJob } from './source.ts';

/** The fields of a manifest. */
interface WrittenObject<ApiVersion extends string, Spec> {
  readonly apiVersion: ApiVersion;
  readonly kind: typeof KIND;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Spec;
}

/** With the defaults that the API server filled in at the source; this API group has the same defaults. */
export type ConvertedCronJob = WrittenObject<typeof API_VERSION, CronJobSpec>;
export type ConvertedSource = WrittenObject<'batch/v1', SourceCronJob['spec']>;

export interface Conversion<T> {
  readonly converted: T;
  /** Differences and omitted fields, one sentence each. */
  readonly notes: readonly string[];
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields of a batch/v1 spec that have the same meaning here. */
const SHARED_FIELDS = [
  'schedule',
  'timeZone',
  'startingDeadlineSeconds',
  'concurrencyPolicy',
  'suspend',
  'jobTemplate',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
] as const satisfies readonly (keyof SourceCronJob['spec'] & keyof CronJobSpec)[];

/** Kubernetes refuses the prefix in new objects and keeps it in old ones. */
const ZONE_PREFIX = /^\s*(?:CRON_)?TZ=(\S+)\s+/;

/**
 * Returns a CronJob that runs the same Jobs at the same times.
 * @param suspend Whether to suspend it: the source may be suspended only for the import.
 */
export function convert(source: SourceCronJob, suspend: boolean): Conversion<ConvertedCronJob> {
  const { spec } = source;
  const { schedule, timeZone } = resolveTimeZone(spec);
  const shared = { ...pick(spec, SHARED_FIELDS), schedule, ...(timeZone !== undefined && { timeZone }), suspend };
  const copied = copyMetadata(source);
  const metadata = {
    ...copied,
    annotations: { ...copied.annotations, [IMPORTED_FROM_ANNOTATION]: source.metadata.uid },
  };
  return {
    converted: { apiVersion: API_VERSION, kind: KIND, metadata, spec: shared as CronJobSpec },
    notes: [
      ...listTimeNotes(spec),
      ...listUnknownFields(spec, SHARED_FIELDS, 'does not exist in this API'),
      ...(suspend ? ['spec.suspend is true: no run starts until you resume the CronJob.'] : []),
    ],
  };
}

/** Returns a suspended replacement for a source that has been deleted. */
export function convertBack(cronJob: CronJob): Conversion<ConvertedSource> {
  const { spec } = cronJob;
  const copied = copyMetadata(cronJob);
  const shared = { ...pick(spec, SHARED_FIELDS), suspend: true };
  return {
    converted: { apiVersion: 'batch/v1', kind: KIND, metadata: copied, spec: shared as SourceCronJob['spec'] },
    notes: listUnknownFields(spec, [...SHARED_FIELDS, 'suspendUntil'], 'does not exist in batch/v1'),
  };
}

/** The source as a suspended manifest. */
export function createSuspendedSource({ metadata, spec }: SourceCronJob): ConvertedSource {
  const written = createMetadata(metadata, (key) => key === LAST_APPLIED);
  return { apiVersion: 'batch/v1', kind: KIND, metadata: written, spec: { ...spec, suspend: true } };
}

function resolveTimeZone({
  schedule,
  timeZone,
}: SourceCronJob['spec']): Pick<SourceCronJob['spec'], 'schedule' | 'timeZone'> {
  const [prefix, zone] = ZONE_PREFIX.exec(schedule) ?? [];
  return prefix === undefined || zone === undefined
    ? { schedule, ...(timeZone !== undefined && { timeZone }) }
    : { schedule: schedule.slice(prefix.length), timeZone: zone };
}

function listTimeNotes({ schedule, timeZone }: SourceCronJob['spec']): readonly string[] {
  const [, zone] = ZONE_PREFIX.exec(schedule) ?? [];
  const isEvery = /^\s*@every\s/.test(schedule);
  return [
    zone === undefined ? undefined : `spec.schedule: TZ=${zone} becomes spec.timeZone.`,
    zone === undefined && timeZone === undefined && !isEvery
      ? 'spec.timeZone is not set: this operator uses UTC; batch/v1 uses the time zone of kube-controller-manager, which is usually UTC.'
      : undefined,
    isEvery
      ? 'spec.schedule: @every counts from the import, no longer from the last run; a restart of the controller does not shift it.'
      : undefined,
  ].filter((note) => note !== undefined);
}

function listUnknownFields(spec: object, fields: readonly string[], words: string): readonly string[] {
  return Object.keys(spec)
    .filter((field) => !fields.includes(field))
    .map((field) => `spec.${field} ${words} and is omitted.`);
}

/** The metadata without the marks of tools and our own annotations, which belong to one object alone. */
function copyMetadata(object: ManagedObject & { readonly metadata: ManifestMetadata }): ManifestMetadata {
  const marks = [...listTrackingMarks(object).map(({ key }) => key), LAST_APPLIED];
  const { metadata } = object;
  const labels = metadata.labels && omitKeys(metadata.labels, (key) => marks.includes(key));
  return createMetadata(
    { ...metadata, ...(labels && { labels }) },
    (key) => marks.includes(key) || key.startsWith(`${GROUP}/`),
  );
}

/** The metadata as a user writes them, with the annotations that are kept. */
function createMetadata(
  { name, namespace, labels, annotations = {} }: ManifestMetadata,
  isLeftOut: (annotation: string) => boolean,
): ManifestMetadata {
  const written = omitKeys(annotations, isLeftOut);
  const hasAny = Object.keys(written).length > 0;
  return { name, namespace, ...(labels && { labels }), ...(hasAny && { annotations: written }) };
}

type ManifestMetadata = ConvertedCronJob['metadata'];

type StringMap = Readonly<Record<string, string>>;

function omitKeys(values: StringMap, isLeftOut: (key: string) => boolean): StringMap {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isLeftOut(key)));
}

function pick<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]]))) as Partial<
    Pick<T, K>
  >;
}
