import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { shownTime } from '../../plugin/terminal/times.ts';
import { usePage } from '../page.ts';

/** The conditions, each as a sentence. */
export function ConditionList({ cronJob }: { readonly cronJob: CronJob }) {
  const { zone } = usePage();
  const { conditions = [] } = cronJob.status ?? {};
  return (
    <section aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      {conditions.length === 0 && <p>None: no controller has looked at it yet.</p>}
      <dl>
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => {
          const since = parseTime(lastTransitionTime);
          return (
            <div key={type}>
              <dt>
                {type}: {WORDS[status] ?? status}
                {since && <span class="since">, since {shownTime(since, zone.value)}</span>}
              </dt>
              <dd>{message === '' ? reason : message}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

const WORDS: Readonly<Record<string, string>> = { True: 'yes', False: 'no', Unknown: 'not known' };
