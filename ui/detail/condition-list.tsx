import { parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { timeFrom } from '../../plugin/report/sentences.ts';
import { usePage } from '../page.ts';

/** The conditions, each as a sentence. */
export function ConditionList({ cronJob }: { readonly cronJob: CronJob }) {
  const { store } = usePage();
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
              </dt>
              <dd>
                {message === '' ? reason : message}{' '}
                {since && <span class="hint">since {timeFrom(cronJob, since, store.now.value)}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

const WORDS: Readonly<Record<string, string>> = { True: 'yes', False: 'no', Unknown: 'not known' };
