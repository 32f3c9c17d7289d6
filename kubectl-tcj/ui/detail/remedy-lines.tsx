import type { ComponentChildren } from 'preact';
import type { Remedy } from '../../plugin/report/remedy.ts';
import type { Permissions } from '../../plugin/ui-server/page-messages.ts';
import { Link } from '../parts/link.tsx';

interface RemedyLinesProps {
  readonly remedy: Remedy;
  /** The Job of the explained run. */
  readonly jobName: string | undefined;
  readonly permissions: Permissions | undefined;
}

/** Shows how to fix the problem, with a link to the logs of the explained run. */
export function RemedyLines({ remedy, jobName, permissions }: RemedyLinesProps) {
  const logs = jobName !== undefined && permissions?.readLogs ? <Link to={{ jobName }}>Show its logs</Link> : null;
  const { change, command } = remedy;
  // If the page has a button for the command, the text refers to the button.
  if (command?.kind === 'Resume' && permissions?.patchCronJobs) {
    return <RemedyLine text={`${change ?? 'resume it'} below`} />;
  }
  if (command?.kind === 'Logs' && logs) return <RemedyLine text={change} action={logs} />;
  return (
    <>
      <RemedyLine text={change} action={command && <code>{command.commandLine}</code>} />
      {logs && <p class="remedy">{logs}</p>}
    </>
  );
}

interface RemedyLineProps {
  readonly text: string | undefined;
  readonly action?: ComponentChildren;
}

function RemedyLine({ text, action }: RemedyLineProps) {
  if (!(text || action)) return null;
  return (
    <p class="remedy">
      To do: {text}
      {text && action && ': '}
      {action}
    </p>
  );
}
