/** Sends raw HTTP requests to a fake API server. */
import { resourcePath } from '../kubernetes/resource.ts';
import type { FakeApiServer } from '../testing/fake-api-server.ts';
import { type Job, jobs } from './objects.ts';

export interface RawWatchEvent {
  readonly type: string;
  readonly object: Job & { readonly code?: number };
}

/** A response body with the fields of an object, of a list and of a Status. */
export type RawResponse = Job & {
  readonly reason: string;
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Job[];
};

export async function sendRequest(
  server: FakeApiServer,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
) {
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { 'content-type': contentType ?? 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: response.status, body: (await response.json()) as RawResponse };
}

/** Opens a watch. `next` resolves to the next event, or to `undefined` after the last event. */
export async function watch(server: FakeApiServer, query: string, namespace?: string) {
  const response = await fetch(new URL(`${resourcePath(jobs, namespace)}?watch=true&${query}`, server.url));
  const lines = readLines(response.body!);
  const next = async (): Promise<RawWatchEvent | undefined> => {
    const { value } = await lines.next();
    return value === undefined ? undefined : (JSON.parse(value) as RawWatchEvent);
  };
  return { next, nextLine: async () => (await lines.next()).value };
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

export const formatWatchEvent = (event: RawWatchEvent | undefined) =>
  event && `${event.type} ${event.object.metadata.name}`;
