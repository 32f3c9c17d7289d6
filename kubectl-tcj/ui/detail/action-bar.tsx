import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Permissions } from '../../plugin/ui-server/page-messages.ts';
import { getInactiveUntilMs } from '../model/timeline-marks.ts';
import { usePageState } from '../page-state.ts';
import { BackfillDialog } from './backfill-dialog.tsx';
import type { ActionOutcome } from './confirm-dialog.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';
import { ResumeDialog } from './resume-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';

interface ActionBarProps {
  readonly cronJob: CronJob;
  readonly permissions: Permissions;
}

const DIALOGS = { run: RunDialog, suspend: SuspendDialog, resume: ResumeDialog, backfill: BackfillDialog } as const;

interface VisibleDialog {
  readonly action: keyof typeof DIALOGS;
  /** Increases each time a dialog opens, so that React resets the fields to their default values. */
  readonly serialNumber: number;
}

/** Shows only buttons for actions that would have an effect and that the user may perform. */
export function ActionBar({ cronJob, permissions }: ActionBarProps) {
  const { store } = usePageState();
  const visibleDialog = useSignal<VisibleDialog | undefined>(undefined);
  const outcome = useSignal<ActionOutcome | undefined>(undefined);
  const outcomeRef = useRef<HTMLDivElement>(null);
  const isInactive = getInactiveUntilMs(cronJob, store.now.value) !== undefined;
  useLayoutEffect(() => {
    // The focused button may no longer exist, for example after a resume.
    if (outcome.value && document.activeElement === document.body) outcomeRef.current?.focus({ preventScroll: true });
  }, [isInactive, outcome.value]);
  const { patchCronJobs, createRuns } = permissions;
  if (!patchCronJobs && !createRuns) {
    return (
      <p class="hint">
        You do not have permission to run or change CronJobs in namespace {cronJob.metadata.namespace}.
      </p>
    );
  }
  const hasNoSuspensionEnd = cronJob.spec.suspend === true || parseTime(cronJob.spec.suspendUntil) === undefined;
  const dialog = visibleDialog.value;
  const Dialog = dialog && DIALOGS[dialog.action];
  const openActionDialog = (action: keyof typeof DIALOGS) => {
    outcome.value = undefined;
    visibleDialog.value = { action, serialNumber: (dialog?.serialNumber ?? 0) + 1 };
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => openActionDialog('run')}>
        Run now …
      </button>
      {patchCronJobs && !(isInactive && hasNoSuspensionEnd) && (
        <button type="button" onClick={() => openActionDialog('suspend')}>
          Suspend …
        </button>
      )}
      {patchCronJobs && isInactive && (
        <button type="button" onClick={() => openActionDialog('resume')}>
          Resume …
        </button>
      )}
      {createRuns && (
        <button type="button" onClick={() => openActionDialog('backfill')}>
          Backfill …
        </button>
      )}
      <div ref={outcomeRef} tabIndex={-1} aria-live="polite" class="outcome">
        {outcome.value && <OutcomeNotice outcome={outcome.value} />}
      </div>
      {Dialog && (
        <Dialog
          key={dialog.serialNumber}
          cronJob={cronJob}
          permissions={permissions}
          outcome={outcome}
          close={() => {
            // The close event may arrive after the next dialog has opened.
            if (visibleDialog.value === dialog) visibleDialog.value = undefined;
          }}
        />
      )}
    </div>
  );
}
