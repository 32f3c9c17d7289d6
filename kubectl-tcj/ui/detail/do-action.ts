import type { Signal } from '@preact/signals';
import type { Actions } from '../../plugin/ui-server/messages.ts';
import { type Acted, act, RequestError } from '../cluster/requests.ts';
import type { Outcome } from './outcome.ts';

/** Asks for it, and tells what became of it. */
export async function doAction<Name extends keyof Actions>(
  acted: Acted,
  name: Name,
  body: Actions[Name],
  outcome: Signal<Outcome | undefined>,
): Promise<void> {
  try {
    outcome.value = { kind: 'Done', ...(await act(acted, name, body)) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { message, change } = error;
    outcome.value = { kind: 'Failed', message, ...(change !== undefined && { change }) };
  }
}
