/** A CronJob that is deleted while a pass over it is under way. */
import { RecordingLogger } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { AdmissionGate, JOB_CREATES, STATUS_WRITES } from '../support/admission-gate.ts';
import { Scene } from '../support/scene.ts';

describe('a CronJob that is deleted while a pass is under way', () => {
  test.each([
    { what: 'its status write', rule: STATUS_WRITES },
    { what: 'the create of its Job', rule: JOB_CREATES },
  ])('is no error: $what is answered after the delete', async ({ rule }) => {
    await using scene = await Scene.open();
    const { client, namespace } = scene;
    await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [rule] });
    const log = new RecordingLogger();
    const manager = await scene.startManager({ log });
    await scene.createCronJob();
    await scene.observed();
    gate.verdict = () => 'hold';
    await scene.passNextMinute();
    await scene.eventually(async () => expect(gate.held).toBe(1));
    await client.delete(cronJobs, { namespace, name: 'hello' });
    gate.allowAll();
    // The status write, before or after, meets an object that is gone.
    await scene.eventually(async () => {
      expect(manager.requests('PUT', /hello\/status$/).map(({ outcome }) => outcome)).toContain('refused');
    });
    await scene.createCronJob({ suspend: true }, 'witness');
    await scene.observed('witness');
    expect(log.errors).toEqual([]);
  });
});
