/** Requests that the API server counted, by verb and resource. */
import { Agent, request } from 'undici';
import { z } from 'zod';
import { loadCredentials } from '../../support/cluster-client.ts';

/** Number of requests by `POST jobs`, `PUT cronjobs/status` and so on; a response other than 2xx has its code appended. */
export type CallCounts = Readonly<Record<string, number>>;

const COUNTED_RESOURCES = new Set(['jobs', 'cronjobs', 'events']);
/** A watch is counted when it ends. The harness completes Jobs by patches; neither controller patches them. */
const IGNORED_CALLS = /^WATCH |^PATCH jobs\/status/;

const labelSchema = z.object({
  verb: z.string(),
  resource: z.string(),
  subresource: z.string().default(''),
  code: z.string(),
});

/** Requests counted since the start of the API server. @param kubeconfig Path. */
export async function readCallCounts(kubeconfig: string): Promise<CallCounts> {
  const calls: Record<string, number> = {};
  for (const [, labels = '', value] of (await fetchMetrics(kubeconfig)).matchAll(
    /^apiserver_request_total\{(.*)\} (.*)$/gm,
  )) {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', text]) => [name, text]);
    const { verb, resource, subresource, code } = labelSchema.parse(Object.fromEntries(pairs));
    if (!COUNTED_RESOURCES.has(resource)) continue;
    const path = [resource, subresource].filter(Boolean).join('/');
    const call = `${verb} ${path}${code.startsWith('2') ? '' : ` (${code})`}`;
    if (!IGNORED_CALLS.test(call)) calls[call] = (calls[call] ?? 0) + Number(value);
  }
  return calls;
}

/** Requests counted between the two. */
export function subtractCalls(before: CallCounts, after: CallCounts): CallCounts {
  const differences = Object.entries(after).map(([call, count]) => [call, count - (before[call] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, count]) => count !== 0));
}

export function sumCalls(calls: CallCounts): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}

/** The transport of the manager accepts only JSON. */
async function fetchMetrics(kubeconfig: string): Promise<string> {
  const { server, tls, headers } = await loadCredentials(kubeconfig).current();
  const agent = new Agent({ connect: { ...tls } });
  const { body } = await request(new URL('/metrics', server), { dispatcher: agent, headers });
  const text = await body.text();
  await agent.close();
  return text;
}
