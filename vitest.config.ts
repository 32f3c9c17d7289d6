import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Only ends tests that hang: on a busy machine, an action of a second may take a minute. */
const UNIT_TEST_TIMEOUT_MS = 300_000;
/** `eventually` limits each wait; these only end tests that hang. Milliseconds. */
const CLUSTER_TEST_TIMEOUT_MS = 600_000;
/** Four waits of a minute for a real Prometheus. */
const ALERT_TEST_TIMEOUT_MS = 1_200_000;
/** A manager dies some forty times; half a million inputs. */
const FAULT_TEST_TIMEOUT_MS = 1_200_000;
/** A day, and the time for its end. */
const SOAK_TIMEOUT_MS = 25 * 3_600_000;
/** The first run on a machine downloads or builds a control plane. */
const SETUP_TIMEOUT_MS = 600_000;

/** Pods start, and the lease of a dead leader runs out. */
const E2E_TEST_TIMEOUT_MS = 1_200_000;
const SITE = process.env['E2E_SITE'];
const HAS_PROMETHEUS = process.env['PROMETHEUS_FOLDER'] !== undefined;
const HAS_CLIENTS = process.env['CLIENTS'] !== undefined;
const HAS_UI = process.env['UI'] !== undefined;
const HAS_SOAK = process.env['SOAK_MINUTES'] !== undefined;
const HAS_FAULTS = process.env['FAULTS'] !== undefined;
/** Part of the name of its report, for suites that CI runs in addition to `make test`. */
const SUITE = HAS_PROMETHEUS ? 'alerts' : HAS_FAULTS ? 'faults' : HAS_CLIENTS ? 'clients' : HAS_UI ? 'ui' : SITE;

const env = {
  TZ: 'UTC',
  KUBECONFIG: '/dev/null', // a test that forgets which cluster it talks to must not find the user's
};

/** Starts the longest files first: in a fresh clone, they would otherwise keep one core busy when all other files are done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/simulation\/(random-years|year)\.test\.ts$/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    maxConcurrency: 20, // concurrent tests also mostly wait
    // Tests against a cluster mostly wait. Each file of the faults has a control plane and many processes. The UI tests measure the speed
    // of the page.
    maxWorkers: HAS_UI ? 1 : HAS_FAULTS ? 2 : availableParallelism() + 1,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: `coverage/test-results${SUITE === undefined ? '' : `-${SUITE}`}.json` }]]
      : ['default'],
    coverage: {
      // The core decides which runs start: its tests must cover every branch.
      include: ['controllers/cronjob/**', 'controllers/cronjobrun/**', 'api/time.ts', 'api/v1/field-edits.ts'],
      thresholds: { branches: 100, functions: 100, lines: 100 },
      reporter: ['text'],
      reportsDirectory: 'coverage/core',
    },
    projects: [
      {
        test: {
          name: 'unit',
          env,
          isolate: false, // half of the time was loading the same modules again for each file
          testTimeout: UNIT_TEST_TIMEOUT_MS,
          hookTimeout: UNIT_TEST_TIMEOUT_MS, // the removal of installed objects also takes long
          include: [
            '{schedule,api,controllers,runtime,cmd,kubectl-tcj,hack,site,test/{cluster,packages,repository,support,*/support,simulation,model,bench}}/**/*.test.ts',
            'create-controller-runtime/*.test.ts', // not the tests of its template, which use the test runner of Node
          ],
        },
      },
      {
        test: {
          name: 'envtest',
          env,
          isolate: false, // as above: a third of the time, and three quarters for files with few tests
          unstubEnvs: true,
          include: ['test/envtest/*.test.ts'],
          globalSetup: ['test/envtest/support/set-up.ts'],
          testTimeout: CLUSTER_TEST_TIMEOUT_MS,
          hookTimeout: SETUP_TIMEOUT_MS,
        },
      },
      {
        test: {
          name: 'kwok',
          env,
          include: ['test/conformance/kwok/*.test.ts'],
          globalSetup: ['test/conformance/support/set-up.ts'],
          testTimeout: CLUSTER_TEST_TIMEOUT_MS,
          hookTimeout: SETUP_TIMEOUT_MS,
        },
      },
      // Only for make soak.
      ...(HAS_SOAK
        ? [{ test: { name: 'soak', env, include: ['test/faults/soak/*.test.ts'], testTimeout: SOAK_TIMEOUT_MS } }]
        : []),
      // Only for make test-faults: minutes of random faults.
      ...(HAS_FAULTS
        ? [
            {
              test: {
                name: 'faults',
                env,
                include: ['test/faults/{,hostile/}*.test.ts'],
                // The tests of make test, and tests that always take minutes.
                exclude: process.env['FAULTS'] === 'fast' ? ['test/faults/{hostile/in-process,beside}.test.ts'] : [],
                globalSetup: ['test/envtest/support/set-up.ts'],
                testTimeout: FAULT_TEST_TIMEOUT_MS,
                hookTimeout: SETUP_TIMEOUT_MS,
              },
            },
          ]
        : []),
      // Only for hack/test-alerts.ts, which provides a Prometheus.
      ...(HAS_PROMETHEUS
        ? [
            {
              test: {
                name: 'alerts',
                env,
                include: ['test/alerts/*.test.ts'],
                globalSetup: ['test/alerts/support/set-up.ts'],
                testTimeout: ALERT_TEST_TIMEOUT_MS,
                hookTimeout: SETUP_TIMEOUT_MS,
              },
            },
          ]
        : []),
      // Only for make test-clients: building its inputs takes many seconds.
      ...(HAS_CLIENTS
        ? [
            {
              test: {
                name: 'clients',
                env,
                include: ['test/clients/*.test.ts'],
                globalSetup: ['test/clients/support/set-up.ts'],
                testTimeout: CLUSTER_TEST_TIMEOUT_MS,
                hookTimeout: CLUSTER_TEST_TIMEOUT_MS,
              },
            },
          ]
        : []),
      // Only for hack/test-ui.ts, which provides a Chromium.
      ...(HAS_UI
        ? [
            {
              test: {
                name: 'ui',
                env,
                include: ['test/ui/*.test.ts'],
                globalSetup: ['test/ui/support/set-up.ts'],
                testTimeout: CLUSTER_TEST_TIMEOUT_MS,
                hookTimeout: SETUP_TIMEOUT_MS,
              },
            },
          ]
        : []),
      // Only for hack/test-e2e.ts, which chooses the cluster.
      ...(SITE === undefined
        ? []
        : [
            {
              test: {
                name: 'e2e',
                env,
                include: ['test/e2e/*.test.ts', ...(SITE === 'node' ? ['test/conformance/node/*.test.ts'] : [])],
                globalSetup: ['test/e2e/support/set-up.ts'],
                testTimeout: E2E_TEST_TIMEOUT_MS,
                hookTimeout: SETUP_TIMEOUT_MS,
              },
            },
          ]),
    ],
  },
});
