import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError } from '../cluster/requests.ts';
import { usePage } from '../page.ts';

interface Answer<T> {
  /** The subject of the value: the current subject, or the previous one during a request. */
  readonly of?: unknown;
  /** The newest value. */
  readonly value?: T;
  /** Why no newer value could be read. */
  readonly error?: RequestError;
}

/** Sends a request to the server if `ask` is given: again when the subject has changed, and when the connection is restored. */
export function useAnswer<T>(subject: unknown, ask: (() => Promise<T>) | undefined): Answer<T> {
  const answer = useSignal<Answer<T>>({});
  const { kind } = usePage().store.watch.value;
  useEffect(() => {
    if (ask === undefined) return;
    let isWanted = true;
    const read = async (): Promise<Answer<T>> => {
      try {
        return { of: subject, value: await ask() };
      } catch (error) {
        if (error instanceof RequestError) return { ...answer.peek(), error };
        throw error;
      }
    };
    void read().then((found) => {
      if (isWanted) answer.value = found;
    });
    return () => {
      isWanted = false;
    };
  }, [subject, kind, ask === undefined]);
  return answer.value;
}
