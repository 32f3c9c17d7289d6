import { oneOf } from 'controller-runtime';
import { type Command, UsageError } from '../command.ts';
import { SCRIPTS } from '../completion/scripts.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;

export const completionCommand: Command = {
  name: 'completion',
  description: 'Prints the script with which a shell completes kubectl tcj.',
  argument: { name: 'shell', description: `One of ${SHELLS.join(', ')}.`, values: SHELLS },
  flags: [],
  examples: [
    { wish: 'for kubectl tcj: kubectl runs kubectl_complete-tcj of PATH', line: 'completion kubectl' },
    { wish: 'for kubectl-tcj in bash: source <(kubectl-tcj completion bash)', line: 'completion bash' },
  ],
  run: async ({ argument, terminal }) => {
    const shell = oneOf(SHELLS)(argument);
    if (shell.kind === 'invalid') throw new UsageError(`"${argument}" is not known: ${shell.message}`);
    terminal.out(SCRIPTS[shell.value]);
    return 0;
  },
};
