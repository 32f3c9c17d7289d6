import { createRunChange } from '../../plugin/report/changes.ts';
import { getKey } from '../model/rows.ts';
import { usePageState } from '../page-state.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function RunDialog(props: DialogProps) {
  const { cronJob } = props;
  const change = createRunChange(cronJob, usePageState().store.now.value);
  const action = change.kind === 'ok' ? ({ name: 'run', body: {} } as const) : undefined;
  return (
    <ConfirmDialog {...props} title={`Run ${getKey(cronJob)} now?`} submitLabel="Run now" action={action}>
      {change.kind === 'unobserved' ? (
        <p>You cannot run it now: {change.message}.</p>
      ) : (
        <>
          <p>This {change.sentence}. The schedule does not change.</p>
          {change.note !== undefined && <p>Note: {change.note}.</p>}
          {cronJob.spec.suspend === true && <p>It runs even though it is suspended.</p>}
        </>
      )}
    </ConfirmDialog>
  );
}
