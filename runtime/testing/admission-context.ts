import type { AdmissionContext } from '../webhook/admission.ts';
import { RecordingLogger } from './recording-logger.ts';

/**
 * Returns a context for tests of webhooks. By default, the context is for the creation of an object in the namespace
 * `default` on 2026-01-01.
 */
export function admissionContext(overrides: Partial<AdmissionContext> = {}): AdmissionContext {
  return {
    operation: 'CREATE',
    subResource: undefined,
    namespace: 'default',
    user: { username: 'tester', uid: '', groups: [], extra: {} },
    isCallerVerified: true,
    fieldManager: undefined,
    isDryRun: false,
    now: new Date('2026-01-01T00:00:00Z'),
    signal: new AbortController().signal,
    log: new RecordingLogger(),
    ...overrides,
  };
}
