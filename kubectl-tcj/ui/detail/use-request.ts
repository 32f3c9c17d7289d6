import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError } from '../cluster/requests.ts';
import { usePageState } from '../page-state.ts';

interface RequestState<T> {
  /** The subject of the value: the current subject, or the previous one during a request. */
  readonly subject?: unknown;
  /** The newest value. */
  readonly value?: T;
  /** Why no newer value could be read. */
  readonly error?: RequestError;
}

/** Sends a request to the server if `send` is given: again when the subject has changed, and when the connection is restored. */
export function useRequest<T>(subject: unknown, send: (() => Promise<T>) | undefined): RequestState<T> {
  const state = useSignal<RequestState<T>>({});
  const { kind } = usePageState().store.watch.value;
  useEffect(() => {
    if (send === undefined) return;
    let isCurrent = true;
    const read = async (): Promise<RequestState<T>> => {
      try {
        return { subject, value: await send() };
      } catch (error) {
        if (error instanceof RequestError) return { ...state.peek(), error };
        throw error;
      }
    };
    void read().then((newState) => {
      if (isCurrent) state.value = newState;
    });
    return () => {
      isCurrent = false;
    };
  }, [subject, kind, send === undefined]);
  return state.value;
}
