/** A validating webhook in this process that a real API server calls, and whose response and delay the test controls. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { LiveClient } from 'controller-runtime';
import { admissionregistration, core } from 'controller-runtime/kubernetes';
import { eventually, selfSignedCertificate } from 'controller-runtime/testing';
import { GROUP } from '../../api/v1/groupversion.ts';

/** Writes that the API server sends to the webhook. */
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

/** One admission request of the API server. */
export interface AdmissionCall {
  /** Name of the object. */
  readonly name: string;
  /** Whether it is a dry run. */
  readonly isDryRun: boolean;
}

/** `hold`: no response until the test opens the gate. */
export type GateVerdict = 'allow' | 'deny' | 'hold';

export interface GateOptions {
  readonly namespaces: readonly string[];
  readonly rules: readonly GateRule[];
}

interface ReceivedReview {
  readonly request: { readonly uid: string; readonly name: string; readonly dryRun?: boolean };
}

const PROBE = 'is-the-gate-there';
const PROBE_RULE = rule('', 'configmaps', 'CREATE');
const configurations = admissionregistration.v1.validatingWebhookConfigurations;

export class AdmissionGate implements AsyncDisposable {
  /** The response to the next call. */
  verdict: (call: AdmissionCall) => GateVerdict = () => 'allow';
  readonly #client: LiveClient;
  readonly #server: Server;
  readonly #name: string;
  readonly #caBundle: string;
  /** Functions that release each held call that the API server still waits for. */
  readonly #pendingResponses = new Map<ServerResponse, () => void>();
  #isProbed = false;

  private constructor(client: LiveClient, name: string) {
    this.#client = client;
    this.#name = name;
    const { key, cert } = selfSignedCertificate('gate');
    this.#caBundle = Buffer.from(cert).toString('base64');
    this.#server = createServer({ key, cert }, async (request, response) => {
      this.#respond((await json(request)) as ReceivedReview, response);
    });
  }

  /** Resolves when the API server calls. */
  static async open(client: LiveClient, options: GateOptions): Promise<AdmissionGate> {
    const gate = new AdmissionGate(client, `gate-${options.namespaces.join('-')}`);
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    await client.create(configurations, gate.#configuration(options));
    const [namespace = ''] = options.namespaces;
    await eventually(async () => {
      await client.create(core.v1.configMaps, { metadata: { name: PROBE, namespace } }, { dryRun: true });
      if (!gate.#isProbed) throw new Error('the API server does not ask the gate yet');
    });
    return gate;
  }

  /** Number of calls that the API server waits for. */
  get pendingCount(): number {
    return this.#pendingResponses.size;
  }

  /** Allows held calls, and all later calls. */
  allowAll(): void {
    this.verdict = () => 'allow';
    for (const release of [...this.#pendingResponses.values()]) release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.allowAll();
    await this.#client.delete(configurations, { name: this.#name });
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #configuration({ namespaces, rules }: GateOptions) {
    const { port } = this.#server.address() as AddressInfo; // a string only for pipes and Unix sockets
    const inNamespaces = { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces };
    const webhook = {
      name: 'gate.example.com',
      clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: this.#caBundle },
      rules: [...rules, PROBE_RULE],
      namespaceSelector: { matchExpressions: [inNamespaces] },
      failurePolicy: 'Fail',
      // The maximum that the API server accepts.
      timeoutSeconds: 30,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    return { metadata: { name: this.#name }, webhooks: [webhook] };
  }

  #respond({ request }: ReceivedReview, response: ServerResponse): void {
    const { uid, name, dryRun: isDryRun = false } = request;
    const allow = () => sendReview(response, { uid, allowed: true });
    if (name === PROBE) {
      this.#isProbed = true;
      allow();
      return;
    }
    const verdict = this.verdict({ name, isDryRun });
    if (verdict === 'allow') allow();
    if (verdict === 'deny') sendReview(response, { uid, allowed: false, status: { code: 403, message: 'not here' } });
    if (verdict === 'hold') this.#hold(response, allow);
  }

  #hold(response: ServerResponse, release: () => void): void {
    this.#pendingResponses.set(response, release);
    response.once('close', () => this.#pendingResponses.delete(response)); // answered, or aborted
  }
}

function sendReview(response: ServerResponse, verdict: object): void {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
}

function rule(apiGroup: string, resource: string, operation: GateRule['operations'][number]): GateRule {
  return { apiGroups: [apiGroup], apiVersions: ['v1'], resources: [resource], operations: [operation] };
}
