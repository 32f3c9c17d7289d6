import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { suspendChange } from '../../plugin/report/changes.ts';
import { leftOutSentence } from '../../plugin/report/sentences.ts';
import { instantOf } from '../../plugin/report/time-of-day.ts';
import { keyOf } from '../model/rows.ts';
import { HOUR_MS } from '../model/view.ts';
import { usePage } from '../page.ts';
import { fieldValue } from '../parts/date-field.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

const DEFAULT_HOURS = 2;
/** The field has whole minutes, so this is its minimum. */
const MINUTE_MS = 60_000;

export function SuspendDialog(props: DialogProps) {
  const { cronJob } = props;
  const { store, zone } = usePage();
  const now = store.now.value;
  const hasEnd = useSignal(true);
  const text = useSignal(fieldValue(new Date(now.getTime() + DEFAULT_HOURS * HOUR_MS + MINUTE_MS - 1), zone.value));
  const until = hasEnd.value ? instantOf(text.value, zone.value) : undefined;
  const isPast = hasEnd.value && (until === undefined || until <= now);
  const { body, sentence } = isPast ? { sentence: '' } : suspendChange(cronJob, until, now);
  const action = body && ({ name: 'suspend', body: { until: until?.toISOString() ?? null } } as const);
  return (
    <ConfirmDialog {...props} title={`Suspend ${keyOf(cronJob)}?`} verb="Suspend" action={action}>
      <fieldset>
        <legend>How long</legend>
        <label class="check">
          <input type="radio" name="end" checked={hasEnd.value} onChange={() => (hasEnd.value = true)} />
          Until a time ({zone.value})
        </label>
        {hasEnd.value && (
          <input
            type="datetime-local"
            aria-label={`Until (${zone.value})`}
            value={text.value}
            onInput={({ currentTarget: { value } }) => (text.value = value)}
          />
        )}
        <label class="check">
          <input type="radio" name="end" checked={!hasEnd.value} onChange={() => (hasEnd.value = false)} />
          Until somebody resumes it
        </label>
      </fieldset>
      <p aria-live="polite">
        {isPast ? 'Give a time that is ahead.' : action ? `It will be ${sentence}.` : `It ${sentence}.`}{' '}
        {action && left(cronJob, now, until)}
      </p>
    </ConfirmDialog>
  );
}

/** The scheduled times that do not run. */
function left(cronJob: CronJob, now: Date, until: Date | undefined): string {
  const counted = until && leftOutSentence(cronJob, now, until);
  return counted ?? 'No run of the schedule starts any more.';
}
