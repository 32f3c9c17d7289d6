/**
 * controller-runtime/testing: tools to test an operator with any test runner.
 *
 * There are three ways to test an operator:
 * - Call the reconcile function with objects from the test, or call a webhook with an {@link admissionContext}.
 * - Run the manager against a {@link FakeApiServer} with {@link startTestManager}. Such tests take milliseconds, and
 *   can inject faults and use a {@link FakeClock}.
 * - Run the manager against a real API server with {@link startTestEnvironment}.
 */
export { admissionContext } from './admission-context.ts';
export {
  admissionReview,
  postReview,
  type ReviewAnswer,
  type ReviewOptions,
  type ReviewPost,
} from './admission-reviews.ts';
export { type ConversionCheckOptions, checkConversions } from './check-conversions.ts';
export type { ConnectOptions, TestCluster, UserRoles } from './cluster.ts';
export type { CrdManifest } from './crd-installation.ts';
export { type EventuallyOptions, eventually } from './eventually.ts';
export type { ApiCall, CallMatch, Verb } from './fake-api/api-request.ts';
export type { Fault, InitialEventsFault, LiveWatchFault, ResponseFault, WatchFault } from './fake-api/faults.ts';
export { FakeApiServer, type FakeApiServerOptions } from './fake-api-server.ts';
export { FakeClock } from './fake-clock.ts';
export { findFreePort } from './free-port.ts';
export { type LogRecord, RecordingLogger } from './recording-logger.ts';
export { type FakeWatch, RecordingTransport } from './recording-transport.ts';
export { type SelfSignedCertificate, selfSignedCertificate, writeCertificate } from './self-signed-certificate.ts';
export { type ObjectToStore, storedObject } from './stored-object.ts';
export { startTestEnvironment, TestEnvironment, type TestEnvironmentOptions } from './test-environment.ts';
export { startTestManager, type TestManager, type TestManagerOptions } from './test-manager.ts';
export {
  installWebhooks,
  uninstallWebhooks,
  type WebhookInstallation,
} from './webhook-installation.ts';
