import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { yamlOf } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { useAnswer } from './use-answer.ts';

/** The stored object, read while the section is open. */
export function Yaml({ cronJob }: { readonly cronJob: CronJob }) {
  const isOpen = useSignal(false);
  const { value, error } = useAnswer(cronJob, isOpen.value ? () => yamlOf(keyOf(cronJob)) : undefined);
  return (
    <details
      onToggle={({ currentTarget: { open } }) => {
        isOpen.value = open;
      }}
    >
      <summary>
        <h2>YAML</h2>
      </summary>
      <pre tabIndex={0}>{error?.message ?? value ?? 'Reading …'}</pre>
    </details>
  );
}
