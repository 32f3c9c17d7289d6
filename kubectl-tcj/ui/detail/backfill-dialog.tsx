import { type Signal, useSignal } from '@preact/signals';
import { createBackfillRequest, PAGE_BACKFILL_SETTINGS } from '../../plugin/report/backfill.ts';
import { parseLocalTime } from '../../plugin/report/time-of-day.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { HOUR_MS } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { formatDateTimeField } from '../parts/date-time-field.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

const DEFAULT_BACKFILL_HOURS = 24;

export function BackfillDialog(props: DialogProps) {
  const { cronJob } = props;
  const { store, zone } = usePageState();
  const now = store.now.value;
  const startText = useSignal(
    formatDateTimeField(new Date(now.getTime() - DEFAULT_BACKFILL_HOURS * HOUR_MS), zone.value),
  );
  const endText = useSignal(formatDateTimeField(now, zone.value));
  const isReversed = useSignal(false);
  const [start, end] = [startText, endText].map(({ value }) => parseLocalTime(value, zone.value));
  const order = isReversed.value ? 'NewestFirst' : 'OldestFirst';
  const request = start && end && createBackfillRequest(cronJob, { ...PAGE_BACKFILL_SETTINGS, start, end, order }, now);
  const action =
    start && end && request?.kind === 'ok'
      ? ({
          name: 'backfill',
          body: { startTime: start.toISOString(), endTime: end.toISOString(), isReversed: isReversed.value },
        } as const)
      : undefined;
  return (
    <ConfirmDialog {...props} title={`Backfill ${getCronJobKey(cronJob)}?`} submitLabel="Backfill" action={action}>
      <TimeField label={`From (${zone.value})`} text={startText} />
      <TimeField label={`To (${zone.value})`} text={endText} />
      <label class="check">
        <input
          type="checkbox"
          checked={isReversed.value}
          onChange={({ currentTarget: { checked } }) => (isReversed.value = checked)}
        />
        Start with the newest scheduled time
      </label>
      <p aria-live="polite">
        {request === undefined
          ? 'Enter both times.'
          : request.kind === 'ok'
            ? `This ${request.predicate}. The concurrency policy applies.`
            : `Nothing to start: ${request.message}.`}
      </p>
    </ConfirmDialog>
  );
}

function TimeField({ label, text }: { readonly label: string; readonly text: Signal<string> }) {
  return (
    <label class="field">
      {label}
      <input
        type="datetime-local"
        value={text.value}
        onInput={({ currentTarget: { value } }) => (text.value = value)}
      />
    </label>
  );
}
