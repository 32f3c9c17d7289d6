import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { resumeChange } from '../../plugin/report/changes.ts';
import { startsOnResume } from '../../plugin/report/missed.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { timeFrom } from '../../plugin/report/sentences.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { doAction } from './do-action.ts';
import type { DialogProps } from './outcome.ts';

export function ResumeDialog({ cronJob, close, outcome }: DialogProps) {
  const { store, zone } = usePage();
  const now = store.now.value;
  const skipsMissed = useSignal(false);
  const key = keyOf(cronJob);
  const { body, sentence } = resumeChange(cronJob, skipsMissed.value, now);
  const hasMissed = cronJob.status?.paused === undefined && startsOnResume(cronJob, now) !== undefined;
  const act =
    body === undefined
      ? undefined
      : () => void doAction({ key, zone: zone.value }, 'resume', { skipMissed: skipsMissed.value }, outcome);
  return (
    <ConfirmDialog title={`Resume ${key}?`} verb="Resume" close={close} act={act}>
      {hasMissed && (
        <label class="check">
          <input
            type="checkbox"
            checked={skipsMissed.value}
            onChange={({ currentTarget: { checked } }) => (skipsMissed.value = checked)}
          />
          Start no run that was missed while it was suspended
        </label>
      )}
      <p aria-live="polite">
        {body === undefined ? `It ${sentence}.` : `It will be ${sentence}. ${nextOf(cronJob, now)}`}
      </p>
    </ConfirmDialog>
  );
}

function nextOf(cronJob: CronJob, now: Date): string {
  const next = scheduleOf(cronJob)?.next(now);
  const failed = cronJob.status?.paused ? ' It is paused again when as many runs fail.' : '';
  return next === undefined ? '' : `The next one is due ${timeFrom(cronJob, next, now)}.${failed}`;
}
