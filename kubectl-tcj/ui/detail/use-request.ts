import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError } from '../cluster/requests.ts';
import { usePageState } from '../page-state.ts';

interface RequestState<T> {
  /**
   * The argument `subject` of the request that returned `value`. While a new request is pending, this field contains
   * the previous subject.
   */
  readonly subject?: unknown;
  /** The result of the latest successful request. */
  readonly value?: T;
  /** The error of the latest request. */
  readonly error?: RequestError;
}

/**
 * Sends a request when `subject` changes and when the connection is restored. Sends no request if `send` is
 * `undefined`.
 */
export function useRequest<T>(subject: unknown, send: (() => Promise<T>) | undefined): RequestState<T> {
  const state = useSignal<RequestState<T>>({});
  const { kind } = usePageState().store.watch.value;
  useEffect(() => {
    if (send === undefined) return;
    let isCurrent = true;
    const sendRequest = async (): Promise<RequestState<T>> => {
      try {
        return { subject, value: await send() };
      } catch (error) {
        if (error instanceof RequestError) return { ...state.peek(), error };
        throw error;
      }
    };
    void sendRequest().then((newState) => {
      if (isCurrent) state.value = newState;
    });
    return () => {
      isCurrent = false;
    };
  }, [subject, kind, send === undefined]);
  return state.value;
}
