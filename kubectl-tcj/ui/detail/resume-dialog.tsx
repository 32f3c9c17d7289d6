import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { resumeChange, startsOnResume } from '../../plugin/report/changes.ts';
import { scheduleOf } from '../../plugin/report/schedule-of.ts';
import { timeFrom } from '../../plugin/report/sentences.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function ResumeDialog(props: DialogProps) {
  const { cronJob } = props;
  const now = usePage().store.now.value;
  const skipsMissed = useSignal(false);
  const { body, sentence } = resumeChange(cronJob, skipsMissed.value, now);
  const hasMissed = cronJob.status?.paused === undefined && startsOnResume(cronJob, now) !== undefined;
  const action = body && ({ name: 'resume', body: { skipMissed: skipsMissed.value } } as const);
  return (
    <ConfirmDialog {...props} title={`Resume ${keyOf(cronJob)}?`} verb="Resume" action={action}>
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
