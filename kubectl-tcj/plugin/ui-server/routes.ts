/** Responds to requests of admitted clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Resource } from 'controller-runtime';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isObjectName } from '../../../api/v1/object-name.ts';
import { cronJobs } from '../cron-jobs.ts';
import { podsSeen } from '../logs/pods-seen.ts';
import { formatted } from '../output.ts';
import { why } from '../report/why.ts';
import type { Session } from '../session.ts';
import { act, isAction } from './actions.ts';
import { answer, answerJson } from './answers.ts';
import type { CronJobFeed } from './cron-job-feed.ts';
import { EventStream } from './event-stream.ts';
import { Refusal } from './fault-of.ts';
import { tellLogs } from './log-events.ts';
import type { About, RunPods } from './messages.ts';
import { tellPage } from './open-page.ts';
import type { PageFiles } from './page-file-names.ts';
import { API_PREFIX, bodyOf } from './requests.ts';
import type { RightsOf } from './rights.ts';

export interface Served {
  readonly session: Session;
  readonly clock: Clock;
  readonly files: PageFiles;
  readonly about: About;
  readonly feed: CronJobFeed;
  readonly rights: RightsOf;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Rejects with a Refusal, or with the error of the API server. */
export async function route(exchange: Exchange, served: Served): Promise<void> {
  const { request, response, url } = exchange;
  if (url.pathname.startsWith(API_PREFIX)) return await routeApi(exchange, served);
  if (request.method === 'POST') throw new Refusal(405, 'Use GET to read a page.');
  const file = served.files.get(url.pathname === '/' ? '/index.html' : url.pathname);
  if (file === undefined) throw nothingHere();
  answer(response, file);
}

async function routeApi(exchange: Exchange, served: Served): Promise<void> {
  const { request, response, url } = exchange;
  const [first = '', ...rest] = url.pathname.slice(API_PREFIX.length).split('/');
  if (first === 'cronjobs') return await routeCronJob(rest, exchange, served);
  if (rest.length > 0 || request.method === 'POST') throw nothingHere();
  switch (first) {
    case 'about':
      return answerJson(response, served.about);
    case 'rights': {
      const namespace = url.searchParams.get('namespace') ?? '';
      if (namespace !== '') checkName(namespace);
      return answerJson(response, await served.rights.in(namespace));
    }
    case 'events':
      return await withStream(exchange, served, (stream) => tellPage(served.feed, stream, served.clock));
    default:
      throw nothingHere();
  }
}

async function routeCronJob(path: readonly string[], exchange: Exchange, served: Served): Promise<void> {
  const { request, response, url, signal } = exchange;
  const { session, clock } = served;
  const [namespace = '', name = '', what = '', ...more] = path;
  if (more.length > 0) throw nothingHere();
  for (const each of [namespace, name]) checkName(each);
  const read = () => cronJobOf(cronJobs, session, { namespace, name }, signal);
  if (request.method === 'POST') {
    if (!isAction(what)) throw nothingHere();
    const given = await bodyOf(request);
    const shownZone = url.searchParams.get('zone');
    const cronJob = { ...(await read()), ...(shownZone !== null && { shownZone }) };
    return answerJson(response, await act(what, cronJob, given, { session, now: clock.now(), signal }));
  }
  if (what === 'yaml') {
    return answer(response, {
      type: 'text/plain; charset=utf-8',
      // The stored object, including values that do not fit.
      body: formatted(withoutFields(await cronJobOf(CronJob, session, { namespace, name }, signal)), 'yaml'),
    });
  }
  if (what === 'pods') return answerJson(response, await podsOf(await read(), { session, signal, now: clock.now() }));
  if (what !== 'logs') throw nothingHere();
  const jobName = checkName(url.searchParams.get('job') ?? '');
  const run = { cronJob: await read(), jobName };
  await withStream(exchange, served, (stream) => tellLogs(run, stream, session, clock));
}

/** @param tell Ends when the stream ends. */
async function withStream(
  { request, response }: Exchange,
  { clock, signal }: Served,
  tell: (stream: EventStream) => Promise<void>,
): Promise<void> {
  const stream = new EventStream(response, clock, signal);
  if (request.method === 'HEAD') return stream.end();
  await tell(stream);
}

async function podsOf(cronJob: CronJob, seeing: Parameters<typeof podsSeen>[2]): Promise<RunPods> {
  const { run } = why(cronJob, seeing.now);
  const told = run && (await podsSeen(run, cronJob.metadata.namespace, seeing));
  return told === undefined ? {} : { told };
}

async function cronJobOf(
  resource: Resource<CronJob>,
  { client }: Session,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<CronJob> {
  const found = await client.get(resource, key, { signal });
  if (found === undefined) throw new Refusal(404, `CronJob "${key.name}" not found in namespace ${key.namespace}.`);
  return found;
}

function withoutFields({ metadata: { managedFields: _, ...metadata }, ...rest }: CronJob): object {
  return { ...rest, metadata };
}

/** Checks the name, because paths and selectors contain it. */
function checkName(name: string): string {
  if (isObjectName(name)) return name;
  throw new Refusal(400, `${JSON.stringify(name.slice(0, 100))} is not a valid object name.`);
}

function nothingHere(): Refusal {
  return new Refusal(404, 'This address does not exist.');
}
