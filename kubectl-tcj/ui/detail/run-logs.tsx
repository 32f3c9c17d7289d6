import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { LogEvent } from '../../plugin/ui-server/messages.ts';
import { followLogs } from '../cluster/requests.ts';
import { getKey } from '../model/rows.ts';
import { Link } from '../parts/link.tsx';

/** Maximum lines; the oldest lines are removed first. */
const MAX_LINES = 5000;
const RENDER_INTERVAL_MS = 100;

interface LogLine {
  readonly key: number;
  readonly from: string;
  readonly text: string;
  readonly isNote: boolean;
}

interface RunLogsState {
  readonly lines: readonly LogLine[];
  readonly hasEnded: boolean;
}

interface RunLogsProps {
  readonly cronJob: CronJob;
  readonly job: string;
}

/** ID of the link that opens the logs of a run. */
export function getLogsLinkId(job: string): string {
  return `logs-of-${job}`;
}

/** Follows the logs of a run. */
export function RunLogs({ cronJob, job }: RunLogsProps) {
  const { lines, hasEnded } = useLogs(getKey(cronJob), job);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const heading = useRef<HTMLHeadingElement>(null);
  const section = useRef<HTMLElement>(null);
  // The link that opens them may be far below.
  useEffect(() => {
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    const element = section.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const opener = document.getElementById(getLogsLinkId(job)) ?? document.getElementById('main');
      opener?.focus({ preventScroll: opener.id === 'main' });
    };
  }, [job]);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const sources = new Set(lines.filter(({ isNote }) => !isNote).map(({ from }) => from));
  return (
    <section class="logs" aria-labelledby="logs" ref={section}>
      <h2 id="logs" ref={heading} tabIndex={-1}>
        Logs of {job}{' '}
        <Link to={{ job: '' }}>
          Close<span class="visually-hidden"> the logs</span>
        </Link>
      </h2>
      <pre
        ref={box}
        role="log"
        tabIndex={0}
        aria-label={`Logs of ${job}`}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 4;
        }}
      >
        {lines.length === 0 && <div class="hint">{hasEnded ? 'No output.' : 'Waiting for output …'}</div>}
        {lines.map(({ key, from, text, isNote }) => (
          <div key={key} class={isNote ? 'note' : ''}>
            {sources.size > 1 && !isNote && <span class="hint">[{from}] </span>}
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

/** Renders at most a few times a second, however many lines arrive. */
function useLogs(key: string, job: string): RunLogsState {
  const logs = useSignal<RunLogsState>({ lines: [], hasEnded: false });
  useEffect(() => {
    const pending: LogLine[] = [];
    let hasEnded = false;
    let count = 0;
    const stop = followLogs(key, job, (event) => {
      if (event.kind === 'end') hasEnded = true;
      else pending.push({ key: count++, ...toLogLine(event) });
    });
    const timer = setInterval(() => {
      if (pending.length === 0 && hasEnded === logs.value.hasEnded) return;
      logs.value = { lines: [...logs.value.lines, ...pending.splice(0)].slice(-MAX_LINES), hasEnded };
    }, RENDER_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [key, job, logs]);
  return logs.value;
}

function toLogLine(event: Exclude<LogEvent, { kind: 'end' }>): Omit<LogLine, 'key'> {
  return event.kind === 'line'
    ? { from: `${event.pod}/${event.container}`, text: event.text, isNote: false }
    : { from: '', text: event.text, isNote: true };
}
