import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { createRetryRequest } from '../../plugin/report/retry.ts';
import { type ActionOutcome, ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';

interface RetryProps {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

/** Shows a button that repeats a run, and the result of the last request. */
export function RetryButton({ cronJob, jobName }: RetryProps) {
  const isOpen = useSignal(false);
  const outcome = useSignal<ActionOutcome | undefined>(undefined);
  const open = () => {
    outcome.value = undefined;
    isOpen.value = true;
  };
  return (
    <>
      <button type="button" class="retry" onClick={open}>
        Retry<span class="visually-hidden"> {jobName}</span> …
      </button>
      <div aria-live="polite">{outcome.value && <OutcomeNotice outcome={outcome.value} />}</div>
      {isOpen.value && <RetryDialog {...{ cronJob, jobName, outcome }} close={() => (isOpen.value = false)} />}
    </>
  );
}

function RetryDialog({ jobName, ...props }: RetryProps & Omit<DialogProps, 'permissions'>) {
  const request = createRetryRequest(props.cronJob, jobName);
  const action = request.kind === 'ok' ? ({ name: 'retry', body: { jobName } } as const) : undefined;
  return (
    <ConfirmDialog {...props} title={`Retry ${jobName}?`} submitLabel="Retry" action={action}>
      {request.kind === 'invalid' ? (
        <p>You cannot retry it: {request.message}.</p>
      ) : (
        <p>This {request.predicate}. The concurrency policy applies. The schedule does not change.</p>
      )}
    </ConfirmDialog>
  );
}
