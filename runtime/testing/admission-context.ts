import type { AdmissionContext } from '../webhook/admission.ts';
import { RecordingLogger } from './recording-logger.ts';

/** A context for tests: a create in `default` at the beginning of 2026, from the API server. */
export function admissionContext(differences: Partial<AdmissionContext> = {}): AdmissionContext {
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
    ...differences,
  };
}
