/**
 * API servers without streaming lists: versions before 1.32, version 1.33, and any version with the feature off. They need the verb `list`.
 */
import { join } from 'node:path';
import { core, type KubernetesObject, type Resource, type ResourceRule, SystemClock } from 'controller-runtime';
import {
  caBundleRules,
  certificateSecretRules,
  getConfigurationResource,
  Reflector,
} from 'controller-runtime/internal';
import { eventually, RecordingLogger } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { cronJobRuns, cronJobs, jobs } from '../../controllers/resources.ts';
import { MANAGER_RULES } from '../../hack/manager-rules.ts';
import { type RunningApiServer, startApiServer } from '../cluster/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { grantClusterWide, toRbacRules } from './support/grant.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';

const NAME = 'ours';
const CONFIGURATIONS = [
  { kind: 'MutatingWebhookConfiguration', name: NAME },
  { kind: 'ValidatingWebhookConfiguration', name: NAME },
] as const;
const CRD_FOLDER = join(import.meta.dirname, '../../config/crd/bases');
const STREAMS_NO_LISTS = 'the API server does not support WatchList, listing in pages instead';

const RULES = [...MANAGER_RULES, ...certificateSecretRules(NAME), ...caBundleRules(CONFIGURATIONS)];
const RESOURCES: readonly Resource[] = [
  cronJobs,
  jobs,
  cronJobRuns,
  core.v1.secrets,
  ...CONFIGURATIONS.map(getConfigurationResource),
];
const listed = RULES.filter(({ verbs }) => verbs.includes('list')).flatMap((rule) =>
  rule.resources.map((plural) => ({ plural, rule })),
);
/** The resources that the manager lists to watch them, each with the rule that allows it. */
const LISTED = listed.filter(({ rule }) => rule.verbs.includes('watch'));

let serverWithoutStreams: RunningApiServer;
beforeAll(async () => {
  serverWithoutStreams = await startApiServer([CRD_FOLDER], { 'feature-gates': 'WatchList=false' });
});
afterAll(() => serverWithoutStreams.stop());

/** A kubeconfig of a user with the permissions of the rule and no other permissions. */
async function createKubeconfig(rule: ResourceRule, admin: string): Promise<string> {
  const user = `lists-${crypto.randomUUID()}`;
  await using cluster = connect(admin);
  await grantClusterWide(cluster.client, user, toRbacRules([rule]));
  return writeKubeconfigAs(user, admin);
}

/** A reflector as in the manager, with the permissions of one rule. */
async function startReflector(plural: string, rule: ResourceRule, admin: string) {
  const resource = RESOURCES.find((each) => each.plural === plural);
  if (resource === undefined) throw new Error(`unknown resource ${plural}`);
  const { transport } = connect(await createKubeconfig(rule, admin));
  const log = new RecordingLogger();
  const lists: (readonly KubernetesObject[])[] = [];
  const ignore = () => undefined;
  const sink = { replace: (all: readonly KubernetesObject[]) => void lists.push(all), upsert: ignore, remove: ignore };
  const fieldSelector = rule.resourceNames && `metadata.name=${rule.resourceNames[0]}`;
  const clock = new SystemClock();
  const reflector = new Reflector({ resource, fieldSelector, transport, sink, clock, log });
  const stopping = new AbortController();
  const running = reflector.run(stopping.signal);
  return {
    seen: lists,
    said: () => log.records.map(({ message }) => message),
    reasons: () => log.records.map(({ error, fields }) => String(error ?? fields['reason'])),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await running;
      await transport.close();
    },
  };
}

test('the manager lists only watched resources, and the Pods of a Job that may not have started', () => {
  expect(listed.filter(({ rule }) => !rule.verbs.includes('watch')).map(({ plural }) => plural)).toEqual(['pods']);
  const watched = RULES.filter(({ verbs }) => verbs.includes('watch')).flatMap(({ resources }) => resources);
  expect(LISTED.map(({ plural }) => plural)).toEqual(watched);
  expect(LISTED.map(({ plural }) => plural)).toEqual(RESOURCES.map(({ plural }) => plural));
});

test.each(LISTED)(
  '$plural: the manager needs the permission to list only when the API server does not stream lists',
  async (each) => {
    const { plural, rule } = each;
    const watchOnly = { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'list') };
    await using inPages = await startReflector(plural, rule, serverWithoutStreams.kubeconfig);
    await using refused = await startReflector(plural, watchOnly, serverWithoutStreams.kubeconfig);
    await using streamed = await startReflector(plural, watchOnly, inject('kubeconfig'));
    await eventually(() => {
      expect(inPages.seen).toEqual([[]]);
      expect(refused.reasons()).toContainEqual(expect.stringMatching(/cannot list resource/));
      expect(streamed.seen).toHaveLength(1);
    });
    expect(refused.seen).toEqual([]);
    expect(inPages.said()).toContain(STREAMS_NO_LISTS);
    expect(streamed.said()).not.toContain(STREAMS_NO_LISTS);
  },
);
