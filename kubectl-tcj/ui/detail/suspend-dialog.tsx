import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { createSuspendChange } from '../../plugin/report/cron-job-changes.ts';
import { describeSkippedRuns } from '../../plugin/report/sentences.ts';
import { parseLocalTime } from '../../plugin/report/time-of-day.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { HOUR_MS } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { formatDateTimeField } from '../parts/date-time-field.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

const DEFAULT_SUSPENSION_HOURS = 2;
/** The time field supports only whole minutes. */
const MINUTE_MS = 60_000;

export function SuspendDialog(props: DialogProps) {
  const { cronJob } = props;
  const { store, zone } = usePageState();
  const now = store.now.value;
  const hasEnd = useSignal(true);
  const untilText = useSignal(
    formatDateTimeField(new Date(now.getTime() + DEFAULT_SUSPENSION_HOURS * HOUR_MS + MINUTE_MS - 1), zone.value),
  );
  const suspensionEnd = hasEnd.value ? parseLocalTime(untilText.value, zone.value) : undefined;
  const isPast = hasEnd.value && (suspensionEnd === undefined || suspensionEnd <= now);
  const { body, predicate } = isPast ? { predicate: '' } : createSuspendChange(cronJob, suspensionEnd, now);
  const action = body && ({ name: 'suspend', body: { until: suspensionEnd?.toISOString() ?? null } } as const);
  return (
    <ConfirmDialog {...props} title={`Suspend ${getCronJobKey(cronJob)}?`} submitLabel="Suspend" action={action}>
      <fieldset>
        <legend>Duration</legend>
        <label class="check">
          <input type="radio" name="end" checked={hasEnd.value} onChange={() => (hasEnd.value = true)} />
          Until a time ({zone.value})
        </label>
        {hasEnd.value && (
          <input
            type="datetime-local"
            aria-label={`Until (${zone.value})`}
            value={untilText.value}
            onInput={({ currentTarget: { value } }) => (untilText.value = value)}
          />
        )}
        <label class="check">
          <input type="radio" name="end" checked={!hasEnd.value} onChange={() => (hasEnd.value = false)} />
          Until you resume it
        </label>
      </fieldset>
      <p aria-live="polite">
        {isPast ? 'Enter a time in the future.' : action ? `It will be ${predicate}.` : `It ${predicate}.`}{' '}
        {action && describeSuspension(cronJob, now, suspensionEnd)}
      </p>
    </ConfirmDialog>
  );
}

/** Describes the runs that the suspension skips. */
function describeSuspension(cronJob: CronJob, now: Date, suspensionEnd: Date | undefined): string {
  const skippedRuns = suspensionEnd && describeSkippedRuns(cronJob, now, suspensionEnd);
  return skippedRuns ?? 'No scheduled run starts until you resume the CronJob.';
}
