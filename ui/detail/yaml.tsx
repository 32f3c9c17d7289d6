import { useSignal } from '@preact/signals';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RequestError, yamlOf } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';

/** The object as it is stored, read when somebody wants to see it. */
export function Yaml({ cronJob }: { readonly cronJob: CronJob }) {
  const text = useSignal('');
  const read = async () => {
    try {
      text.value = await yamlOf(keyOf(cronJob));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      text.value = error.message;
    }
  };
  return (
    <details
      onToggle={({ currentTarget: { open } }) => {
        if (open) void read();
      }}
    >
      <summary>
        <h2>YAML</h2>
      </summary>
      <pre tabIndex={0}>{text.value === '' ? 'Reading …' : text.value}</pre>
    </details>
  );
}
