/** Formats errors as messages for users. */
import {
  type ApiError,
  ConfigurationError,
  findApiError,
  InvalidResponseError,
  LabelSelectorError,
  ProxyError,
} from 'controller-runtime';
import { getTlsFailure, type TlsFailure } from 'controller-runtime/internal';
import { RUN_WEBHOOK_NAME, WEBHOOK_NAME } from '../../api/v1/groupversion.ts';
import { CommandError } from './command.ts';

/** Returns the message for an error; `undefined` for an error that interrupts the command, such as an `AbortError`. */
export function formatError(error: unknown): string | undefined {
  if (isInternalError(error)) return `internal error in kubectl tcj (${findSourcePosition(error)}); please report it`;
  const hasUserMessage = ERRORS_WITH_USER_MESSAGE.some((type) => error instanceof type);
  if (hasUserMessage && error instanceof Error) return error.message;
  if (error instanceof ProxyError) return `${error.message}; ${error.fix}`;
  const apiError = findApiError(error);
  if (apiError !== undefined) return describeWebhookFailure(apiError) ?? `the API server: ${apiError.message}`;
  const tlsFailure = getTlsFailure(error);
  if (tlsFailure !== undefined) return TLS_FAILURE_MESSAGES[tlsFailure];
  const code = findErrorCode(error);
  return code === undefined ? undefined : `cannot reach the API server (${code}); check the network and the kubeconfig`;
}

/** Returns the message for an error. Throws the error if {@link formatError} returns no message, or if the signal is aborted. */
export function formatErrorOrThrow(error: unknown, signal?: AbortSignal): string {
  const message = formatError(error);
  if (message === undefined || signal?.aborted) throw error;
  return message;
}

/** Adds advice to the message of an error. Returns a CommandError unchanged, because its message is complete. */
export function addAdvice(error: unknown, advice: string, signal: AbortSignal): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(`${formatErrorOrThrow(error, signal).replace(/\.+$/, '')}; ${advice}`);
}

const ERRORS_WITH_USER_MESSAGE = [InvalidResponseError, CommandError, ConfigurationError, LabelSelectorError];

const TLS_FAILURE_MESSAGES: Readonly<Record<TlsFailure, string>> = {
  untrusted:
    'the certificate of the API server is not signed by the certificate authority in the kubeconfig; correct certificate-authority there',
  'another name':
    'the certificate of the API server is valid for another name; correct server or set tls-server-name in the kubeconfig',
  expired:
    'the certificate of the API server has expired or is not valid yet; renew it, or correct the clock of this machine',
  'no TLS': 'the server in the kubeconfig does not use TLS, so it is not an API server; correct server there',
};

/** Returns whether the error has a type that indicates a bug of this program, or a malformed response or file. */
export function isInternalError(error: unknown): error is Error {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((type) => error instanceof type);
}

/** Returns the position of the error in the source, such as `columns.ts:12:5`. */
function findSourcePosition({ stack = '' }: Error): string {
  return /([^\s/\\(]+:\d+:\d+)\)?$/m.exec(stack)?.[1] ?? 'unknown place';
}

/**
 * Explains the error that the API server returns if it cannot reach the webhook of this operator. The function parses the error
 * message, because the code is 500 for every failed webhook call (kubernetes apiserver pkg/admission/plugin/webhook).
 */
function describeWebhookFailure({ code, message }: ApiError): string | undefined {
  const [, name, cause] = code === 500 ? (WEBHOOK_FAILURE_MESSAGE.exec(message) ?? []) : [];
  if (name === undefined || ![WEBHOOK_NAME, RUN_WEBHOOK_NAME].some((each) => name.endsWith(each))) return undefined;
  return (
    `the webhook ${name} of this operator does not respond (${cause}), so the API server rejects the change. ` +
    'The manager is down or hangs; check it: kubectl get pods -A -l app.kubernetes.io/name=cronjob-operator'
  );
}

const WEBHOOK_FAILURE_MESSAGE = /failed calling webhook "([^"]+)": failed to call webhook: Post "[^"]*": (.*)$/s;

/** Returns the code of an error that {@link formatError} only describes as "cannot reach the API server". */
export function findNetworkErrorCode(error: unknown): string | undefined {
  const hasExplanation =
    findApiError(error) !== undefined ||
    getTlsFailure(error) !== undefined ||
    [InvalidResponseError, ProxyError].some((type) => error instanceof type);
  return hasExplanation ? undefined : findErrorCode(error);
}

/** Returns the code of a network error, such as ECONNREFUSED, from the error or from its causes. */
export function findErrorCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
    // undici reports no code for bytes that are not HTTP.
    if (each.name === 'HTTPParserError') return each.name;
  }
  return undefined;
}
