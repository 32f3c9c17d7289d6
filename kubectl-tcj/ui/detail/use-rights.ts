import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rights } from '../../plugin/ui-server/messages.ts';
import { RequestError, rightsIn } from '../cluster/requests.ts';
import { usePage } from '../page.ts';

/** What the user may do there; `undefined` until that is known. It is asked again when the connection is there again. */
export function useRights(namespace: string): Rights | undefined {
  const rights: Signal<Rights | undefined> = useSignal(undefined);
  const { kind } = usePage().store.watch.value;
  useEffect(() => {
    const read = async () => {
      try {
        rights.value = await rightsIn(namespace);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        rights.value = undefined;
      }
    };
    void read();
  }, [namespace, kind, rights]);
  return rights.value;
}
