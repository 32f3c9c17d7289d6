import type { ActionOutcome } from './confirm-dialog.tsx';

/** Shows the result of an action. */
export function OutcomeNotice({ outcome }: { readonly outcome: ActionOutcome }) {
  if (outcome.kind === 'Done') return <p class="notice success">{outcome.message}</p>;
  const { message, change } = outcome.error;
  return (
    <p class="notice error">
      {message} {change !== undefined && <>To do: {change}</>}
    </p>
  );
}
