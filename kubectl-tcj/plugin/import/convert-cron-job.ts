/** Converts a batch/v1 CronJob to a CronJob of this API group, and back. */
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, GROUP, IMPORTED_FROM_ANNOTATION, KIND } from '../../../api/v1/groupversion.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { listTrackingMarks, type ManagedObject } from './managing-tool.ts';
import type { SourceCronJob } from './source-cron-job.ts';

interface Manifest<ApiVersion extends string, Spec> {
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

/** The manifest of the new CronJob. Includes the defaults of batch/v1, which are also the defaults of this API group. */
export type ConvertedCronJob = Manifest<typeof API_VERSION, CronJobSpec>;
export type SourceManifest = Manifest<'batch/v1', SourceCronJob['spec']>;

export interface Conversion {
  readonly converted: ConvertedCronJob;
  /** Sentences about differences and omitted fields. */
  readonly notes: readonly string[];
}

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields that have the same meaning in batch/v1 and in this API group. */
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

/**
 * Matches a prefix such as `TZ=UTC`, which sets the time zone of a schedule. Kubernetes rejects the prefix in new CronJobs, but
 * existing CronJobs may have it.
 */
const ZONE_PREFIX = /^\s*(?:CRON_)?TZ=(\S+)\s+/;

/**
 * Converts the source into a CronJob that runs the same Jobs at the same times.
 * @param suspend The value of `spec.suspend` in the new CronJob. The source can have a different value, because the import suspends
 * the source.
 */
export function convertFromBatch(source: SourceCronJob, suspend: boolean): Conversion {
  const { spec } = source;
  const { schedule, timeZone } = resolveTimeZone(spec);
  const sharedFields = {
    ...pickFields(spec, SHARED_FIELDS),
    schedule,
    ...(timeZone !== undefined && { timeZone }),
    suspend,
  };
  const sourceMetadata = copyMetadata(source);
  const metadata = {
    ...sourceMetadata,
    annotations: { ...sourceMetadata.annotations, [IMPORTED_FROM_ANNOTATION]: source.metadata.uid },
  };
  return {
    converted: { apiVersion: API_VERSION, kind: KIND, metadata, spec: sharedFields as CronJobSpec },
    notes: [
      ...listTimeNotes(spec),
      ...listOmittedFields(spec, SHARED_FIELDS, 'does not exist in this API'),
      ...(suspend ? ['spec.suspend is true: no run starts until you resume the CronJob.'] : []),
    ],
  };
}

/** Converts an imported CronJob into a suspended batch/v1 CronJob, which replaces a deleted source. */
export function convertToBatch(cronJob: CronJob): SourceManifest {
  const { spec } = cronJob;
  const metadata = copyMetadata(cronJob);
  const policyField = isOwnPolicy(spec.concurrencyPolicy) ? { concurrencyPolicy: 'Forbid' } : {};
  const sharedFields = { ...pickFields(spec, SHARED_FIELDS), ...policyField, suspend: true };
  return { apiVersion: 'batch/v1', kind: KIND, metadata, spec: sharedFields as SourceCronJob['spec'] };
}

/**
 * Lists the fields and values of an imported CronJob that batch/v1 does not support.
 * @param source The source, if it still exists. {@link convertToBatch} converts the CronJob back if the source was deleted.
 */
export function listRevertNotes({ spec }: CronJob, now: Date, source?: SourceCronJob): readonly string[] {
  const { concurrencyPolicy } = spec;
  const policyEffect = source ? `; the source keeps ${source.spec.concurrencyPolicy}` : ' and becomes Forbid';
  return [
    ...(isOwnPolicy(concurrencyPolicy)
      ? [`spec.concurrencyPolicy: ${concurrencyPolicy} does not exist in batch/v1${policyEffect}.`]
      : []),
    ...(isSuspendedAt({ ...spec, suspend: false }, now)
      ? ['spec.suspendUntil does not exist in batch/v1: the source stays suspended until you resume it.']
      : []),
    ...listOmittedFields(spec, [...SHARED_FIELDS, 'suspendUntil'], 'does not exist in batch/v1'),
  ];
}

function isOwnPolicy(policy: CronJobSpec['concurrencyPolicy']): boolean {
  return policy === 'Skip' || policy === 'Queue';
}

export function createSuspendedSource({ metadata, spec }: SourceCronJob): SourceManifest {
  const manifestMetadata = createMetadata(metadata, (key) => key === LAST_APPLIED_ANNOTATION);
  return { apiVersion: 'batch/v1', kind: KIND, metadata: manifestMetadata, spec: { ...spec, suspend: true } };
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
  const isInterval = /^\s*@every\s/.test(schedule);
  return [
    zone === undefined ? undefined : `spec.schedule: TZ=${zone} becomes spec.timeZone.`,
    zone === undefined && timeZone === undefined && !isInterval
      ? 'spec.timeZone is not set: this operator uses UTC; batch/v1 uses the time zone of kube-controller-manager, which is usually UTC.'
      : undefined,
    isInterval
      ? 'spec.schedule: @every counts from the import instead of from the last run; a restart of the controller does not shift the runs.'
      : undefined,
  ].filter((note) => note !== undefined);
}

function listOmittedFields(spec: object, keptFields: readonly string[], reason: string): readonly string[] {
  return Object.keys(spec)
    .filter((field) => !keptFields.includes(field))
    .map((field) => `spec.${field} ${reason} and is omitted.`);
}

/**
 * Copies the name, labels and annotations. Omits tracking marks and the annotations of this operator, because such metadata
 * identifies a single object.
 */
function copyMetadata(object: ManagedObject & { readonly metadata: ManifestMetadata }): ManifestMetadata {
  const trackingKeys = [...listTrackingMarks(object).map(({ key }) => key), LAST_APPLIED_ANNOTATION];
  const { metadata } = object;
  const labels = metadata.labels && omitKeys(metadata.labels, (key) => trackingKeys.includes(key));
  return createMetadata(
    { ...metadata, ...(labels && { labels }) },
    (key) => trackingKeys.includes(key) || key.startsWith(`${GROUP}/`),
  );
}

/** Returns the fields of the metadata that a user writes into a manifest. */
function createMetadata(
  { name, namespace, labels, annotations = {} }: ManifestMetadata,
  shouldOmit: (annotation: string) => boolean,
): ManifestMetadata {
  const remaining = omitKeys(annotations, shouldOmit);
  const hasAnnotations = Object.keys(remaining).length > 0;
  return { name, namespace, ...(labels && { labels }), ...(hasAnnotations && { annotations: remaining }) };
}

type ManifestMetadata = ConvertedCronJob['metadata'];

type StringMap = Readonly<Record<string, string>>;

function omitKeys(map: StringMap, shouldOmit: (key: string) => boolean): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !shouldOmit(key)));
}

function pickFields<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]]))) as Partial<
    Pick<T, K>
  >;
}
