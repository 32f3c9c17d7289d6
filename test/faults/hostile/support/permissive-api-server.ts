/** A real API server with a CRD of our kind that lets everything in, and with a record of who asked for what. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { API_VERSION, GROUP, PLURAL, VERSION } from '../../../../api/v1/groupversion.ts';
import { startApiServer } from '../../../cluster/api-server.ts';
import { PROJECT } from '../../../support/manifests.ts';

/** A request that the API server has answered. */
export interface AnsweredRequest {
  readonly verb: string;
  readonly user: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
}

export interface PermissiveApiServer {
  readonly kubeconfig: string;
  /** Writes, and reads of single objects, oldest first. */
  readonly requests: () => readonly AnsweredRequest[];
  readonly stop: () => Promise<void>;
}

const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [
    { level: 'None', verbs: ['watch', 'list'] },
    {
      level: 'Metadata',
      resources: [
        { group: GROUP, resources: [PLURAL, `${PLURAL}/status`] },
        { group: 'batch', resources: ['jobs'] },
      ],
    },
  ],
};

/** @param folder An empty one. */
export async function startPermissiveApiServer(folder: string): Promise<PermissiveApiServer> {
  const [crd, policy, log] = ['crd.yaml', 'policy.yaml', 'audit.log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(crd, stringify(permissiveCrd()));
  writeFileSync(policy, stringify(POLICY));
  const flags = { 'audit-policy-file': policy, 'audit-log-path': log, 'audit-log-mode': 'blocking' };
  const { kubeconfig, stop } = await startApiServer([crd], flags);
  return { kubeconfig, stop, requests: () => requestsIn(readFileSync(log, 'utf8')) };
}

/** Of our CRD the names; of its schema nothing. */
function permissiveCrd(): unknown {
  const crd = parse(readFileSync(join(PROJECT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`), 'utf8'));
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: VERSION, served: true, storage: true, subresources: { status: {} }, schema };
  return { ...crd, spec: { ...crd.spec, versions: [version] } };
}

function requestsIn(log: string): readonly AnsweredRequest[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { verb, userAgent = '', objectRef = {}, responseStatus } = JSON.parse(line);
      const { resource = '', subresource, namespace = '', name = '' } = objectRef;
      return {
        verb,
        user: userAgent,
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        namespace,
        name,
        code: responseStatus?.code ?? 0,
      };
    });
}

/** Path of the CronJobs of a namespace, or of one of them. */
export function cronJobsPath(namespace: string, name?: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${PLURAL}${name === undefined ? '' : `/${name}`}`;
}
