import type { JobTemplateSpec } from '../../../api/kubernetes.ts';

const labels = { 'app.kubernetes.io/name': 'report', team: 'billing' };
const resources = { requests: { cpu: '250m', memory: '64Mi' }, limits: { memory: '1Gi', 'example.com/gpu': '1' } };
const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/**
 * A template as people write them for work, with something of every kind the schema has: lists that are maps, quantities,
 * ports by name, templates in the template. Every default is written out, so that what is stored is what was sent.
 */
export const REALISTIC_JOB_TEMPLATE: JobTemplateSpec = {
  metadata: { labels, annotations: { 'example.com/runbook': 'https://example.com/runbooks/report' } },
  spec: {
    activeDeadlineSeconds: 3600,
    backoffLimitPerIndex: 2,
    completionMode: 'Indexed',
    completions: 4,
    maxFailedIndexes: 1,
    parallelism: 2,
    podFailurePolicy: {
      rules: [
        { action: 'FailIndex', onExitCodes: { containerName: 'report', operator: 'In', values: [42, 43] } },
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      ],
    },
    successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }] },
    podReplacementPolicy: 'Failed',
    ttlSecondsAfterFinished: 600,
    template: {
      metadata: {
        labels: { ...labels, 'example.com/tier': 'batch' },
        annotations: { 'prometheus.io/scrape': 'true', 'sidecar.istio.io/inject': 'false' },
        finalizers: ['example.com/audit'],
      },
      spec: {
        restartPolicy: 'Never',
        serviceAccountName: 'report',
        automountServiceAccountToken: false,
        priorityClassName: 'low',
        terminationGracePeriodSeconds: 45,
        imagePullSecrets: [{ name: 'registry' }, { name: 'mirror' }],
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          fsGroup: 65532,
          supplementalGroups: [1000, 2000],
          seccompProfile: { type: 'RuntimeDefault' },
          sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
        },
        hostAliases: [{ ip: '10.0.0.7', hostnames: ['db.internal', 'db'] }],
        dnsConfig: { nameservers: ['10.0.0.10'], options: [{ name: 'ndots', value: '2' }] },
        tolerations: [
          { key: 'batch', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] }] },
              ],
            },
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 50,
                podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
              },
            ],
          },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: labels },
          },
        ],
        initContainers: [
          { name: 'wait', image: 'busybox:1.37', command: ['sh', '-c', 'until nc -z db 5432; do sleep 1; done'] },
          {
            name: 'proxy',
            image: 'registry.example.com/proxy:2',
            restartPolicy: 'Always',
            ports: [{ name: 'sql', containerPort: 5432, protocol: 'TCP' }],
            startupProbe: { tcpSocket: { port: 'sql' }, periodSeconds: 1 },
          },
        ],
        containers: [
          {
            name: 'report',
            image:
              'registry.example.com/report@sha256:7d1ff0c8d3a0e9c1f3f1b5b0a9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0',
            imagePullPolicy: 'IfNotPresent',
            command: ['/report'],
            args: ['--month', '$(MONTH)'],
            workingDir: '/data',
            env: [
              { name: 'MONTH', value: '2026-10' },
              { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password', optional: true } } },
              { name: 'REGION', valueFrom: { configMapKeyRef: { name: 'report', key: 'region' } } },
              { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
              {
                name: 'CPUS',
                valueFrom: { resourceFieldRef: { containerName: 'report', resource: 'requests.cpu', divisor: '1m' } },
              },
            ],
            envFrom: [{ configMapRef: { name: 'report' } }, { prefix: 'DB_', secretRef: { name: 'db' } }],
            ports: [
              { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
              { name: 'debug', containerPort: 9090, protocol: 'UDP' },
            ],
            livenessProbe: {
              httpGet: { path: '/healthz', port: 'metrics', httpHeaders: [{ name: 'X-Probe', value: 'kubelet' }] },
              initialDelaySeconds: 5,
            },
            readinessProbe: { httpGet: { path: '/readyz', port: 9090 }, failureThreshold: 2 },
            lifecycle: { preStop: { exec: { command: ['/report', 'flush'] } } },
            resources,
            securityContext: restricted,
            volumeMounts: [
              { name: 'config', mountPath: '/etc/report', readOnly: true },
              { name: 'scratch', mountPath: '/data' },
              { name: 'scratch', mountPath: '/tmp', subPath: 'tmp' },
              { name: 'identity', mountPath: '/var/run/identity' },
            ],
          },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'report', defaultMode: 420, items: [{ key: 'a', path: 'a.conf' }] } },
          { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '128Mi' } },
          {
            name: 'identity',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 3600 } },
                { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
              ],
            },
          },
          {
            name: 'scratch',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { labels: { 'example.com/backup': 'never' } },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  storageClassName: 'fast',
                  resources: { requests: { storage: '10Gi' } },
                },
              },
            },
          },
        ],
      },
    },
  },
};
