/** Sends requests from the page to its server. */
import type {
  ActionBodies,
  ActionResult,
  LogEvent,
  PageError,
  Permissions,
  RunCreators,
  RunPods,
  ServerInfo,
} from '../../plugin/ui-server/page-messages.ts';

/** An error that the server reports. */
export class RequestError extends Error implements PageError {
  override readonly name = 'RequestError';
  readonly change?: string;

  constructor({ message, change }: PageError) {
    super(message);
    if (change !== undefined) this.change = change;
  }
}

export async function fetchServerInfo(): Promise<ServerInfo> {
  return await (await sendRequest('/api/about')).json();
}

export async function fetchPermissions(namespace: string): Promise<Permissions> {
  return await (await sendRequest(`/api/permissions?namespace=${encodeURIComponent(namespace)}`)).json();
}

/** @param key `namespace/name`. */
export async function fetchYaml(key: string): Promise<string> {
  return await (await sendRequest(`${getPath(key)}/yaml`)).text();
}

/** @param key `namespace/name`. */
export async function fetchRunPods(key: string): Promise<RunPods> {
  return await (await sendRequest(`${getPath(key)}/pods`)).json();
}

/**
 * @param key `namespace/name`.
 * @returns the users by Job name. A Job may have the name of a property of every object, such as `constructor`.
 */
export async function fetchCreators(key: string): Promise<ReadonlyMap<string, string>> {
  const creators: RunCreators = await (await sendRequest(`${getPath(key)}/creators`)).json();
  return new Map(Object.entries(creators));
}

/** An action on a CronJob. */
export type Action = {
  readonly [Name in keyof ActionBodies]: { readonly name: Name; readonly body: ActionBodies[Name] };
}[keyof ActionBodies];

/**
 * @param key `namespace/name`.
 * @param zone The IANA time zone for times in the response.
 */
export async function sendAction(key: string, zone: string, { name, body }: Action): Promise<ActionResult> {
  const headers = { 'content-type': 'application/json' };
  const query = `zone=${encodeURIComponent(zone)}`;
  const response = await sendRequest(`${getPath(key)}/${name}?${query}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return await response.json();
}

/** @returns a function that closes the stream. */
export function followLogs(key: string, jobName: string, onEvent: (event: LogEvent) => void): () => void {
  const eventSource = new EventSource(`${getPath(key)}/logs?job=${encodeURIComponent(jobName)}`);
  eventSource.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const event: LogEvent = JSON.parse(data);
    if (event.kind === 'end') eventSource.close();
    onEvent(event);
  });
  eventSource.addEventListener('error', () => {
    // The page does not reconnect, because every line would then appear twice.
    eventSource.close();
    onEvent({ kind: 'note', text: 'Cannot read the logs: the connection was lost.' });
    onEvent({ kind: 'end' });
  });
  return () => eventSource.close();
}

function getPath(key: string): string {
  return `/api/cronjobs/${key.split('/').map(encodeURIComponent).join('/')}`;
}

async function sendRequest(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new RequestError({ message: 'Cannot connect to kubectl tcj ui.', change: 'run kubectl tcj ui again' });
  }
  if (response.ok) return response;
  const error: Partial<PageError> = await response.json().catch(() => ({}));
  throw new RequestError({
    ...error,
    message: error.message ?? `The server responded with status ${response.status}.`,
  });
}
