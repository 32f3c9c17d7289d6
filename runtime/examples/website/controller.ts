/** The controller of Websites. */
import {
  type ApplyConfiguration,
  apps,
  type ConfigMap,
  core,
  type Deployment,
  errorCondition,
  ignoreNotFound,
  isConditionTrue,
  type Manager,
  setCondition,
} from 'controller-runtime';
import { NAME, registerWebhooks, Website } from './website.ts';

/** The cache contains only ConfigMaps and Deployments with this label. */
const MANAGED = { 'app.kubernetes.io/managed-by': NAME };

/**
 * Adds the webhooks and the controller to the manager. The generator of the manifests derives the permissions of the
 * operator from the calls of `for`, `owns` and `finalizer`.
 */
export function setUp(manager: Manager): void {
  registerWebhooks(manager.webhooks);
  manager
    .controller('website')
    .for(Website)
    .owns(core.v1.configMaps, { labelSelector: { matchLabels: MANAGED } })
    .owns(apps.v1.deployments, { labelSelector: { matchLabels: MANAGED } })
    .finalizer('example.com/website', async ({ metadata: { namespace, name } }, { client, signal }) => {
      const body = { data: { [name]: null } };
      await ignoreNotFound(
        client.patch(core.v1.configMaps, directoryKey(namespace), { kind: 'merge', body }, { signal }),
      );
    })
    .onError(async (site, error, { event, now, status }) => {
      const failed = errorCondition(site, error);
      event('Warning', failed.reason, failed.message);
      await status({ ...site.status, conditions: setCondition(site.status?.conditions, failed, now) });
    })
    .reconcile(async (site, { apply, client, event, now, signal, status }) => {
      await apply(core.v1.configMaps, buildPage(site));
      const deployment = await apply(apps.v1.deployments, buildDeployment(site));
      // Each Website uses its own field manager, which owns only the entry of this Website in the ConfigMap.
      const fieldManager = `${NAME}-${site.metadata.uid}`;
      await client.apply(core.v1.configMaps, buildDirectoryEntry(site), { fieldManager, force: true, signal });

      const readyReplicas = deployment.status?.readyReplicas ?? 0;
      const isReady = readyReplicas >= site.spec.replicas;
      const before = site.status?.conditions;
      const ready = {
        type: 'Ready',
        status: isReady ? 'True' : 'False',
        reason: isReady ? 'AllPodsReady' : 'PodsNotReady',
        message: `${readyReplicas} of ${site.spec.replicas} Pods are ready`,
        observedGeneration: site.metadata.generation,
      } as const;
      await status({ readyReplicas, conditions: setCondition(before, ready, now) });
      if (isReady && !isConditionTrue(before, 'Ready')) event('Normal', 'Ready', ready.message);
    });
}

function buildPage({ metadata: { namespace, name }, spec: { title = name } }: Website): ApplyConfiguration<ConfigMap> {
  const text = title.replace(/[<&]/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    metadata: { namespace, name: `${name}-page`, labels: MANAGED },
    data: { 'index.html': `<!doctype html><title>${text}</title><h1>${text}</h1>\n` },
  };
}

function buildDeployment({ metadata: { namespace, name }, spec }: Website): ApplyConfiguration<Deployment> {
  const labels = { ...MANAGED, 'app.kubernetes.io/instance': name };
  const volumeMounts = [{ name: 'page', mountPath: '/usr/share/nginx/html', readOnly: true }];
  return {
    metadata: { namespace, name, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'web', image: spec.image, ports: [{ containerPort: 80 }], volumeMounts }],
          volumes: [{ name: 'page', configMap: { name: `${name}-page` } }],
        },
      },
    },
  };
}

function directoryKey(namespace: string) {
  return { namespace, name: 'websites' };
}

function buildDirectoryEntry({ metadata: { namespace, name }, spec }: Website): ApplyConfiguration<ConfigMap> {
  return { metadata: directoryKey(namespace), data: { [name]: spec.image } };
}
