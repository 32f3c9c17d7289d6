import { type Signal, useSignal } from '@preact/signals';
import { createRunRequest } from '../../plugin/report/cron-job-changes.ts';
import { parseVariable } from '../../plugin/report/overrides.ts';
import { getCronJobKey } from '../model/cron-job-rows.ts';
import { usePageState } from '../page-state.ts';
import { ConfirmDialog, type DialogProps } from './confirm-dialog.tsx';

export function RunDialog(props: DialogProps) {
  const { cronJob, permissions } = props;
  const [argsText, envText] = [useSignal(''), useSignal('')];
  const request = createRunRequest(cronJob, usePageState().store.now.value);
  const [args, envLines] = [argsText, envText].map(({ value }) => splitLines(value));
  const invalidLine = envLines?.find((line) => parseVariable(line) === undefined);
  const env = envLines?.flatMap((line) => parseVariable(line) ?? []);
  const action =
    request.kind === 'ok' && invalidLine === undefined
      ? ({ name: 'run', body: { ...(args && { args }), ...(env && { env }) } } as const)
      : undefined;
  const { runOverrides = 'None' } = cronJob.spec;
  return (
    <ConfirmDialog {...props} title={`Run ${getCronJobKey(cronJob)} now?`} submitLabel="Run now" action={action}>
      {request.kind === 'unobserved' ? (
        <p>You cannot run it now: {request.message}.</p>
      ) : (
        <>
          <p>This {request.predicate}. The schedule does not change.</p>
          {/* The note is about an earlier annotation. A CronJobRun replaces no other request. */}
          {request.note !== undefined && !permissions.createRuns && <p>Note: {request.note}.</p>}
          {cronJob.spec.suspend === true && <p>It runs even though it is suspended.</p>}
          {permissions.createRuns && runOverrides !== 'None' && (
            <LinesField label="Other arguments of the first container, one per line" text={argsText} />
          )}
          {permissions.createRuns && runOverrides === 'ArgsAndEnv' && (
            <LinesField label="Environment variables to change or add, one NAME=VALUE per line" text={envText} />
          )}
          <p aria-live="polite">{invalidLine !== undefined && `Not a variable: ${invalidLine}. Use NAME=VALUE.`}</p>
        </>
      )}
    </ConfirmDialog>
  );
}

/** Returns `undefined` for an empty text. */
function splitLines(text: string): readonly string[] | undefined {
  return text === '' ? undefined : text.replace(/\n$/, '').split('\n');
}

function LinesField({ label, text }: { readonly label: string; readonly text: Signal<string> }) {
  return (
    <label class="field">
      {label}
      <textarea
        rows={2}
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget: { value } }) => (text.value = value)}
      />
    </label>
  );
}
