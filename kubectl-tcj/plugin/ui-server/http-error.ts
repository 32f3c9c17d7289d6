/** Converts failed requests and failed watches into messages that tell the user how to fix the problem. */
import { ConfigurationError, findApiError } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { UsageError } from '../command.ts';
import { findNetworkErrorCode, formatError, isInternalError } from '../error-message.ts';
import type { PageError, WatchFailureReason, WatchState } from './page-messages.ts';

/** An error response to a request of the page. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly pageError: PageError;

  constructor(status: number, message: string, advice?: string) {
    super(message);
    this.status = status;
    this.pageError = { message, ...(advice !== undefined && { change: advice }) };
  }
}

/** Converts an error into an error response. Returns `undefined` for an internal error. */
export function toHttpError(error: unknown, server: string): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (isInternalError(error)) return undefined;
  if (error instanceof UsageError) return new HttpError(400, error.message);
  const apiError = findApiError(error);
  if (apiError !== undefined) return createApiHttpError(apiError.code, apiError.message);
  if (error instanceof ConfigurationError) return new HttpError(502, error.message, CREDENTIALS_FIX);
  const message = formatError(error);
  const code = findNetworkErrorCode(error);
  if (code === undefined) return message === undefined ? undefined : new HttpError(502, message);
  const status = TIMEOUT_CODES.has(code) ? 504 : 502;
  return new HttpError(status, describeUnreachable(server, code), NETWORK_FIX);
}

const NETWORK_FIX = 'Check the network, the VPN and the kubeconfig.';
const CREDENTIALS_FIX =
  'Sign in to the cluster again, for example with the command of your provider. The new kubeconfig is read automatically.';
const PERMISSION_FIX = 'Ask a cluster administrator for this permission.';

const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/**
 * Error codes of the API server that the page receives unchanged. For most other codes, the page receives 502 or 504.
 */
const FORWARDED_STATUSES = new Set([400, 404, 409, 422, 429]);

function createApiHttpError(code: number, text: string): HttpError {
  const message = `The API server: ${text}`;
  if (code === 401) return new HttpError(502, 'The API server rejected the credentials.', CREDENTIALS_FIX);
  if (code === 403) return new HttpError(403, message, PERMISSION_FIX);
  if (code === 409) return new HttpError(409, message, 'Check the current state, and try again.');
  return new HttpError(FORWARDED_STATUSES.has(code) ? code : code === 504 ? 504 : 502, message);
}

export interface WatchTarget {
  /** The URL of the API server. */
  readonly server: string;
  /** The watched namespace; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
}

/**
 * Explains a broken watch. Returns `undefined` if the API server requests a later retry or a new watch, because such a response is
 * not an outage.
 */
export function toBrokenWatchState(error: unknown, { server, namespace }: WatchTarget): WatchState | undefined {
  const createBrokenState = (reason: WatchFailureReason, message: string, advice: string): WatchState => ({
    ...{ kind: 'Broken', reason, message, change: advice },
  });
  // A ConfigurationError during a watch usually means that the exec plugin of the kubeconfig returned no credentials.
  if (error instanceof ConfigurationError) return createBrokenState('Unauthorized', error.message, CREDENTIALS_FIX);
  const apiError = findApiError(error);
  if (apiError === undefined) return createBrokenState('Unreachable', describeWatchFailure(server, error), NETWORK_FIX);
  const { code, message } = apiError;
  if (NO_OUTAGE_STATUSES.has(code)) return undefined;
  if (code === 401) return createBrokenState('Unauthorized', UNAUTHORIZED_MESSAGE, CREDENTIALS_FIX);
  if (code === 403) return createBrokenState('Forbidden', describeForbidden(namespace), PERMISSION_FIX);
  if (code === 404) return createBrokenState('NotInstalled', NOT_INSTALLED_MESSAGE, INSTALL_FIX);
  return createBrokenState(
    'Unreachable',
    `The API server ${server} responds with ${code}: ${message}`,
    'No action is needed unless the error continues.',
  );
}

const NO_OUTAGE_STATUSES = new Set([400, 410, 422, 429]);
const UNAUTHORIZED_MESSAGE = 'The API server rejected the credentials: they have expired or were revoked.';
const NOT_INSTALLED_MESSAGE = `The CustomResourceDefinition ${PLURAL}.${GROUP} is not installed in this cluster.`;
const INSTALL_FIX = 'Install the operator as docs/install.md describes. This page then continues automatically.';

function describeForbidden(namespace: string | undefined): string {
  const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return `You do not have permission to list and watch CronJobs ${scope} (verbs list and watch of ${PLURAL}.${GROUP}).`;
}

function describeWatchFailure(server: string, error: unknown): string {
  const code = findNetworkErrorCode(error);
  if (code !== undefined) return describeUnreachable(server, code);
  const cause = formatError(error) ?? (error instanceof Error ? error.message : String(error));
  return `Cannot watch the CronJobs at ${server}: ${cause}.`;
}

function describeUnreachable(server: string, cause: string): string {
  return `The API server ${server} cannot be reached (${cause}).`;
}
