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
    { wish: 'for kubectl tcj, to be written into kubectl_complete-tcj', line: 'completion kubectl' },
    { wish: 'for kubectl-tcj in bash: source <(kubectl-tcj completion bash)', line: 'completion bash' },
  ],
  epilogue:
    'kubectl 1.26 and newer completes "kubectl tcj" in every shell in which kubectl itself is completed (kubectl completion --help), when it ' +
    'finds the executable kubectl_complete-tcj in PATH. The script for kubectl is that executable, and begins with the commands that install ' +
    'it; the package of npm brings it along. The scripts for bash, zsh and fish complete kubectl-tcj, the plugin called by its own name.',
  run: async ({ argument, terminal }) => {
    const shell = oneOf(SHELLS)(argument);
    if (shell.kind === 'invalid') throw new UsageError(`"${argument}" is not known: ${shell.message}`);
    terminal.out(SCRIPTS[shell.value]);
    return 0;
  },
};
