/** The webhooks of CronJobs in this process. The API server behind them accepts every Job. */
import { Agent } from 'node:https';
import { type KubernetesObject, type NewObject, type Resource, SystemClock, type Writer } from 'controller-runtime';
import { createSelfSignedKeyPair, discardLogger, WebhookServer } from 'controller-runtime/internal';
import { setupWebhooksWithManager } from '../../../../controllers/cronjob-webhook.ts';

export interface ServedWebhooks extends AsyncDisposable {
  readonly port: number;
  readonly agent: Agent;
}

export async function serveWebhooks(): Promise<ServedWebhooks> {
  const clock = new SystemClock();
  const address = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
  const pair = await createSelfSignedKeyPair(['127.0.0.1'], new Date());
  const keyPair = { load: async () => pair };
  const server = new WebhookServer({ address, keyPair, clock, log: discardLogger });
  const client = {
    create: async (_: Resource, object: NewObject<KubernetesObject>) => object,
  } as unknown as Pick<Writer, 'create'>; // the result is not used
  setupWebhooksWithManager(server, { client, clock });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  const agent = new Agent({ keepAlive: true, maxSockets: 2, ca: pair.cert });
  return {
    port: await server.port,
    agent,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      stopping.abort();
      await stopped;
    },
  };
}
