import { formatKey, integer } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { isAllowed } from '../access-review.ts';
import { ALL_NAMESPACES_FLAG, CLUSTER_FLAGS, hasAllNamespacesFlag, NAMESPACE_FLAG } from '../cluster-flags.ts';
import { type ClusterInvocation, type Command, CommandError, type Invocation } from '../command.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { findErrorCode, formatError } from '../error-message.ts';
import { parseFlag } from '../flag-value.ts';
import { CronJobFeed } from '../ui-server/cron-job-feed.ts';
import { openBrowser } from '../ui-server/open-browser.ts';
import { readPageFiles } from '../ui-server/page-files.ts';
import type { ServerInfo } from '../ui-server/page-messages.ts';
import { PermissionsReader } from '../ui-server/permissions-reader.ts';
import { UiServer, type UiServerOptions } from '../ui-server/server.ts';

/** The default port is fixed, so that users of this command can share links. */
const DEFAULT_PORT = 8427;
const PORT_FLAG = {
  name: 'port',
  value: 'number',
  description: `Port to listen on (default: ${DEFAULT_PORT}, or a free port).`,
};
const NO_BROWSER_FLAG = { name: 'no-browser', description: 'Print the URL instead of opening a browser.' };

export const uiCommand: Command = {
  name: 'ui',
  description:
    'Show CronJobs as a timeline in the browser. The server listens on this machine only and uses your permissions.',
  argument: { name: 'name', description: 'Name of the CronJob to open.', isOptional: true, values: 'cronJobs' },
  flags: [PORT_FLAG, NO_BROWSER_FLAG, ALL_NAMESPACES_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Show all CronJobs that you can list', args: 'ui' },
    { task: 'Print the URL that shows nightly-backup', args: 'ui nightly-backup --no-browser' },
  ],
  run: runWithSession(async (invocation) => {
    const { argument, flagValues, terminal } = invocation;
    const port = parseFlag(flagValues, PORT_FLAG, integer(1, 65_535));
    const options = await createServerOptions(invocation);
    const query = argument === '' ? {} : { cronjob: formatKey(await getCronJob(invocation)) };
    const server = await startServer(port, options, invocation);
    terminal.out(`${server.createLink(query)}\nPress Ctrl-C to stop.\n`);
    if (!flagValues.has(NO_BROWSER_FLAG.name)) openBrowser(server.createLaunchLink(query));
    await server.whenClosed;
    return 0;
  }),
};

async function createServerOptions(invocation: ClusterInvocation): Promise<UiServerOptions> {
  const { clock, signal, terminal, session, pageFiles = readPageFiles() } = invocation;
  const scope = await chooseScope(invocation);
  const { transport, server, context } = session;
  const notify = (sentence: string) => terminal.err(`${sentence}\n`);
  return {
    session,
    clock,
    files: pageFiles,
    serverInfo: { version: packageJson.version, context, ...scope },
    feed: new CronJobFeed({ transport, clock, server, namespace: scope.namespace, notify, signal }),
    permissions: new PermissionsReader(session, clock, signal),
    signal,
    reportInternalError: (error) => terminal.err(`kubectl tcj ui: ${formatError(error) ?? error}\n`),
  };
}

/** Chooses the namespace that the page shows, or all namespaces if the user may list and watch the CronJobs of all namespaces. */
async function chooseScope({
  flagValues,
  signal,
  session,
}: ClusterInvocation): Promise<Pick<ServerInfo, 'namespace' | 'narrowedBecause'>> {
  const { client, namespace } = session;
  if (hasAllNamespacesFlag(flagValues)) return {};
  if (flagValues.has(NAMESPACE_FLAG.name)) return { namespace };
  const verbs = ['list', 'watch'];
  const permissions = await Promise.all(
    verbs.map((verb) => isAllowed(client, { namespace: '', verb, group: GROUP, resource: PLURAL }, signal)),
  );
  if (permissions.every((isGranted) => isGranted)) return {};
  return { namespace, narrowedBecause: 'You do not have permission to list and watch CronJobs in all namespaces.' };
}

/**
 * @param port The value of --port. Without --port, the server uses the default port, or a free port if the default port is in use.
 */
async function startServer(
  port: number | undefined,
  options: UiServerOptions,
  { terminal }: Invocation,
): Promise<UiServer> {
  try {
    return await UiServer.listen(port ?? DEFAULT_PORT, options);
  } catch (error) {
    const isPortInUse = findErrorCode(error) === 'EADDRINUSE';
    if (!isPortInUse && findErrorCode(error) !== 'EACCES') throw error;
    if (port === undefined) {
      terminal.err(
        `port ${DEFAULT_PORT} is in use; using a free port, so links to this page work only until you stop the command\n`,
      );
      return await UiServer.listen(0, options);
    }
    throw new CommandError(`port ${port} ${isPortInUse ? 'is in use' : 'requires more privileges'}; use another port`);
  }
}
