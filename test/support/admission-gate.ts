/** A validating webhook in this process that a real API server asks, and that answers when and as the test wants. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { KubernetesObject, LiveClient, Resource } from 'controller-runtime';
import { eventually, selfSignedCertificate } from 'controller-runtime/testing';
import { GROUP } from '../../api/v1/groupversion.ts';

/** Writes that the API server asks about. */
export interface GateRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
}

export const JOB_CREATES: GateRule = rule('batch', 'jobs', 'CREATE');
export const CRON_JOB_CREATES: GateRule = rule(GROUP, 'cronjobs', 'CREATE');
export const CRON_JOB_UPDATES: GateRule = rule(GROUP, 'cronjobs', 'UPDATE');
export const STATUS_WRITES: GateRule = rule(GROUP, 'cronjobs/status', 'UPDATE');

/** One question of the API server. */
export interface AdmissionCall {
  readonly operation: string;
  /** `jobs`, or with the subresource `cronjobs/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Nothing is stored. */
  readonly isDryRun: boolean;
  /** Absent when an object is deleted. */
  readonly object?: KubernetesObject;
}

/** `hold`: no answer until the gate is opened. */
export type Verdict = 'allow' | 'deny' | 'hold';

export interface GateOptions {
  readonly namespaces: readonly string[];
  readonly rules: readonly GateRule[];
  /** Default: allows everything. */
  readonly verdict?: (call: AdmissionCall) => Verdict;
  /** When the API server gives a call up. Default 30, the most that it takes. */
  readonly timeoutSeconds?: number;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly resource: { readonly resource: string };
    readonly subResource?: string;
    readonly namespace: string;
    readonly name: string;
    readonly dryRun?: boolean;
    readonly object?: KubernetesObject;
  };
}

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly object[];
}

const PROBE = 'is-the-gate-there';
const PROBE_RULE = rule('', 'configmaps', 'CREATE');
const configMaps: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const configurations: Resource<Configuration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

export class AdmissionGate implements AsyncDisposable {
  /** What the API server has asked so far. */
  readonly calls: AdmissionCall[] = [];
  /** How the next call is answered. */
  verdict: (call: AdmissionCall) => Verdict;
  readonly #client: LiveClient;
  readonly #server: Server;
  readonly #name: string;
  readonly #caBundle: string;
  /** What lets each held call go that the API server still waits for. */
  readonly #held = new Map<ServerResponse, () => void>();
  #isProbed = false;

  private constructor(client: LiveClient, name: string, verdict: (call: AdmissionCall) => Verdict) {
    this.#client = client;
    this.#name = name;
    this.verdict = verdict;
    const { key, cert } = selfSignedCertificate('gate');
    this.#caBundle = Buffer.from(cert).toString('base64');
    this.#server = createServer({ key, cert }, async (request, response) => {
      this.#answer((await json(request)) as Review, response);
    });
  }

  /** Resolves when the API server asks. */
  static async open(client: LiveClient, options: GateOptions): Promise<AdmissionGate> {
    const gate = new AdmissionGate(client, `gate-${options.namespaces.join('-')}`, options.verdict ?? (() => 'allow'));
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    await client.create(configurations, gate.#configuration(options));
    const [namespace = ''] = options.namespaces;
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: PROBE, namespace } };
    await eventually(async () => {
      await client.create(configMaps, probe, { dryRun: true });
      if (!gate.#isProbed) throw new Error('the API server does not ask the gate yet');
    });
    return gate;
  }

  /** Calls that the API server is waiting for an answer to. */
  get held(): number {
    return this.#held.size;
  }

  /** Allows what is held, and whatever comes. */
  allowAll(): void {
    this.verdict = () => 'allow';
    for (const letGo of [...this.#held.values()]) letGo();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.allowAll();
    await this.#client.delete(configurations, { name: this.#name });
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #configuration({ namespaces, rules, timeoutSeconds = 30 }: GateOptions): Omit<Configuration, 'metadata'> & {
    readonly metadata: { readonly name: string };
  } {
    const { port } = this.#server.address() as AddressInfo; // a string only for pipes and Unix sockets
    const inNamespaces = { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces };
    const webhook = {
      name: 'gate.example.com',
      clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: this.#caBundle },
      rules: [...rules, PROBE_RULE],
      namespaceSelector: { matchExpressions: [inNamespaces] },
      failurePolicy: 'Fail',
      timeoutSeconds,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: configurations.kind,
      metadata: { name: this.#name },
      webhooks: [webhook],
    };
  }

  #answer({ request }: Review, response: ServerResponse): void {
    const { uid, operation, namespace, name, object } = request;
    const allow = () => answer(response, { uid, allowed: true });
    if (name === PROBE) {
      this.#isProbed = true;
      allow();
      return;
    }
    const resource = [request.resource.resource, request.subResource].filter(Boolean).join('/');
    const isDryRun = request.dryRun === true;
    const call = { operation, resource, namespace, name, isDryRun, ...(object && { object }) };
    this.calls.push(call);
    const verdict = this.verdict(call);
    if (verdict === 'allow') allow();
    if (verdict === 'deny') answer(response, { uid, allowed: false, status: { code: 403, message: 'not here' } });
    if (verdict === 'hold') this.#hold(response, allow);
  }

  #hold(response: ServerResponse, letGo: () => void): void {
    this.#held.set(response, letGo);
    response.once('close', () => this.#held.delete(response)); // answered, or given up
  }
}

function answer(response: ServerResponse, verdict: object): void {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
}

function rule(apiGroup: string, resource: string, operation: GateRule['operations'][number]): GateRule {
  return { apiGroups: [apiGroup], apiVersions: ['v1'], resources: [resource], operations: [operation] };
}
