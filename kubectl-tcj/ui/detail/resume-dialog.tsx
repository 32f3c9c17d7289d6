import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { createResumeChange, findSlotOnResume } from '../../plugin/report/cron-job-changes.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { formatRelativeTime } from '../../plugin/report/sentences.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { usePageState } from '../page-state.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function ResumeDialog(props: DialogProps) {
  const { cronJob } = props;
  const now = usePageState().store.now.value;
  const shouldSkipMissedRun = useSignal(false);
  const { body, predicate } = createResumeChange(cronJob, shouldSkipMissedRun.value, now);
  const hasMissedRun = cronJob.status?.paused === undefined && findSlotOnResume(cronJob, now) !== undefined;
  const action = body && ({ name: 'resume', body: { skipMissed: shouldSkipMissedRun.value } } as const);
  return (
    <ConfirmDialog {...props} title={`Resume ${getCronJobKey(cronJob)}?`} submitLabel="Resume" action={action}>
      {hasMissedRun && (
        <label class="check">
          <input
            type="checkbox"
            checked={shouldSkipMissedRun.value}
            onChange={({ currentTarget: { checked } }) => (shouldSkipMissedRun.value = checked)}
          />
          Skip the run missed during the suspension
        </label>
      )}
      <p aria-live="polite">
        {body === undefined ? `It ${predicate}.` : `It will be ${predicate}. ${describeNextRun(cronJob, now)}`}
      </p>
    </ConfirmDialog>
  );
}

function describeNextRun(cronJob: CronJob, now: Date): string {
  const nextRunTime = parseCronJobSchedule(cronJob)?.next(now);
  const pauseNote = cronJob.status?.paused ? ' It pauses again after as many failed runs.' : '';
  return nextRunTime === undefined
    ? ''
    : `The next run is due ${formatRelativeTime(cronJob, nextRunTime, now)}.${pauseNote}`;
}
