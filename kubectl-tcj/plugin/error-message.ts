/** Formats failures as sentences. */
import {
  type ApiError,
  ConfigurationError,
  findApiError,
  getTlsFailure,
  InvalidResponseError,
  LabelSelectorError,
  ProxyError,
  type TlsFailure,
} from 'controller-runtime';
import { WEBHOOK_NAME } from '../../api/v1/groupversion.ts';
import { CommandError } from './command.ts';

/** `undefined` when the command was interrupted, which needs no message. */
export function formatError(error: unknown): string | undefined {
  if (isFault(error)) return `internal error in kubectl tcj (${findSourcePosition(error)}); please report it`;
  const isExplained = EXPLAINED_ERRORS.some((type) => error instanceof type);
  if (isExplained && error instanceof Error) return error.message;
  if (error instanceof ProxyError) return `${error.message}; ${error.fix}`;
  const apiError = findApiError(error);
  if (apiError !== undefined) return describeWebhookFailure(apiError) ?? `the API server: ${apiError.message}`;
  const tlsFault = getTlsFailure(error);
  if (tlsFault !== undefined) return TLS_FAULTS[tlsFault];
  const code = findErrorCode(error);
  return code === undefined ? undefined : `cannot reach the API server (${code}); check the network and the kubeconfig`;
}

/** The sentence for a failure. Throws a failure without a sentence; with an aborted signal, throws every failure. */
export function explainError(error: unknown, signal?: AbortSignal): string {
  const message = formatError(error);
  if (message === undefined || signal?.aborted) throw error;
  return message;
}

const EXPLAINED_ERRORS = [InvalidResponseError, CommandError, ConfigurationError, LabelSelectorError];

const TLS_FAULTS: Readonly<Record<TlsFailure, string>> = {
  untrusted:
    'the certificate of the API server is not signed by the certificate authority in the kubeconfig; correct certificate-authority there',
  'another name':
    'the certificate of the API server is valid for another name; correct server or set tls-server-name in the kubeconfig',
  expired:
    'the certificate of the API server has expired or is not valid yet; renew it, or correct the clock of this machine',
  'no TLS': 'the server in the kubeconfig does not use TLS as an API server does; correct server there',
};

/** Whether the program itself failed, usually because of a response or a file that no API server would produce. */
export function isFault(error: unknown): error is Error {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((type) => error instanceof type);
}

/** Such as `columns.ts:12:5`; the rest of the stack is not useful in a message. */
function findSourcePosition({ stack = '' }: Error): string {
  return /([^\s/\\(]+:\d+:\d+)\)?$/m.exec(stack)?.[1] ?? 'unknown place';
}

/**
 * Recognizes an error of the API server that could not reach our webhook. Only the message shows this, because the code is 500 for
 * every failure of a webhook call; see kubernetes apiserver pkg/admission/plugin/webhook.
 */
function describeWebhookFailure({ code, message }: ApiError): string | undefined {
  const [, name, cause] = code === 500 ? (WEBHOOK_FAILURE.exec(message) ?? []) : [];
  if (name === undefined || !name.endsWith(WEBHOOK_NAME)) return undefined;
  return (
    `the webhook ${name} of this operator does not respond (${cause}), so the API server rejects the change. ` +
    'The manager is down or hangs; check it: kubectl get pods -A -l app.kubernetes.io/name=cronjob-operator'
  );
}

const WEBHOOK_FAILURE = /failed calling webhook "([^"]+)": failed to call webhook: Post "[^"]*": (.*)$/s;

/** The code of a network error, such as ECONNREFUSED; the error may be the cause of another error. */
export function findErrorCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
  }
  return undefined;
}
