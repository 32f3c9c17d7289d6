/** Why a request of the page has no success: a status of HTTP, and a sentence with what to do. */
import { apiErrorOf, ConfigurationError } from 'controller-runtime';
import { UsageError } from '../command.ts';
import { codeOf, isFault, messageOf } from '../message-of.ts';
import type { Fault } from './messages.ts';

/** A request that is refused, or that nothing answers to. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly fault: Fault;

  constructor(status: number, message: string, change?: string) {
    super(message);
    this.status = status;
    this.fault = { message, ...(change !== undefined && { change }) };
  }
}

/** `undefined` for a fault of the program. */
export function refusalOf(error: unknown, server: string): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isFault(error)) return undefined;
  if (error instanceof UsageError) return new Refusal(400, error.message);
  const apiError = apiErrorOf(error);
  if (apiError !== undefined) return ofApiServer(apiError.code, apiError.message);
  if (error instanceof ConfigurationError) return new Refusal(502, error.message, CREDENTIALS_FIX);
  const message = messageOf(error);
  const code = codeOf(error);
  if (code === undefined) return message === undefined ? undefined : new Refusal(502, message);
  const status = TIMEOUTS.has(code) ? 504 : 502;
  return new Refusal(status, `The API server ${server} cannot be reached (${code}).`, NETWORK_FIX);
}

export const NETWORK_FIX = 'Check the network, a VPN and the kubeconfig.';
export const CREDENTIALS_FIX =
  'Sign in again as your cluster wants it, such as with the command of its provider. The kubeconfig is read anew by itself.';
export const RIGHTS_FIX = 'Ask an administrator of the cluster for this right.';

const TIMEOUTS = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Those that say something of the request itself, and not of what stands between. */
const PASSED_ON = new Set([400, 404, 409, 422, 429]);

function ofApiServer(code: number, text: string): Refusal {
  const message = `The API server: ${text}`;
  if (code === 401) return new Refusal(502, 'The API server does not accept the credentials.', CREDENTIALS_FIX);
  if (code === 403) return new Refusal(403, message, RIGHTS_FIX);
  if (code === 409) return new Refusal(409, message, 'Look at it as it is now, and try again.');
  return new Refusal(PASSED_ON.has(code) ? code : code === 504 ? 504 : 502, message);
}
