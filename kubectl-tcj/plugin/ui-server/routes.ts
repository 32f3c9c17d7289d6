/** Responds to requests of admitted clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Resource } from 'controller-runtime';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isObjectName } from '../../../api/v1/object-name.ts';
import { cronJobs } from '../cron-jobs.ts';
import { inspectPods } from '../logs/inspect-pods.ts';
import { formatValue } from '../output.ts';
import { explainCronJob } from '../report/why.ts';
import type { Session } from '../session.ts';
import { act, isAction } from './actions.ts';
import type { CronJobFeed } from './cron-job-feed.ts';
import { EventStream } from './event-stream.ts';
import { streamLogs } from './log-events.ts';
import type { About, RunPods } from './messages.ts';
import { streamChanges } from './open-page.ts';
import type { PageFiles } from './page-file-names.ts';
import { Refusal } from './refusal.ts';
import { API_PREFIX, readBody } from './requests.ts';
import { sendContent, sendJson } from './responses.ts';
import type { RightsReader } from './rights.ts';

export interface ServerContext {
  readonly session: Session;
  readonly clock: Clock;
  readonly files: PageFiles;
  readonly about: About;
  readonly feed: CronJobFeed;
  readonly rights: RightsReader;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Rejects with a Refusal, or with the error of the API server. */
export async function route(exchange: RequestContext, served: ServerContext): Promise<void> {
  const { request, response, url } = exchange;
  if (url.pathname.startsWith(API_PREFIX)) return await routeApi(exchange, served);
  if (request.method === 'POST') throw new Refusal(405, 'Use GET to read a page.');
  const file = served.files.get(url.pathname === '/' ? '/index.html' : url.pathname);
  if (file === undefined) throw createNotFound();
  sendContent(response, file);
}

async function routeApi(exchange: RequestContext, served: ServerContext): Promise<void> {
  const { request, response, url } = exchange;
  const [first = '', ...rest] = url.pathname.slice(API_PREFIX.length).split('/');
  if (first === 'cronjobs') return await routeCronJob(rest, exchange, served);
  if (rest.length > 0 || request.method === 'POST') throw createNotFound();
  switch (first) {
    case 'about':
      return sendJson(response, served.about);
    case 'rights': {
      const namespace = url.searchParams.get('namespace') ?? '';
      if (namespace !== '') checkName(namespace);
      return sendJson(response, await served.rights.read(namespace));
    }
    case 'events':
      return await withStream(exchange, served, (stream) => streamChanges(served.feed, stream, served.clock));
    default:
      throw createNotFound();
  }
}

async function routeCronJob(path: readonly string[], exchange: RequestContext, served: ServerContext): Promise<void> {
  const { request, response, url, signal } = exchange;
  const { session, clock } = served;
  const [namespace = '', name = '', what = '', ...more] = path;
  if (more.length > 0) throw createNotFound();
  for (const each of [namespace, name]) checkName(each);
  const read = () => getCronJob(cronJobs, session, { namespace, name }, signal);
  if (request.method === 'POST') {
    if (!isAction(what)) throw createNotFound();
    const given = await readBody(request);
    const shownZone = url.searchParams.get('zone');
    const cronJob = { ...(await read()), ...(shownZone !== null && { shownZone }) };
    return sendJson(response, await act(what, cronJob, given, { session, now: clock.now(), signal }));
  }
  if (what === 'yaml') {
    return sendContent(response, {
      type: 'text/plain; charset=utf-8',
      // The stored object, including values that do not fit.
      body: formatValue(omitManagedFields(await getCronJob(CronJob, session, { namespace, name }, signal)), 'yaml'),
    });
  }
  if (what === 'pods') return sendJson(response, await getRunPods(await read(), { session, signal, now: clock.now() }));
  if (what !== 'logs') throw createNotFound();
  const jobName = checkName(url.searchParams.get('job') ?? '');
  const run = { cronJob: await read(), jobName };
  await withStream(exchange, served, (stream) => streamLogs(run, stream, session, clock));
}

/** @param write Ends when the stream ends. */
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
  { client }: Session,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<CronJob> {
  const found = await client.get(resource, key, { signal });
  if (found === undefined) throw new Refusal(404, `CronJob "${key.name}" not found in namespace ${key.namespace}.`);
  return found;
}

function omitManagedFields({ metadata: { managedFields: _, ...metadata }, ...rest }: CronJob): object {
  return { ...rest, metadata };
}

/** Checks the name, because paths and selectors contain it. */
function checkName(name: string): string {
  if (isObjectName(name)) return name;
  throw new Refusal(400, `${JSON.stringify(name.slice(0, 100))} is not a valid object name.`);
}

function createNotFound(): Refusal {
  return new Refusal(404, 'This address does not exist.');
}
