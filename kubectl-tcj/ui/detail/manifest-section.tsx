import { useSignal } from '@preact/signals';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { fetchYaml } from '../cluster/requests.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { useRequest } from './use-request.ts';

/** Shows the stored object. The page requests the object only while the section is open. */
export function ManifestSection({ cronJob }: { readonly cronJob: CronJob }) {
  const isOpen = useSignal(false);
  const { value, error } = useRequest(cronJob, isOpen.value ? () => fetchYaml(getCronJobKey(cronJob)) : undefined);
  return (
    <details
      onToggle={({ currentTarget: { open } }) => {
        isOpen.value = open;
      }}
    >
      <summary>
        <h2>YAML</h2>
      </summary>
      <pre tabIndex={0}>{error?.message ?? value ?? 'Loading …'}</pre>
    </details>
  );
}
