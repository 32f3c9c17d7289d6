/** Configuration files of the node's components, as values; JSON is YAML. */
import { join } from 'node:path';

/** Name of the Node. */
export const NODE_NAME = 'node';
/** These addresses exist only in the node's own network, so they do not collide with others. */
export const NODE_ADDRESS = '172.30.0.2';
export const SERVICE_RANGE = '10.96.0.0/16';
/** The API server's Service gets the first address of the range. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
/** etcd's address within the node. */
export const ETCD_URL = 'http://127.0.0.1:2379';
const POD_RANGE = '10.244.0.0/24';

/** The image of the container that holds a Pod's namespaces open. */
export const PAUSE_IMAGE = 'localhost/pause:1';
/** Reaps orphans in Pods that share their process namespace. */
export const PAUSE_COMMAND = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 86400 & wait $!; done'] as const;

/** containerd's socket in the node's mount namespace; also the default of `ctr`. */
const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** A bridge with the node as gateway of the Pods. */
export function networkConfiguration(): object {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: POD_RANGE }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: '/run/cni-ipam',
        },
      },
    ],
  };
}

/** containerd's file, in TOML. `folder` is the node's; `plugins` is the folder of the CNI plugins. */
export function containerdConfiguration(folder: string, plugins: string): string {
  const text = (value: string) => JSON.stringify(value);
  return `version = 2
root = ${text(join(folder, 'containerd'))}
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = ${text(CONTAINERD_SOCKET)}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${text(PAUSE_IMAGE)}
  # Where root lacks CAP_SYS_RESOURCE, no Pod would start without it.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${text(plugins)}
    conf_dir = ${text(join(folder, 'cni'))}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}

/** The kubelet's file. There is no in-cluster DNS, so the file does not configure one: Pods resolve names as the machine does. */
export function kubeletConfiguration(folder: string, caFile: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false, // deprecated, but some machines have no other version
    cgroupDriver: 'cgroupfs',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    address: NODE_ADDRESS,
    healthzBindAddress: '127.0.0.1',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: caFile } },
    authorization: { mode: 'Webhook' },
    failSwapOn: false,
    volumePluginDir: join(folder, 'volume-plugins'),
    resolvConf: join(folder, 'resolv.conf'),
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100, // a removed image cannot be pulled again
    imageGCLowThresholdPercent: 99,
    imageMaximumGCAge: '0s',
    nodeStatusUpdateFrequency: '2s',
    serializeImagePulls: false,
    enforceNodeAllocatable: ['pods'],
  };
}

/** kube-proxy's file. */
export function proxyConfiguration(kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    bindAddress: '127.0.0.1',
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    hostnameOverride: NODE_NAME,
    clusterCIDR: POD_RANGE,
    clientConnection: { kubeconfig },
    // Zero keeps the kernel's settings.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    nodePortAddresses: ['127.0.0.0/8'],
  };
}
