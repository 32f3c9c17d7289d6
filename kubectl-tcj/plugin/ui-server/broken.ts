/** Why the watch of CronJobs does not work, and what to do. */
import { apiErrorOf, ConfigurationError } from 'controller-runtime';
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { codeOf } from '../message-of.ts';
import { CREDENTIALS_FIX, NETWORK_FIX, RIGHTS_FIX } from './fault-of.ts';
import type { Watch } from './messages.ts';

type Broken = Extract<Watch, { readonly kind: 'Broken' }>;

export interface Watched {
  /** URL of the API server. */
  readonly server: string;
  /** Absent: all of them. */
  readonly namespace: string | undefined;
}

/** `undefined` for what is no outage: the server asks to wait, or to begin the watch in another way. */
export function brokenBy(error: unknown, { server, namespace }: Watched): Broken | undefined {
  // An exec plugin that has nothing to give, as a rule.
  if (error instanceof ConfigurationError) {
    return { kind: 'Broken', reason: 'Unauthorized', message: error.message, change: CREDENTIALS_FIX };
  }
  const apiError = apiErrorOf(error);
  if (apiError === undefined) {
    const message = `The API server ${server} cannot be reached (${codeOf(error) ?? 'no answer'}).`;
    return { kind: 'Broken', reason: 'Unreachable', message, change: NETWORK_FIX };
  }
  switch (apiError.code) {
    case 400:
    case 410:
    case 422:
    case 429:
      return undefined;
    case 401:
      return { kind: 'Broken', reason: 'Unauthorized', message: UNAUTHORIZED, change: CREDENTIALS_FIX };
    case 403:
      return { kind: 'Broken', reason: 'Forbidden', message: forbidden(namespace), change: RIGHTS_FIX };
    case 404:
      return { kind: 'Broken', reason: 'NotInstalled', message: NOT_INSTALLED, change: INSTALL };
    default: {
      const message = `The API server ${server} answers ${apiError.code}: ${apiError.message}`;
      return { kind: 'Broken', reason: 'Unreachable', message, change: 'Nothing, unless this goes on.' };
    }
  }
}

const UNAUTHORIZED = 'The API server does not accept the credentials: they have expired, or were withdrawn.';
const NOT_INSTALLED = `This cluster does not have the kind CronJob of ${GROUP}: its CustomResourceDefinition is not installed.`;
const INSTALL = 'Install the operator; docs/install.md says how. This page goes on by itself.';

function forbidden(namespace: string | undefined): string {
  const where = namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`;
  return `You may not list and watch CronJobs ${where}: the verbs list and watch of ${PLURAL}.${GROUP} are missing.`;
}
