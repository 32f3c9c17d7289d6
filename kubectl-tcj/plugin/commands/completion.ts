import { oneOf } from 'controller-runtime';
import { type Command, UsageError } from '../command.ts';
import { SCRIPTS } from '../completion/scripts.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;

export const completionCommand: Command = {
  name: 'completion',
  description: 'Print the shell completion code for the specified shell.',
  argument: { name: 'shell', description: `One of ${SHELLS.join(', ')}.`, values: SHELLS },
  flags: [],
  examples: [
    { task: 'Print the executable that completes "kubectl tcj"', args: 'completion kubectl' },
    { task: 'Print the bash completion of kubectl-tcj, for source <(…) in ~/.bashrc', args: 'completion bash' },
  ],
  epilogue:
    'kubectl 1.26 and newer completes "kubectl tcj" if you set up completion of kubectl (see kubectl completion --help) and the executable ' +
    'kubectl_complete-tcj is in PATH. "completion kubectl" prints this executable. The first lines of the executable explain the installation. The npm ' +
    'package includes the executable. The code for bash, zsh and fish completes the command kubectl-tcj.',
  run: async ({ argument, terminal }) => {
    const shell = oneOf(SHELLS)(argument);
    if (shell.kind === 'invalid') throw new UsageError(`unknown shell "${argument}": ${shell.message}`);
    terminal.out(SCRIPTS[shell.value]);
    return 0;
  },
};
