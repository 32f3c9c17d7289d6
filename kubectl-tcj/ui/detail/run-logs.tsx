import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { LogEvent } from '../../plugin/ui-server/messages.ts';
import { followLogs } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { Link } from '../parts/link.tsx';

/** Maximum lines; the oldest lines are removed first. */
const MAX_LINES = 5000;
const DRAW_MS = 100;

interface Line {
  readonly key: number;
  readonly from: string;
  readonly text: string;
  readonly isNote: boolean;
}

interface Logs {
  readonly lines: readonly Line[];
  readonly hasEnded: boolean;
}

interface RunLogsProps {
  readonly cronJob: CronJob;
  readonly job: string;
}

/** ID of the link that opens the logs of a run. */
export function logsLinkId(job: string): string {
  return `logs-of-${job}`;
}

/** The logs of a run, as they arrive. */
export function RunLogs({ cronJob, job }: RunLogsProps) {
  const { lines, hasEnded } = useLogs(keyOf(cronJob), job);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const head = useRef<HTMLHeadingElement>(null);
  const section = useRef<HTMLElement>(null);
  // The link that opens them may be far below.
  useEffect(() => {
    head.current?.scrollIntoView({ block: 'start' });
    head.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    const shown = section.current;
    return () => {
      if (!shown?.contains(document.activeElement)) return;
      const opener = document.getElementById(logsLinkId(job)) ?? document.getElementById('main');
      opener?.focus({ preventScroll: opener.id === 'main' });
    };
  }, [job]);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const sources = new Set(lines.filter(({ isNote }) => !isNote).map(({ from }) => from));
  return (
    <section class="logs" aria-labelledby="logs" ref={section}>
      <h2 id="logs" ref={head} tabIndex={-1}>
        Logs of {job}{' '}
        <Link to={{ job: '' }}>
          Close<span class="spoken"> the logs</span>
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
        {lines.length === 0 && <div class="hint">{hasEnded ? 'Nothing was printed.' : 'Nothing yet …'}</div>}
        {lines.map(({ key, from, text, isNote }) => (
          <div key={key} class={isNote ? 'note' : ''}>
            {sources.size > 1 && !isNote && <span class="hint">[{from}] </span>}
            {text}
          </div>
        ))}
      </pre>
      <p class="hint" aria-live="polite">
        {hasEnded ? 'This is all.' : 'It goes on as long as the run does.'}
      </p>
    </section>
  );
}

/** Renders at most a few times a second, however many lines arrive. */
function useLogs(key: string, job: string): Logs {
  const logs = useSignal<Logs>({ lines: [], hasEnded: false });
  useEffect(() => {
    const come: Line[] = [];
    let hasEnded = false;
    let count = 0;
    const stop = followLogs(key, job, (event) => {
      if (event.kind === 'end') hasEnded = true;
      else come.push({ key: count++, ...lineOf(event) });
    });
    const timer = setInterval(() => {
      if (come.length === 0 && hasEnded === logs.value.hasEnded) return;
      logs.value = { lines: [...logs.value.lines, ...come.splice(0)].slice(-MAX_LINES), hasEnded };
    }, DRAW_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [key, job, logs]);
  return logs.value;
}

function lineOf(event: Exclude<LogEvent, { kind: 'end' }>): Omit<Line, 'key'> {
  return event.kind === 'line'
    ? { from: `${event.pod}/${event.container}`, text: event.text, isNote: false }
    : { from: '', text: event.text, isNote: true };
}
