import type { ComponentChildren } from 'preact';
import type { Remedy } from '../../plugin/report/remedy.ts';
import type { Rights } from '../../plugin/ui-server/messages.ts';
import { Link } from '../parts/link.tsx';

interface ToDoProps {
  readonly remedy: Remedy;
  /** Job of the run in the explanation. */
  readonly jobName: string | undefined;
  readonly rights: Rights | undefined;
}

/** The remedy, and the logs of the run in the explanation. */
export function ToDo({ remedy, jobName, rights }: ToDoProps) {
  const logs = jobName !== undefined && rights?.readLogs ? <Link to={{ job: jobName }}>Show its logs</Link> : null;
  const { change, command } = remedy;
  // A button replaces a command that the page can run.
  if (command?.kind === 'Resume' && rights?.patchCronJobs) {
    return <Line words={change === undefined ? RESUME : `${change} ${RESUME}`} />;
  }
  if (command?.kind === 'Logs' && logs) return <Line words={change} how={logs} />;
  return (
    <>
      <Line words={change} how={command && <code>{command.line}</code>} />
      {logs && <p class="change">{logs}</p>}
    </>
  );
}

const RESUME = 'resume it, below';

interface LineProps {
  readonly words: string | undefined;
  readonly how?: ComponentChildren;
}

function Line({ words, how }: LineProps) {
  if (!(words || how)) return null;
  return (
    <p class="change">
      To do: {words}
      {words && how && ': '}
      {how}
    </p>
  );
}
