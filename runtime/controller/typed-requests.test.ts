/** Code that must not compile. `tsc` is the test: a missing expected error is an error. */
import { expect, test } from 'vitest';
import { core, type Node, type Pod } from '../kubernetes/core.ts';
import type { Deployment } from '../kubernetes/workloads.ts';
import { ChannelSource } from './channel-source.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './map-to-requests.ts';
import type { Reconciler, Request } from './reconcile.ts';

const key = { namespace: 'default', name: 'a' };

test('a request has a namespace if and only if its kind is namespaced', () => {
  const { namespace }: Request<Pod> = key;
  const node: Request<Node> = { name: 'a' };
  // @ts-expect-error: it is namespaced
  const pod: Request<Pod> = { name: 'a' };
  // @ts-expect-error: it is cluster-scoped
  const other: Request<Node> = key;
  const text: string = namespace;
  expect([text, node.namespace, pod.namespace, other.namespace]).toEqual(['default', undefined, undefined, 'default']);
});

test('a reconciler that needs a namespace does not accept cluster-scoped kinds', () => {
  class OfDeployments implements Reconciler<Deployment> {
    readonly seen: string[] = [];
    async reconcile({ namespace, name }: Request<Deployment>) {
      this.seen.push(namespace, name);
      return {};
    }
  }
  const right: Reconciler<Deployment> = new OfDeployments();
  // @ts-expect-error: Nodes have no namespace
  const wrong: Reconciler<Node> = new OfDeployments();
  // @ts-expect-error: an unknown kind may be cluster-scoped
  const vague: Reconciler = new OfDeployments();
  const other: Reconciler<Pod> = new OfDeployments(); // a key does not contain the kind
  expect(new Set([right, wrong, vague, other]).size).toBe(4);
});

test('mappers and channels return keys of the reconciled kind', () => {
  const toPods: MapToRequests<Node, Pod> = ({ metadata: { name } }) => [{ namespace: 'kube-system', name }];
  // @ts-expect-error: Pods are namespaced
  const wrong: MapToRequests<Node, Pod> = ({ metadata: { name } }) => [{ name }];
  // @ts-expect-error: a Node's key is not a Pod's key
  const self: MapToRequests<Node, Pod> = enqueueRequestForObject;
  const toOwner: MapToRequests<Pod, Node> = enqueueRequestForOwner(core.v1.nodes);
  const channel = new ChannelSource<Pod>();
  channel.emit(key);
  // @ts-expect-error: it is namespaced
  channel.emit({ name: 'a' });
  expect([toPods, wrong, self, toOwner].every((map) => typeof map === 'function')).toBe(true);
});
