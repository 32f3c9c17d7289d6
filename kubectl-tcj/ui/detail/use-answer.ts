import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RequestError } from '../cluster/requests.ts';
import { usePage } from '../page.ts';

interface Answer<T> {
  /** What it is about: the subject, or the one before while it is asked for. */
  readonly of?: unknown;
  /** The newest. */
  readonly value?: T;
  /** Why there is no newer one. */
  readonly error?: RequestError;
}

/** Asks the server, if there is something to ask: again when the subject has changed, and when the connection is there again. */
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
