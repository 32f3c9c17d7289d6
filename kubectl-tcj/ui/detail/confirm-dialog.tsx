import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ActionResult, PageError } from '../../plugin/ui-server/messages.ts';
import { type Action, RequestError, sendAction } from '../cluster/requests.ts';
import { getKey } from '../model/rows.ts';
import { usePageState } from '../page-state.ts';

/** The result of an action. */
export type ActionOutcome =
  | ({ readonly kind: 'Done' } & ActionResult)
  | { readonly kind: 'Failed'; readonly fault: PageError };

/** Properties of every action dialog. */
export interface DialogProps {
  readonly cronJob: CronJob;
  readonly close: () => void;
  readonly outcome: Signal<ActionOutcome | undefined>;
}

interface ConfirmDialogProps extends DialogProps {
  readonly title: string;
  /** Label of the button. */
  readonly submitLabel: string;
  /** Sentences about the effect, and the choices. */
  readonly children: ComponentChildren;
  /** Absent when no action is possible. */
  readonly action?: Action | undefined;
}

/** Describes the effect before the action, and then the result. Escape and Cancel change nothing. */
export function ConfirmDialog({ cronJob, close, outcome, title, submitLabel, children, action }: ConfirmDialogProps) {
  const { zone } = usePageState();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  const submit = async () => {
    if (action === undefined) return;
    try {
      outcome.value = { kind: 'Done', ...(await sendAction(getKey(cronJob), zone.value, action)) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      outcome.value = { kind: 'Failed', fault: error };
    }
  };
  return (
    <dialog ref={ref} onClose={close} aria-labelledby="dialog-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
          ref.current?.close();
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
          <button type="button" onClick={() => ref.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
