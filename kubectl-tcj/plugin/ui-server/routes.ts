/** Handles the requests of authenticated clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Resource } from 'controller-runtime';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isObjectName } from '../../../api/v1/object-name.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { cronJobs } from '../cron-jobs.ts';
import { inspectPods } from '../logs/inspect-pods.ts';
import { formatValue } from '../output.ts';
import { explainCronJob } from '../report/why.ts';
import { findCreators } from '../runs/creators.ts';
import { isAction, performAction } from './actions.ts';
import { API_PREFIX, readBody } from './check-request.ts';
import type { CronJobFeed } from './cron-job-feed.ts';
import { EventStream } from './event-stream.ts';
import { HttpError } from './http-error.ts';
import { streamLogs } from './log-events.ts';
import { streamChanges } from './open-page.ts';
import type { PageFiles } from './page-file-names.ts';
import type { RunPods, ServerInfo } from './page-messages.ts';
import type { PermissionsReader } from './permissions-reader.ts';
import { sendContent, sendJson } from './responses.ts';

export interface ServerContext {
  readonly session: ClusterSession;
  readonly clock: Clock;
  readonly files: PageFiles;
  readonly serverInfo: ServerInfo;
  readonly feed: CronJobFeed;
  readonly permissions: PermissionsReader;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Rejects with an HttpError or with an error from the API server. */
export async function routeRequest(requestContext: RequestContext, serverContext: ServerContext): Promise<void> {
  const { request, response, url } = requestContext;
  if (url.pathname.startsWith(API_PREFIX)) return await routeApi(requestContext, serverContext);
  if (request.method === 'POST') throw new HttpError(405, 'Use GET to read a page.');
  const file = serverContext.files.get(url.pathname === '/' ? '/index.html' : url.pathname);
  if (file === undefined) throw createNotFoundError();
  sendContent(response, file);
}

async function routeApi(requestContext: RequestContext, serverContext: ServerContext): Promise<void> {
  const { request, response, url } = requestContext;
  const [resource = '', ...path] = url.pathname.slice(API_PREFIX.length).split('/');
  if (resource === 'cronjobs') return await routeCronJob(path, requestContext, serverContext);
  if (path.length > 0 || request.method === 'POST') throw createNotFoundError();
  switch (resource) {
    case 'about':
      return sendJson(response, serverContext.serverInfo);
    case 'permissions': {
      const namespace = url.searchParams.get('namespace') ?? '';
      if (namespace !== '') checkName(namespace);
      return sendJson(response, await serverContext.permissions.read(namespace));
    }
    case 'events':
      return await withStream(requestContext, serverContext, (stream) =>
        streamChanges(serverContext.feed, stream, serverContext.clock),
      );
    default:
      throw createNotFoundError();
  }
}

async function routeCronJob(
  path: readonly string[],
  requestContext: RequestContext,
  serverContext: ServerContext,
): Promise<void> {
  const { request, response, url, signal } = requestContext;
  const { session, clock } = serverContext;
  const [namespace = '', name = '', subresource = '', ...extraSegments] = path;
  if (extraSegments.length > 0) throw createNotFoundError();
  for (const each of [namespace, name]) checkName(each);
  const read = () => getCronJob(cronJobs, session, { namespace, name }, signal);
  if (request.method === 'POST') {
    if (!isAction(subresource)) throw createNotFoundError();
    const body = await readBody(request);
    const displayZone = url.searchParams.get('zone');
    const cronJob = { ...(await read()), ...(displayZone !== null && { displayZone }) };
    return sendJson(
      response,
      await performAction(subresource, cronJob, body, { session, clock, now: clock.now(), signal }),
    );
  }
  if (subresource === 'yaml') {
    return sendContent(response, {
      type: 'text/plain; charset=utf-8',
      // The manifest is the stored object, including invalid values.
      body: formatValue(omitManagedFields(await getCronJob(CronJob, session, { namespace, name }, signal)), 'yaml'),
    });
  }
  if (subresource === 'pods')
    return sendJson(response, await getRunPods(await read(), { session, signal, now: clock.now() }));
  if (subresource === 'creators')
    return sendJson(response, Object.fromEntries(await findCreators(await read(), { session, signal })));
  if (subresource !== 'logs') throw createNotFoundError();
  const jobName = checkName(url.searchParams.get('job') ?? '');
  const run = { cronJob: await read(), jobName };
  await withStream(requestContext, serverContext, (stream) => streamLogs(run, stream, session, clock));
}

/** @param write Sends the events; must resolve when the stream ends. */
async function withStream(
  { request, response }: RequestContext,
  { clock, signal }: ServerContext,
  write: (stream: EventStream) => Promise<void>,
): Promise<void> {
  const stream = new EventStream(response, clock, signal);
  if (request.method === 'HEAD') return stream.end();
  await write(stream);
}

async function getRunPods(cronJob: CronJob, options: Parameters<typeof inspectPods>[2]): Promise<RunPods> {
  const { run } = explainCronJob(cronJob, options.now);
  const report = run && (await inspectPods(run, cronJob.metadata.namespace, options));
  return report === undefined ? {} : { podReport: report };
}

async function getCronJob(
  resource: Resource<CronJob>,
  { client }: ClusterSession,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<CronJob> {
  const found = await client.get(resource, key, { signal });
  if (found === undefined) throw new HttpError(404, `CronJob "${key.name}" not found in namespace ${key.namespace}.`);
  return found;
}

function omitManagedFields({ metadata: { managedFields: _, ...metadata }, ...rest }: CronJob): object {
  return { ...rest, metadata };
}

/** Returns a valid name, and throws an HttpError for an invalid name, which could change the path of an API request. */
function checkName(name: string): string {
  if (isObjectName(name)) return name;
  throw new HttpError(400, `${JSON.stringify(name.slice(0, 100))} is not a valid object name.`);
}

function createNotFoundError(): HttpError {
  return new HttpError(404, 'This address does not exist.');
}
