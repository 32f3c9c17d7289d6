import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RequestError, yamlOf } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';

/** The object as it is stored, read while somebody wants to see it. */
export function Yaml({ cronJob }: { readonly cronJob: CronJob }) {
  const text = useSignal('');
  const isOpen = useSignal(false);
  const key = keyOf(cronJob);
  const { kind } = usePage().store.watch.value;
  const read = async () => {
    try {
      text.value = await yamlOf(key);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      text.value = error.message;
    }
  };
  // Anew when it has changed, and when the connection is there again.
  useEffect(() => {
    if (isOpen.value) void read();
  }, [cronJob, isOpen.value, kind]);
  return (
    <details
      onToggle={({ currentTarget: { open } }) => {
        isOpen.value = open;
      }}
    >
      <summary>
        <h2>YAML</h2>
      </summary>
      <pre tabIndex={0}>{text.value === '' ? 'Reading …' : text.value}</pre>
    </details>
  );
}
