export { admissionContext } from './admission-context.ts';
export {
  admissionReview,
  postReview,
  type ReviewAnswer,
  type ReviewOptions,
  type ReviewPost,
} from './admission-reviews.ts';
export { type EventuallyOptions, eventually } from './eventually.ts';
export { FakeApiServer, type FakeApiServerOptions } from './fake-api-server.ts';
export { FakeClock } from './fake-clock.ts';
export { type LogRecord, RecordingLogger } from './recording-logger.ts';
export { FedWatch, RecordingTransport } from './recording-transport.ts';
export { type SelfSignedCertificate, selfSignedCertificate, writeCertificate } from './self-signed-certificate.ts';
