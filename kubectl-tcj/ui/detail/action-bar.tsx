import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Rights } from '../../plugin/ui-server/messages.ts';
import { getInactiveUntilMs } from '../model/marks.ts';
import { usePageState } from '../page-state.ts';
import type { ActionOutcome } from './confirm-dialog.tsx';
import { ResumeDialog } from './resume-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';

interface ActionBarProps {
  readonly cronJob: CronJob;
  readonly rights: Rights;
}

const DIALOGS = { run: RunDialog, suspend: SuspendDialog, resume: ResumeDialog } as const;

interface OpenDialog {
  readonly action: keyof typeof DIALOGS;
  /** Distinguishes one opening from the next. */
  readonly serial: number;
}

/** The buttons for run now, suspend and resume that have an effect and that the user may use. */
export function ActionBar({ cronJob, rights }: ActionBarProps) {
  const { store } = usePageState();
  const openDialog = useSignal<OpenDialog | undefined>(undefined);
  const outcome = useSignal<ActionOutcome | undefined>(undefined);
  const outcomeRef = useRef<HTMLDivElement>(null);
  const isInactive = getInactiveUntilMs(cronJob, store.now.value) !== undefined;
  useLayoutEffect(() => {
    // The focused button may be gone, for example after a resume.
    if (outcome.value && document.activeElement === document.body) outcomeRef.current?.focus({ preventScroll: true });
  }, [isInactive, outcome.value]);
  if (!rights.patchCronJobs) {
    return <p class="hint">You do not have permission to change CronJobs in namespace {cronJob.metadata.namespace}.</p>;
  }
  const isIndefinite = cronJob.spec.suspend === true || parseTime(cronJob.spec.suspendUntil) === undefined;
  const dialog = openDialog.value;
  const Dialog = dialog && DIALOGS[dialog.action];
  const open = (action: keyof typeof DIALOGS) => {
    outcome.value = undefined;
    openDialog.value = { action, serial: (dialog?.serial ?? 0) + 1 };
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => open('run')}>
        Run now …
      </button>
      {!(isInactive && isIndefinite) && (
        <button type="button" onClick={() => open('suspend')}>
          Suspend …
        </button>
      )}
      {isInactive && (
        <button type="button" onClick={() => open('resume')}>
          Resume …
        </button>
      )}
      <div ref={outcomeRef} tabIndex={-1} aria-live="polite" class="outcome">
        {outcome.value && <OutcomeNotice outcome={outcome.value} />}
      </div>
      {Dialog && (
        <Dialog
          key={dialog.serial}
          cronJob={cronJob}
          outcome={outcome}
          close={() => {
            // A dialog reports its end some time after it has closed: the next dialog may be open by then.
            if (openDialog.value === dialog) openDialog.value = undefined;
          }}
        />
      )}
    </div>
  );
}

function OutcomeNotice({ outcome }: { readonly outcome: ActionOutcome }) {
  if (outcome.kind === 'Done') return <p class="notice success">{outcome.message}</p>;
  const { message, change } = outcome.fault;
  return (
    <p class="notice error">
      {message} {change !== undefined && <>To do: {change}</>}
    </p>
  );
}
