/** What the import notes on the CronJobs of batch/v1, so that it can be begun again wherever it was interrupted. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, IMPORTED_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import type { SourceCronJob } from './source.ts';

/** On the source, while it is suspended for the import: `true`. */
export const SUSPENDED_ANNOTATION = `${GROUP}/suspended-for-import`;
/** On the source: UID of the CronJob that replaces it. */
export const IMPORTED_AS_ANNOTATION = `${GROUP}/imported-as`;

const FIELD_MANAGER = 'kubectl-tcj';

export function isSuspendedByUs({ metadata }: SourceCronJob): boolean {
  return metadata.annotations?.[SUSPENDED_ANNOTATION] !== undefined;
}

export function importedAs({ metadata }: SourceCronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_AS_ANNOTATION];
}

/** On one of ours: UID of the source. */
export function importedFrom({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[IMPORTED_FROM_ANNOTATION];
}

/** When the API server took our suspension, by its own clock; or a later change of ours to the source. */
export function suspendedAt(source: SourceCronJob): Date | undefined {
  const noted = source.metadata.managedFields?.find(
    ({ manager, subresource, fieldsV1 }) =>
      manager === FIELD_MANAGER && subresource === undefined && JSON.stringify(fieldsV1 ?? {}).includes('"f:suspend"'),
  );
  return parseTime(noted?.time);
}
