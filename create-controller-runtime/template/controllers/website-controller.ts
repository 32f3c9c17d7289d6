/** The controller of the kind Website: each object owns a ConfigMap with its message. */
import {
  type ConfigMap,
  core,
  isConditionTrue,
  type Manager,
  type OwnedConfiguration,
  setCondition,
} from 'controller-runtime';
import { MANAGED_LABELS } from '../api/name.ts';
import { Website } from '../api/v1alpha1/website-types.ts';

export function addWebsiteController(manager: Manager): void {
  manager
    .controller('website')
    .for(Website)
    .owns(core.v1.configMaps, { labelSelector: { matchLabels: MANAGED_LABELS } })
    .reconcile(async (object, { apply, event, now, status }) => {
      const configMap = await apply(core.v1.configMaps, buildConfigMap(object));
      const before = object.status?.conditions;
      const ready = {
        type: 'Ready',
        status: 'True',
        reason: 'ConfigMapApplied',
        message: `the ConfigMap ${configMap.metadata.name} contains the message`,
        observedGeneration: object.metadata.generation,
      } as const;
      await status({ conditions: setCondition(before, ready, now) });
      if (!isConditionTrue(before, 'Ready')) event('Normal', ready.reason, ready.message);
    });
}

export function buildConfigMap({ metadata, spec }: Website): OwnedConfiguration<ConfigMap> {
  return {
    metadata: { namespace: metadata.namespace, name: `${metadata.name}-website`, labels: MANAGED_LABELS },
    data: { message: spec.message ?? metadata.name },
  };
}
