/**
 * Shell scripts that complete kubectl tcj with the protocol of cobra. The scripts for bash, zsh and fish request all candidates and
 * quote them. The completion script of kubectl can insert candidates without quotes, so it receives only candidates that need no
 * quotes.
 */
import { COMPLETION_REQUEST, QUOTED_COMPLETION_REQUEST } from './completion-requests.ts';

/** The bash script works without the package bash-completion. */
const BASH = `# bash completion of kubectl-tcj. In ~/.bashrc: source <(kubectl-tcj completion bash)
# For "kubectl tcj" see: kubectl-tcj completion kubectl

__kubectl_tcj_complete() {
  local words=() word index isGlued=
  for ((index = 1; index <= COMP_CWORD; index++)); do
    # Without -r, read removes backslashes like the shell.
    # shellcheck disable=SC2162
    IFS= read word <<<"\${COMP_WORDS[index]}"
    # Bash splits --output=json and a:b into three words.
    if [[ -n $isGlued || $word == [=:]* ]] && ((\${#words[@]} > 0)); then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word == *[=:] ]]; then isGlued=yes; else isGlued=; fi
  done
  local output candidate current=\${words[\${#words[@]} - 1]}
  output=$(kubectl-tcj ${QUOTED_COMPLETION_REQUEST} "\${words[@]}" 2>/dev/null) || return 0
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ $candidate == :* ]] || COMPREPLY+=("\${candidate%%$'\\t'*}")
  done <<<"$output"
  # Bash replaces only the text after the last colon.
  if [[ $current == -*=* ]]; then current=\${current#*=}; fi
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* && \${#COMPREPLY[@]} -gt 0 ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}")
  fi
  # Bash inserts the candidates without quotes.
  for index in "\${!COMPREPLY[@]}"; do
    printf -v 'COMPREPLY[index]' %q "\${COMPREPLY[index]}"
  done
  if [[ $output == *:4 ]]; then compopt +o default 2>/dev/null || return 0; fi
}

complete -o default -F __kubectl_tcj_complete kubectl-tcj
`;

const ZSH = `#compdef kubectl-tcj
# zsh completion of kubectl-tcj. In ~/.zshrc: source <(kubectl-tcj completion zsh)
# For "kubectl tcj" see: kubectl-tcj completion kubectl

_kubectl_tcj() {
  local output directive candidate text
  local -a lines candidates
  output=$(kubectl-tcj ${QUOTED_COMPLETION_REQUEST} "\${(@Q)words[2,CURRENT]}" 2>/dev/null) || return
  lines=("\${(@f)output}")
  directive=\${lines[-1]#:}
  for candidate in "\${(@)lines[1,-2]}"; do
    [[ -n $candidate ]] || continue
    text=\${candidate%%$'\\t'*}
    text=\${text//\\\\/\\\\\\\\}
    if [[ $candidate == *$'\\t'* ]]; then
      candidates+=("\${text//:/\\\\:}:\${candidate#*$'\\t'}")
    else
      candidates+=("\${text//:/\\\\:}")
    fi
  done
  # Complete only the value, without the flag before it.
  [[ $words[CURRENT] == -*=* ]] && compset -P '*='
  if (( \${#candidates} )); then
    _describe 'kubectl-tcj' candidates
  elif [[ $directive == 0 ]]; then
    _files
  fi
}

if [[ \${funcstack[1]} == _kubectl_tcj ]]; then
  _kubectl_tcj
else
  compdef _kubectl_tcj kubectl-tcj
fi
`;

const FISH = `# fish completion of kubectl-tcj. In ~/.config/fish/config.fish: kubectl-tcj completion fish | source
# For "kubectl tcj" see: kubectl-tcj completion kubectl

function __kubectl_tcj_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l output (kubectl-tcj ${QUOTED_COMPLETION_REQUEST} $words[2..-1] "$current" 2>/dev/null)
    or return
    set -l directive (string replace -r '^:' '' -- $output[-1])
    set -l prefix (string match -r -- '^-[^=]*=' "$current")
    if test (count $output) -gt 1
        for candidate in $output[1..-2]
            echo -- "$prefix$candidate"
        end
    else if test "$directive" = 0
        __fish_complete_path "$current"
    end
end

complete -c kubectl-tcj -f -a '(__kubectl_tcj_complete)'
`;

const KUBECTL = `#!/bin/sh
# kubectl 1.26 and newer runs this to complete "kubectl tcj", where kubectl itself is completed (kubectl completion --help).
# Put it as kubectl_complete-tcj into a folder of PATH:
#   kubectl tcj completion kubectl >~/.local/bin/kubectl_complete-tcj && chmod +x ~/.local/bin/kubectl_complete-tcj
exec kubectl-tcj ${COMPLETION_REQUEST} "$@"
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, kubectl: KUBECTL } as const;
