/** Predicts the spec of a CronJob after `kubectl apply`. */
import { isSameJson } from 'controller-runtime/schema';
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { repairSpec } from '../../../api/v1/warning-rule.ts';

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the stored spec with the fields of the manifest. As in `kubectl apply`, a stored field that is not in the manifest stays,
 * unless an earlier apply has set the field. For example, a suspension by `kubectl tcj suspend` stays.
 */
export function mergeSpec(storedCronJob: CronJob, manifest: unknown): CronJobSpec {
  const spec = valueAt(manifest, 'spec');
  const appliedNames = listAppliedFields(storedCronJob);
  const keptFields = Object.entries(storedCronJob.spec).filter(([name]) => !appliedNames.has(name));
  return repairSpec({ ...Object.fromEntries(keptFields), ...(isRecord(spec) ? spec : {}) });
}

/**
 * Returns whether `kubectl apply` changes the spec. The stored Job template may have more fields than the manifest, because the API
 * server sets defaults.
 * @param newSpec The result of {@link mergeSpec}, which has no Job template.
 */
export function isSpecChanged(storedCronJob: CronJob, manifest: unknown, newSpec: CronJobSpec): boolean {
  const template = valueAt(manifest, 'spec', 'jobTemplate');
  const { metadata, spec } = storedCronJob;
  const appliedTemplate = valueAt(parseJson(metadata.annotations?.[LAST_APPLIED_ANNOTATION]), 'spec', 'jobTemplate');
  return (
    !isSameJson(newSpec, repairSpec({ ...spec })) ||
    !isContained(template, spec.jobTemplate) ||
    !isContained(appliedTemplate, template)
  );
}

function isContained(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length === whole.length && part.every((each, i) => isContained(each, whole[i]));
  if (isRecord(part))
    return isRecord(whole) && Object.entries(part).every(([name, value]) => isContained(value, whole[name]));
  return part === undefined || part === null || part === whole;
}

/** Returns the names of the fields of the spec that `kubectl apply` has set, with or without `--server-side`. */
function listAppliedFields({ metadata }: CronJob): ReadonlySet<string> {
  const lastApplied = valueAt(parseJson(metadata.annotations?.[LAST_APPLIED_ANNOTATION]), 'spec');
  const { managedFields } = metadata;
  const serverSideSpecs = (Array.isArray(managedFields) ? managedFields : [])
    .filter((entry) => valueAt(entry, 'operation') === 'Apply')
    .map((entry) => valueAt(entry, 'fieldsV1', 'f:spec'));
  return new Set([
    ...(isRecord(lastApplied) ? Object.keys(lastApplied) : []),
    ...serverSideSpecs.filter(isRecord).flatMap((fields) => Object.keys(fields).map((name) => name.replace(/^f:/, ''))),
  ]);
}

/** Returns `undefined` for an invalid annotation, because any client can write the annotation. */
function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
