/** The requests of the page to the server. */
import type { About, Actions, Done, Fault, LogEvent, Rights, RunPods } from '../../plugin/ui-server/messages.ts';

/** The fault that the server reports. */
export class RequestError extends Error implements Fault {
  override readonly name = 'RequestError';
  readonly change?: string;

  constructor({ message, change }: Fault) {
    super(message);
    if (change !== undefined) this.change = change;
  }
}

export async function about(): Promise<About> {
  return await (await ask('/api/about')).json();
}

export async function rightsIn(namespace: string): Promise<Rights> {
  return await (await ask(`/api/rights?namespace=${encodeURIComponent(namespace)}`)).json();
}

/** @param key `namespace/name`. */
export async function yamlOf(key: string): Promise<string> {
  return await (await ask(`${pathOf(key)}/yaml`)).text();
}

/** @param key `namespace/name`. */
export async function podsOf(key: string): Promise<RunPods> {
  return await (await ask(`${pathOf(key)}/pods`)).json();
}

/** An action on a CronJob. */
export type Action = {
  readonly [Name in keyof Actions]: { readonly name: Name; readonly body: Actions[Name] };
}[keyof Actions];

/**
 * @param key `namespace/name`.
 * @param zone IANA name of the zone for times in the response.
 */
export async function act(key: string, zone: string, { name, body }: Action): Promise<Done> {
  const headers = { 'content-type': 'application/json' };
  const query = `zone=${encodeURIComponent(zone)}`;
  const answer = await ask(`${pathOf(key)}/${name}?${query}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return await answer.json();
}

/** @returns a function that ends it. */
export function followLogs(key: string, job: string, tell: (event: LogEvent) => void): () => void {
  const source = new EventSource(`${pathOf(key)}/logs?job=${encodeURIComponent(job)}`);
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const event: LogEvent = JSON.parse(data);
    if (event.kind === 'end') source.close();
    tell(event);
  });
  source.addEventListener('error', () => {
    // Does not reconnect, because every line would appear twice.
    source.close();
    tell({ kind: 'note', text: 'The logs cannot be read: the connection has ended.' });
    tell({ kind: 'end' });
  });
  return () => source.close();
}

function pathOf(key: string): string {
  return `/api/cronjobs/${key.split('/').map(encodeURIComponent).join('/')}`;
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new RequestError({ message: 'kubectl tcj ui does not answer.', change: 'start it again: kubectl tcj ui' });
  }
  if (answer.ok) return answer;
  const fault: Partial<Fault> = await answer.json().catch(() => ({}));
  throw new RequestError({ ...fault, message: fault.message ?? `The answer was ${answer.status}.` });
}
