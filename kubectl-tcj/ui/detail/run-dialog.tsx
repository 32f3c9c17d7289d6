import { runChange } from '../../plugin/report/changes.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { doAction } from './do-action.ts';
import type { DialogProps } from './outcome.ts';

export function RunDialog({ cronJob, close, outcome }: DialogProps) {
  const { store, zone } = usePage();
  const key = keyOf(cronJob);
  const change = runChange(cronJob, store.now.value);
  const act = change.kind === 'ok' ? () => void doAction({ key, zone: zone.value }, 'run', {}, outcome) : undefined;
  return (
    <ConfirmDialog title={`Run ${key} now?`} verb="Run now" close={close} act={act}>
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
