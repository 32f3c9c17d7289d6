import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { computeState } from '../../plugin/report/cron-job-state.ts';
import { fetchPermissions } from '../cluster/requests.ts';
import { RangeControls } from '../list/range-controls.tsx';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { computeMarks } from '../model/timeline-marks.ts';
import { usePageState } from '../page-state.ts';
import { StateBadge } from '../parts/badges.tsx';
import { useWidth } from '../parts/use-width.ts';
import { Legend } from '../timeline/legend.tsx';
import { RowTimeline } from '../timeline/row-timeline.tsx';
import { TimeAxis } from '../timeline/time-axis.tsx';
import { createTimeScale } from '../timeline/time-scale.ts';
import { ActionBar } from './action-bar.tsx';
import { ConditionList } from './condition-list.tsx';
import { EntryTable } from './entry-table.tsx';
import { ManifestSection } from './manifest-section.tsx';
import { RemedyLines } from './remedy-lines.tsx';
import { RunLogs } from './run-logs.tsx';
import { ScheduleSection } from './schedule-section.tsx';
import { useExplanation } from './use-explanation.ts';
import { useRequest } from './use-request.ts';

const TIMELINE_HEIGHT = 56;

export function CronJobDetail({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, view } = usePageState();
  const now = store.now.value;
  const { namespace } = cronJob.metadata;
  const permissionsRequest = useRequest(namespace, () => fetchPermissions(namespace));
  const permissions = permissionsRequest.error ? undefined : permissionsRequest.value;
  const { sentence, jobName, remedy } = useExplanation(cronJob, now);
  return (
    <>
      <div class="title">
        <h1>{getCronJobKey(cronJob)}</h1>
        <StateBadge state={computeState(cronJob, now)} />
      </div>
      <p class="why">{sentence}</p>
      <RemedyLines {...{ remedy, jobName, permissions }} />
      {permissions && <ActionBar cronJob={cronJob} permissions={permissions} />}
      <DetailTimeline cronJob={cronJob} />
      {view.value.jobName !== '' && <RunLogs key={view.value.jobName} cronJob={cronJob} jobName={view.value.jobName} />}
      <EntryTable
        cronJob={cronJob}
        canReadLogs={permissions?.readLogs ?? false}
        canCreateRuns={permissions?.createRuns ?? false}
      />
      <ScheduleSection cronJob={cronJob} />
      <ConditionList cronJob={cronJob} />
      <ManifestSection cronJob={cronJob} />
    </>
  );
}

function DetailTimeline({ cronJob }: { readonly cronJob: CronJob }) {
  const { store, range, view, navigate } = usePageState();
  const { ref, width } = useWidth<HTMLDivElement>();
  const now = store.now.value;
  const scale = createTimeScale(range.value, width, view.value.zone);
  return (
    <section class="detail-timeline" aria-label="Timeline">
      <RangeControls />
      <div ref={ref}>
        <TimeAxis scale={scale} nowMs={now.getTime()} />
        <RowTimeline
          {...{ cronJob, scale, now }}
          marks={computeMarks(cronJob, range.value, now)}
          height={TIMELINE_HEIGHT}
          onSelect={(entryTime) => entryTime !== '' && navigate({ entryTime })}
        />
      </div>
      <Legend />
    </section>
  );
}
