/** config/default for a cluster without kubelet and kube-proxy. */
import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap } from 'yaml';

export interface KwokPlaces {
  /** Node that the manager's Pods are bound to. */
  readonly nodeName: string;
  /** Where this machine takes connections for the webhooks' Service. */
  readonly relayPort: number;
}

/** Port of a Service that a webhook configuration means when it names none. */
export const WEBHOOK_SERVICE_PORT = 443;

const WHERE_NODE_IS_NAMED = ['spec', 'template', 'spec', 'nodeName'];

/**
 * Binds the manager's Pods to a Node, and leads the API server to this machine when it calls a webhook through its Service:
 * a Service of type ExternalName it looks up itself. The certificate is still checked against the Service's name. Selector and
 * ports stay in the Service, for whoever plays kube-proxy.
 *
 * Throws when something that has to be changed is not there.
 */
export function kwokManifests(manifests: string, { nodeName, relayPort }: KwokPlaces): string {
  const documents = parsed(manifests);
  const [deployment, ...others] = documents.filter(isOfKind('Deployment'));
  if (deployment === undefined || others.length > 0) throw new Error('kwok manifests: one Deployment is needed');
  deployment.setIn(WHERE_NODE_IS_NAMED, nodeName);
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const configurations = documents.filter(isOfKind(kind));
    if (configurations.length === 0) throw new Error(`kwok manifests: there is no ${kind}`);
    for (const called of configurations.flatMap(calledServices)) {
      leadTo(relayPort, called);
      const service = documents.filter(isOfKind('Service')).find(isNamedBy(called));
      if (service === undefined) throw new Error(`kwok manifests: there is no Service ${called.get('name')}`);
      service.setIn(['spec', 'type'], 'ExternalName');
      service.setIn(['spec', 'externalName'], 'localhost');
    }
  }
  return documents.map((document) => document.toString({ directives: false })).join('---\n');
}

function parsed(manifests: string): readonly Document[] {
  const documents = parseAllDocuments(manifests);
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  return documents;
}

function isOfKind(kind: string): (document: Document) => boolean {
  return (document) => document.get('kind') === kind;
}

/** `clientConfig.service` of each webhook. */
function calledServices(configuration: Document): readonly YAMLMap[] {
  const webhooks = configuration.get('webhooks');
  const services = (isSeq(webhooks) ? webhooks.items : []).map((webhook) =>
    isMap(webhook) ? webhook.getIn(['clientConfig', 'service'], true) : undefined,
  );
  if (services.length > 0 && services.every((service) => isMap(service))) return services;
  throw new Error(`kwok manifests: ${configuration.get('kind')}: not every webhook is called through a Service`);
}

function leadTo(port: number, called: YAMLMap): void {
  if (called.has('port'))
    throw new Error(`kwok manifests: ${called.get('name')}: port ${called.get('port')} would be lost`);
  called.set('port', port);
}

function isNamedBy(service: YAMLMap): (document: Document) => boolean {
  return (document) => ['name', 'namespace'].every((key) => document.getIn(['metadata', key]) === service.get(key));
}
