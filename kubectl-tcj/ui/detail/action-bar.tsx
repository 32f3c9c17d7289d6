import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Rights } from '../../plugin/ui-server/messages.ts';
import { silentUntil } from '../model/marks.ts';
import { usePage } from '../page.ts';
import type { Outcome } from './confirm-dialog.tsx';
import { ResumeDialog } from './resume-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';

interface ActionBarProps {
  readonly cronJob: CronJob;
  readonly rights: Rights;
}

const DIALOGS = { run: RunDialog, suspend: SuspendDialog, resume: ResumeDialog } as const;

interface Opened {
  readonly action: keyof typeof DIALOGS;
  /** Distinguishes one opening from the next. */
  readonly serial: number;
}

/** The buttons for run now, suspend and resume that have an effect and that the user may use. */
export function ActionBar({ cronJob, rights }: ActionBarProps) {
  const { store } = usePage();
  const opened = useSignal<Opened | undefined>(undefined);
  const outcome = useSignal<Outcome | undefined>(undefined);
  const told = useRef<HTMLDivElement>(null);
  const isSilent = silentUntil(cronJob, store.now.value) !== undefined;
  useLayoutEffect(() => {
    // The focused button may be gone, for example after a resume.
    if (outcome.value && document.activeElement === document.body) told.current?.focus({ preventScroll: true });
  }, [isSilent, outcome.value]);
  if (!rights.patchCronJobs) {
    return <p class="hint">You may not change CronJobs in the namespace {cronJob.metadata.namespace}.</p>;
  }
  const isForEver = cronJob.spec.suspend === true || parseTime(cronJob.spec.suspendUntil) === undefined;
  const dialog = opened.value;
  const Dialog = dialog && DIALOGS[dialog.action];
  const open = (action: keyof typeof DIALOGS) => {
    outcome.value = undefined;
    opened.value = { action, serial: (dialog?.serial ?? 0) + 1 };
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => open('run')}>
        Run now …
      </button>
      {!(isSilent && isForEver) && (
        <button type="button" onClick={() => open('suspend')}>
          Suspend …
        </button>
      )}
      {isSilent && (
        <button type="button" onClick={() => open('resume')}>
          Resume …
        </button>
      )}
      <div ref={told} tabIndex={-1} aria-live="polite" class="outcome">
        {outcome.value && <Told outcome={outcome.value} />}
      </div>
      {Dialog && (
        <Dialog
          key={dialog.serial}
          cronJob={cronJob}
          outcome={outcome}
          close={() => {
            // A dialog reports its end some time after it has closed: the next dialog may be open by then.
            if (opened.value === dialog) opened.value = undefined;
          }}
        />
      )}
    </div>
  );
}

function Told({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.kind === 'Done') return <p class="notice good">{outcome.message}</p>;
  const { message, change } = outcome.fault;
  return (
    <p class="notice bad">
      {message} {change !== undefined && <>To do: {change}</>}
    </p>
  );
}
