import { createRunRequest } from '../../plugin/report/changes.ts';
import { getKey } from '../model/rows.ts';
import { usePageState } from '../page-state.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function RunDialog(props: DialogProps) {
  const { cronJob, rights } = props;
  const request = createRunRequest(cronJob, usePageState().store.now.value);
  const action = request.kind === 'ok' ? ({ name: 'run', body: {} } as const) : undefined;
  return (
    <ConfirmDialog {...props} title={`Run ${getKey(cronJob)} now?`} submitLabel="Run now" action={action}>
      {request.kind === 'unobserved' ? (
        <p>You cannot run it now: {request.message}.</p>
      ) : (
        <>
          <p>This {request.predicate}. The schedule does not change.</p>
          {/* A CronJobRun replaces no other request. */}
          {request.note !== undefined && !rights.createRuns && <p>Note: {request.note}.</p>}
          {cronJob.spec.suspend === true && <p>It runs even though it is suspended.</p>}
        </>
      )}
    </ConfirmDialog>
  );
}
