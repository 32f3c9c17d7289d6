/** Requests that the API server counted, by verb and resource. */
import { Agent, request } from 'undici';
import { z } from 'zod';
import { credentialsOf } from '../../support/cluster-client.ts';

/** Number of requests by `POST jobs`, `PUT cronjobs/status` and so on; a response other than 2xx has its code appended. */
export type Calls = Readonly<Record<string, number>>;

const COUNTED = new Set(['jobs', 'cronjobs', 'events']);
/** A watch is counted when it ends. The harness completes Jobs by patches; neither controller patches them. */
const NOT_COUNTED = /^WATCH |^PATCH jobs\/status/;

const labelled = z.object({
  verb: z.string(),
  resource: z.string(),
  subresource: z.string().default(''),
  code: z.string(),
});

/** Requests counted since the start of the API server. @param kubeconfig Path. */
export async function countedCalls(kubeconfig: string): Promise<Calls> {
  const calls: Record<string, number> = {};
  for (const [, labels = '', value] of (await metrics(kubeconfig)).matchAll(
    /^apiserver_request_total\{(.*)\} (.*)$/gm,
  )) {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', text]) => [name, text]);
    const { verb, resource, subresource, code } = labelled.parse(Object.fromEntries(pairs));
    if (!COUNTED.has(resource)) continue;
    const what = [resource, subresource].filter(Boolean).join('/');
    const call = `${verb} ${what}${code.startsWith('2') ? '' : ` (${code})`}`;
    if (!NOT_COUNTED.test(call)) calls[call] = (calls[call] ?? 0) + Number(value);
  }
  return calls;
}

/** Requests counted between the two. */
export function callsBetween(before: Calls, after: Calls): Calls {
  const differences = Object.entries(after).map(([call, count]) => [call, count - (before[call] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, count]) => count !== 0));
}

export function totalOf(calls: Calls): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}

/** The transport of the manager accepts only JSON. */
async function metrics(kubeconfig: string): Promise<string> {
  const { server, tls, headers } = await credentialsOf(kubeconfig).current();
  const agent = new Agent({ connect: { ...tls } });
  const { body } = await request(new URL('/metrics', server), { dispatcher: agent, headers });
  const text = await body.text();
  await agent.close();
  return text;
}
