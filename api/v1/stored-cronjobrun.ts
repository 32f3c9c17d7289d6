/**
 * Parses stored CronJobRuns. If the cluster has a different CRD for this kind, such as the CRD of a later version, a stored CronJobRun
 * may have invalid values or lack defaults.
 */
import {
  type CronJobRun,
  type CronJobRunStatus,
  cronJobRunStatusSchema,
  CronJobRun as kind,
} from './cronjobrun-types.ts';
import { API_VERSION } from './groupversion.ts';
import { isRecord, valueAt } from './raw-object.ts';

/** A CronJobRun without invalid values. */
export interface StoredCronJobRun extends CronJobRun {
  /** The first fault of the spec, as a sentence. If there is a fault, the spec requests no run. */
  readonly specFault?: string;
}

/** Adds defaults, replaces an invalid spec, and removes invalid fields of the metadata and of the status. */
export function parseCronJobRun(stored: unknown): StoredCronJobRun {
  const { status: storedStatus, ...object } = isRecord(stored) ? stored : {};
  const status = parseStatus(storedStatus);
  const run = {
    apiVersion: API_VERSION,
    kind: kind.kind,
    ...object,
    metadata: parseMetadata(valueAt(stored, 'metadata')),
    ...(status && { status }),
  } as CronJobRun; // the next lines check the spec
  const [fault] = kind.schema.faults(run);
  return fault === undefined ? kind.schema.withDefaults(run) : withoutRequest(run, fault);
}

const EMPTY_METADATA = { name: '', namespace: '', uid: '', resourceVersion: '', creationTimestamp: '' };

function parseMetadata(metadata: unknown): CronJobRun['metadata'] {
  if (!isRecord(metadata)) return EMPTY_METADATA;
  const { annotations = {} } = metadata;
  const hasOwnFields = Object.keys(EMPTY_METADATA).every((name) => typeof metadata[name] === 'string');
  if (hasOwnFields && isRecord(annotations) && Object.values(annotations).every((value) => typeof value === 'string'))
    return metadata as unknown as CronJobRun['metadata']; // checked above
  return {
    ...EMPTY_METADATA,
    ...pickStrings(metadata),
    ...(isRecord(annotations) && { annotations: pickStrings(annotations) }),
  };
}

function pickStrings(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

type Fault = ReturnType<typeof kind.schema.faults>[number];

function withoutRequest(stored: CronJobRun, { field, message }: Fault): StoredCronJobRun {
  const name = valueAt(stored, 'spec', 'cronJobName');
  const spec = { cronJobName: typeof name === 'string' ? name : '', concurrencyPolicy: 'Obey' } as const;
  return { ...stored, spec, specFault: `${field}: ${message}` };
}

/** Removes invalid fields, and keeps unknown fields, which a later version may have stored. */
function parseStatus(storedStatus: unknown): CronJobRunStatus | undefined {
  if (!isRecord(storedStatus)) return undefined;
  const fields: Readonly<Record<string, { safeParse(value: unknown): { readonly success: boolean } } | undefined>> =
    cronJobRunStatusSchema.shape;
  const names = Object.keys(storedStatus);
  const validNames = names.filter((name) => fields[name]?.safeParse(storedStatus[name]).success ?? true);
  if (validNames.length === names.length) return storedStatus; // each field is valid
  return Object.fromEntries(validNames.map((name) => [name, storedStatus[name]]));
}
