/** Parses stored CronJobRuns. If the cluster has a different CRD for this kind, a stored CronJobRun may have invalid values. */
import {
  type CronJobRun,
  type CronJobRunSpec,
  cronJobRunSpecSchema,
  cronJobRunStatusSchema,
} from './cronjobrun-types.ts';
import { API_VERSION } from './groupversion.ts';
import { isRecord, valueAt } from './raw-object.ts';

const NO_METADATA = { name: '', namespace: '', uid: '', resourceVersion: '', creationTimestamp: '' };
const NO_SPEC: CronJobRunSpec = { cronJobName: '', concurrencyPolicy: 'Obey' };

/** Returns a CronJobRun without an invalid spec or status. An invalid spec becomes empty. */
export function parseCronJobRun(stored: unknown): CronJobRun {
  const status = cronJobRunStatusSchema.safeParse(valueAt(stored, 'status')).data;
  return {
    apiVersion: API_VERSION,
    kind: 'CronJobRun',
    metadata: parseMetadata(valueAt(stored, 'metadata')),
    spec: cronJobRunSpecSchema.safeParse(valueAt(stored, 'spec')).data ?? NO_SPEC,
    ...(status && { status }),
  };
}

function parseMetadata(metadata: unknown): CronJobRun['metadata'] {
  const fields = isRecord(metadata) ? pickStrings(metadata) : {};
  const annotations = valueAt(metadata, 'annotations');
  return { ...NO_METADATA, ...fields, ...(isRecord(annotations) && { annotations: pickStrings(annotations) }) };
}

function pickStrings(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
