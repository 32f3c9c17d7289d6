import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ActionResult, PageError, Permissions } from '../../plugin/ui-server/page-messages.ts';
import { type Action, RequestError, sendAction } from '../cluster/requests.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { usePageState } from '../page-state.ts';

export type ActionOutcome =
  | ({ readonly kind: 'Done' } & ActionResult)
  | { readonly kind: 'Failed'; readonly error: PageError };

export interface DialogProps {
  readonly cronJob: CronJob;
  readonly close: () => void;
  readonly outcome: Signal<ActionOutcome | undefined>;
  readonly permissions: Permissions;
}

interface ConfirmDialogProps extends Omit<DialogProps, 'permissions'> {
  readonly title: string;
  readonly submitLabel: string;
  /** Describes the effect of the action, and contains the form fields. */
  readonly children: ComponentChildren;
  /** The action of the submit button. Without an action, the dialog has no submit button. */
  readonly action?: Action | undefined;
}

/** Describes the effect of an action and asks for confirmation. Escape and Cancel close the dialog without a change. */
export function ConfirmDialog({ cronJob, close, outcome, title, submitLabel, children, action }: ConfirmDialogProps) {
  const { zone } = usePageState();
  const dialogRef = useRef<HTMLDialogElement>(null);
  useEffect(() => dialogRef.current?.showModal(), []);
  const submit = async () => {
    if (action === undefined) return;
    try {
      outcome.value = { kind: 'Done', ...(await sendAction(getCronJobKey(cronJob), zone.value, action)) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      outcome.value = { kind: 'Failed', error };
    }
  };
  return (
    <dialog ref={dialogRef} onClose={close} aria-labelledby="dialog-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
          dialogRef.current?.close();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {children}
        <div class="buttons">
          {action && (
            <button type="submit" class="primary">
              {submitLabel}
            </button>
          )}
          <button type="button" onClick={() => dialogRef.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
