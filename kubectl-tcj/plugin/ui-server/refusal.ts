/** Explains the failure of a request of the page, or of the watch of CronJobs: a sentence with the remedy. */
import { ConfigurationError, findApiError } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { UsageError } from '../command.ts';
import { findErrorCode, formatError, isInternalError } from '../error-message.ts';
import type { BrokenReason, PageError, Watch } from './messages.ts';

/** A request that is refused, or that has no route. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly fault: PageError;

  constructor(status: number, message: string, change?: string) {
    super(message);
    this.status = status;
    this.fault = { message, ...(change !== undefined && { change }) };
  }
}

/** `undefined` for a fault of the program. */
export function toRefusal(error: unknown, server: string): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isInternalError(error)) return undefined;
  if (error instanceof UsageError) return new Refusal(400, error.message);
  const apiError = findApiError(error);
  if (apiError !== undefined) return fromApiError(apiError.code, apiError.message);
  if (error instanceof ConfigurationError) return new Refusal(502, error.message, CREDENTIALS_FIX);
  const message = formatError(error);
  const code = findErrorCode(error);
  if (code === undefined) return message === undefined ? undefined : new Refusal(502, message);
  const status = TIMEOUTS.has(code) ? 504 : 502;
  return new Refusal(status, describeUnreachable(server, code), NETWORK_FIX);
}

const NETWORK_FIX = 'Check the network, the VPN and the kubeconfig.';
const CREDENTIALS_FIX =
  'Sign in to the cluster again, for example with the command of your provider. The new kubeconfig is read automatically.';
const RIGHTS_FIX = 'Ask a cluster administrator for this permission.';

const TIMEOUTS = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Statuses that concern the request itself, and not the connection. */
const PASSED_ON = new Set([400, 404, 409, 422, 429]);

function fromApiError(code: number, text: string): Refusal {
  const message = `The API server: ${text}`;
  if (code === 401) return new Refusal(502, 'The API server rejected the credentials.', CREDENTIALS_FIX);
  if (code === 403) return new Refusal(403, message, RIGHTS_FIX);
  if (code === 409) return new Refusal(409, message, 'Check the current state, and try again.');
  return new Refusal(PASSED_ON.has(code) ? code : code === 504 ? 504 : 502, message);
}

export interface WatchTarget {
  /** URL of the API server. */
  readonly server: string;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
}

/** The reason for a broken watch. `undefined` when it is not an outage: the server requests a wait, or a new start of the watch. */
export function toBrokenWatch(error: unknown, { server, namespace }: WatchTarget): Watch | undefined {
  const broken = (reason: BrokenReason, message: string, change: string): Watch => ({
    ...{ kind: 'Broken', reason, message, change },
  });
  // Usually an exec plugin without credentials.
  if (error instanceof ConfigurationError) return broken('Unauthorized', error.message, CREDENTIALS_FIX);
  const apiError = findApiError(error);
  if (apiError === undefined)
    return broken('Unreachable', describeUnreachable(server, findErrorCode(error) ?? 'no response'), NETWORK_FIX);
  const { code, message } = apiError;
  if (NO_OUTAGE.has(code)) return undefined;
  if (code === 401) return broken('Unauthorized', UNAUTHORIZED, CREDENTIALS_FIX);
  if (code === 403) return broken('Forbidden', describeForbidden(namespace), RIGHTS_FIX);
  if (code === 404) return broken('NotInstalled', NOT_INSTALLED, INSTALL);
  return broken(
    'Unreachable',
    `The API server ${server} responds with ${code}: ${message}`,
    'No action is needed unless this continues.',
  );
}

const NO_OUTAGE = new Set([400, 410, 422, 429]);
const UNAUTHORIZED = 'The API server rejected the credentials: they have expired or were revoked.';
const NOT_INSTALLED = `The CustomResourceDefinition ${PLURAL}.${GROUP} is not installed in this cluster.`;
const INSTALL = 'Install the operator as docs/install.md describes. This page then continues automatically.';

function describeForbidden(namespace: string | undefined): string {
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return `You do not have permission to list and watch CronJobs ${where} (verbs list and watch of ${PLURAL}.${GROUP}).`;
}

function describeUnreachable(server: string, why: string): string {
  return `The API server ${server} cannot be reached (${why}).`;
}
