import { CommandError } from '../command.ts';
import { isAllowed } from '../is-allowed.ts';
import type { Context } from './context.ts';

/** Throws a CommandError without the right to tell Kubernetes what has run: it would start some of that again. */
export async function mayWriteStatus(namespace: string, { client, signal }: Context): Promise<void> {
  const wish = { namespace, verb: 'patch', group: 'batch', resource: 'cronjobs', subresource: 'status' };
  if (await isAllowed(client, wish, signal)) return;
  throw new CommandError(
    'this takes the right to patch cronjobs/status of batch, so that Kubernetes knows what has run here, and does not start it again',
  );
}
