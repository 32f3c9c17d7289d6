/** What other people's webhooks and policies do to Jobs, each for the length of one test and in one namespace. */
import {
  discardLogger,
  type FieldError,
  KeyPairFiles,
  SystemClock,
  validatePath,
  WebhookServer,
} from 'controller-runtime';
import { writeCertificate } from 'controller-runtime/testing';
import { onTestFinished } from 'vitest';
import { jobs } from '../../../controllers/resources.ts';
import type { ClusterClient } from '../../support/cluster-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GROUP_VERSION = 'admissionregistration.k8s.io/v1';
const JOBS_RULE = { apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] };
const onlyIn = (namespace: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });

type Cluster = Pick<ClusterClient, 'transport'>;

/** A ValidatingAdmissionPolicy that refuses every Job with a 422. The API server follows with a delay. */
export async function refuseJobsByPolicy(cluster: Cluster, namespace: string): Promise<void> {
  const matchConstraints = { resourceRules: [JOBS_RULE], namespaceSelector: onlyIn(namespace) };
  const validations = [{ expression: 'false', message: 'no Jobs here', reason: 'Invalid' }];
  await install(cluster, namespace, {
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    spec: { matchConstraints, validations },
  });
  await install(cluster, namespace, {
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    spec: { policyName: namespace, validationActions: ['Deny'] },
  });
}

/** Where a webhook listens. */
export interface Webhook {
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM. */
  readonly caBundle?: string;
}

/** Has the API server, after a delay, ask `jobs.example.com` about each Job. */
export async function askAboutJobs(cluster: Cluster, namespace: string, { port, caBundle }: Webhook): Promise<void> {
  const webhook = {
    name: 'jobs.example.com',
    clientConfig: {
      url: `https://127.0.0.1:${port}${validatePath(jobs)}`,
      ...(caBundle && { caBundle: Buffer.from(caBundle).toString('base64') }),
    },
    rules: [JOBS_RULE],
    namespaceSelector: onlyIn(namespace),
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await install(cluster, namespace, {
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    webhooks: [webhook],
  });
}

/** A webhook that refuses every Job for one field, with a 422. */
export async function serveRefusal(error: FieldError): Promise<Webhook> {
  const clock = new SystemClock();
  const folder = temporaryFolder();
  const { cert: caBundle } = writeCertificate(folder);
  const keyPair = new KeyPairFiles({ folder, clock, log: discardLogger });
  const address = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
  const server = new WebhookServer({ address, keyPair, clock, log: discardLogger });
  server.for(jobs, { validate: () => [error] });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await stopped;
  });
  return { port: await server.port, caBundle };
}

async function install(
  { transport }: Cluster,
  name: string,
  { plural, ...object }: { readonly plural: string; readonly [field: string]: unknown },
): Promise<void> {
  const path = `/apis/${GROUP_VERSION}/${plural}`;
  const body = { apiVersion: GROUP_VERSION, metadata: { name }, ...object };
  await transport.request({ method: 'POST', path, body });
  onTestFinished(async () => {
    await transport.request({ method: 'DELETE', path: `${path}/${name}` });
  });
}
