import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { formatZonedTime } from '../../plugin/terminal/format-time.ts';
import { usePageState } from '../page-state.ts';

export function ConditionList({ cronJob }: { readonly cronJob: CronJob }) {
  const { zone } = usePageState();
  const { conditions = [] } = cronJob.status ?? {};
  return (
    <section aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      {conditions.length === 0 && <p>No conditions yet: the controller has not observed this CronJob.</p>}
      <dl>
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => {
          const transitionTime = parseTime(lastTransitionTime);
          return (
            <div key={type}>
              <dt>
                {type}: {STATUS_TEXTS[status] ?? status}
                {transitionTime && <span class="since">, since {formatZonedTime(transitionTime, zone.value)}</span>}
              </dt>
              <dd>{message === '' ? reason : message}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

const STATUS_TEXTS: Readonly<Record<string, string>> = { True: 'yes', False: 'no', Unknown: 'unknown' };
