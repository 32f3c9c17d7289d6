import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { standingOf } from '../../plugin/report/standing.ts';
import { rightsIn } from '../cluster/requests.ts';
import { SpanControls } from '../list/span-controls.tsx';
import { marksOf } from '../model/marks.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';
import { StandingBadge } from '../parts/signs.tsx';
import { useWidth } from '../parts/use-width.ts';
import { Axis } from '../timeline/axis.tsx';
import { Legend } from '../timeline/legend.tsx';
import { RowTimeline } from '../timeline/row-timeline.tsx';
import { timeScale } from '../timeline/time-scale.ts';
import { ActionBar } from './action-bar.tsx';
import { ConditionList } from './condition-list.tsx';
import { EntryTable } from './entry-table.tsx';
import { RunLogs } from './run-logs.tsx';
import { ScheduleWords } from './schedule-words.tsx';
import { ToDo } from './to-do.tsx';
import { useAnswer } from './use-answer.ts';
import { useWhy } from './use-why.ts';
import { Yaml } from './yaml.tsx';

const TIMELINE_HEIGHT = 56;

export function Detail({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, view } = usePage();
  const now = store.now.value;
  const { namespace } = cronJob.metadata;
  const answer = useAnswer(namespace, () => rightsIn(namespace));
  const rights = answer.error ? undefined : answer.value;
  const { sentence, jobName, remedy } = useWhy(cronJob, now);
  return (
    <>
      <div class="title">
        <h1>{keyOf(cronJob)}</h1>
        <StandingBadge standing={standingOf(cronJob, now)} />
      </div>
      <p class="why">{sentence}</p>
      <ToDo {...{ remedy, jobName, rights }} />
      {rights && <ActionBar cronJob={cronJob} rights={rights} />}
      <BigTimeline cronJob={cronJob} />
      {view.value.job !== '' && <RunLogs key={view.value.job} cronJob={cronJob} job={view.value.job} />}
      <EntryTable cronJob={cronJob} hasLogs={rights?.readLogs ?? false} />
      <ScheduleWords cronJob={cronJob} />
      <ConditionList cronJob={cronJob} />
      <Yaml cronJob={cronJob} />
    </>
  );
}

function BigTimeline({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, range, view, go } = usePage();
  const { ref, width } = useWidth<HTMLDivElement>();
  const now = store.now.value;
  const scale = timeScale(range.value, width, view.value.zone);
  return (
    <section class="big-timeline" aria-label="Timeline">
      <SpanControls />
      <div ref={ref}>
        <Axis scale={scale} nowMs={now.getTime()} />
        <RowTimeline
          {...{ cronJob, scale, now }}
          marks={marksOf(cronJob, range.value, now)}
          height={TIMELINE_HEIGHT}
          onPick={(at) => at !== '' && go({ at })}
        />
      </div>
      <Legend />
    </section>
  );
}
