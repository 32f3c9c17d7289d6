import { runChange } from '../../plugin/report/changes.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function RunDialog(props: DialogProps) {
  const { cronJob } = props;
  const change = runChange(cronJob, usePage().store.now.value);
  const action = change.kind === 'ok' ? ({ name: 'run', body: {} } as const) : undefined;
  return (
    <ConfirmDialog {...props} title={`Run ${keyOf(cronJob)} now?`} verb="Run now" action={action}>
      {change.kind === 'unobserved' ? (
        <p>It cannot be run: {change.message}.</p>
      ) : (
        <>
          <p>This {change.sentence}. The times of the schedule stay as they are.</p>
          {change.note !== undefined && <p>But {change.note}.</p>}
          {cronJob.spec.suspend === true && <p>It also runs now while it is suspended.</p>}
        </>
      )}
    </ConfirmDialog>
  );
}
