import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { LogEvent } from '../../plugin/ui-server/page-messages.ts';
import { followLogs } from '../cluster/requests.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { MAX_LINES, takeNewestLines } from '../model/newest-lines.ts';
import { Link } from '../parts/link.tsx';

const RENDER_INTERVAL_MS = 100;

interface LogLine {
  readonly key: number;
  readonly source: string;
  readonly text: string;
  readonly isNote: boolean;
}

interface RunLogsState {
  readonly lines: readonly LogLine[];
  readonly hasEnded: boolean;
}

interface RunLogsProps {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

export function getLogsLinkId(jobName: string): string {
  return `logs-of-${jobName}`;
}

export function RunLogs({ cronJob, jobName }: RunLogsProps) {
  const { lines, hasEnded } = useLogs(getCronJobKey(cronJob), jobName);
  const boxRef = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const sectionRef = useRef<HTMLElement>(null);
  // The page scrolls to the logs, because the link that opened them may be far below.
  useEffect(() => {
    headingRef.current?.scrollIntoView({ block: 'start' });
    headingRef.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    const element = sectionRef.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const logsLink = document.getElementById(getLogsLinkId(jobName)) ?? document.getElementById('main');
      logsLink?.focus({ preventScroll: logsLink.id === 'main' });
    };
  }, [jobName]);
  useEffect(() => {
    if (isAtEnd.current && boxRef.current !== null) boxRef.current.scrollTop = boxRef.current.scrollHeight;
  }, [lines]);
  const sources = new Set(lines.filter(({ isNote }) => !isNote).map(({ source }) => source));
  return (
    <section class="logs" aria-labelledby="logs" ref={sectionRef}>
      <h2 id="logs" ref={headingRef} tabIndex={-1}>
        Logs of {jobName}{' '}
        <Link to={{ jobName: '' }}>
          Close<span class="visually-hidden"> the logs</span>
        </Link>
      </h2>
      <pre
        ref={boxRef}
        role="log"
        tabIndex={0}
        aria-label={`Logs of ${jobName}`}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 4;
        }}
      >
        {lines.length === 0 && <div class="hint">{hasEnded ? 'No output.' : 'Waiting for output …'}</div>}
        {lines.map(({ key, source, text, isNote }) => (
          <div key={key} class={isNote ? 'note' : ''}>
            {sources.size > 1 && !isNote && <span class="hint">[{source}] </span>}
            {text}
          </div>
        ))}
      </pre>
      <p class="hint" aria-live="polite">
        {hasEnded ? 'End of logs.' : 'Following the logs until the run finishes.'}
      </p>
    </section>
  );
}

/** Limits rendering to ten times per second if many lines arrive. */
function useLogs(key: string, jobName: string): RunLogsState {
  const logs = useSignal<RunLogsState>({ lines: [], hasEnded: false });
  useEffect(() => {
    const pendingLines: LogLine[] = [];
    let hasEnded = false;
    let lineCount = 0;
    const stop = followLogs(key, jobName, (event) => {
      if (event.kind === 'end') hasEnded = true;
      else pendingLines.push({ key: lineCount++, ...toLogLine(event) });
      // A hidden tab renders late.
      if (pendingLines.length > 2 * MAX_LINES) pendingLines.splice(0, MAX_LINES);
    });
    const timer = setInterval(() => {
      if (pendingLines.length === 0 && hasEnded === logs.value.hasEnded) return;
      logs.value = { lines: takeNewestLines([...logs.value.lines, ...pendingLines.splice(0)]), hasEnded };
    }, RENDER_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [key, jobName, logs]);
  return logs.value;
}

function toLogLine(event: Exclude<LogEvent, { kind: 'end' }>): Omit<LogLine, 'key'> {
  return event.kind === 'line'
    ? { source: `${event.pod}/${event.container}`, text: event.text, isNote: false }
    : { source: '', text: event.text, isNote: true };
}
