import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rights } from '../../plugin/ui-server/messages.ts';
import { RequestError, rightsIn } from '../cluster/requests.ts';

const NONE: Rights = { patchCronJobs: false, readLogs: false };

/** What the user may do there; `undefined` until that is known. */
export function useRights(namespace: string): Rights | undefined {
  const rights: Signal<Rights | undefined> = useSignal(undefined);
  useEffect(() => {
    const read = async () => {
      try {
        rights.value = await rightsIn(namespace);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        rights.value = NONE;
      }
    };
    void read();
  }, [namespace, rights]);
  return rights.value;
}
