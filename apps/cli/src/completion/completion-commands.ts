import { Argument, type Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { complete } from './complete.js';

/** `pets completion`, and `pets __complete`, which its scripts run. */
export function addCompletionCommands(program: Program, runner: Runner): void {
  program
    .command('completion')
    .description('print the script that completes commands in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(shellScripts)))
    .action((shell: Shell, _options: object, command: Program) =>
      runner(printScript)([shell], command.optsWithGlobals()),
    );
  program
    .command('__complete', { hidden: true })
    .argument('[words...]', 'the words of the command line up to the cursor')
    .action((words: readonly string[], _options: object, command: Program) =>
      runner(printCandidates)([program, words], command.optsWithGlobals()),
    );
}

/** Without a message: it would appear at the start of each shell. */
const printScript: Command<[shell: Shell]> = async (_context, shell) =>
  report('done', 'printed', '', { result: shellScripts[shell], text: shellScripts[shell].trimEnd() });

const printCandidates: Command<[program: Program, words: readonly string[]]> = async (_context, program, words) => {
  const completion = complete(program, words);
  const lines =
    completion.kind === 'files'
      ? [FILES]
      : completion.candidates.map(({ word, description }) => (description === '' ? word : `${word}\t${description}`));
  return report('done', 'completed', '', { result: completion, text: lines.join('\n') });
};

/** The word that `pets __complete` prints where the shell has to complete names of files. */
const FILES = '<files>';

/**
 * What each shell needs to ask `pets __complete` for the words at the cursor. It prints one in each line, with a tab and a
 * description. Errors are not shown: nothing is completed then.
 */
const shellScripts = {
  bash: `# Completion of pets for Bash. Add to ~/.bashrc: source <(pets completion bash)
_pets() {
  local line="\${COMP_LINE:0:COMP_POINT}" word typed colons
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  typed="\${words[-1]}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == '${FILES}' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$typed")
    else
      COMPREPLY+=("$word")
    fi
  done < <(pets __complete -- "\${words[@]:1}" 2>/dev/null)
  # Bash begins a new word after a colon, and replaces only that.
  if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
    colons="\${typed%"\${typed##*:}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$colons"}")
  fi
}
complete -F _pets pets
`,
  zsh: `#compdef pets
# Completion of pets for Zsh. Add to ~/.zshrc, after compinit: source <(pets completion zsh)
_pets() {
  local word description
  local -a candidates
  while IFS=$'\\t' read -r word description; do
    if [[ $word == '${FILES}' ]]; then
      _files
    else
      candidates+=("\${word//:/\\\\:}:$description")
    fi
  done < <(pets __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} > 0 )) && _describe -V 'pets' candidates
}
if [[ $funcstack[1] == _pets ]]; then _pets; else compdef _pets pets; fi
`,
  fish: `# Completion of pets for fish. Write to ~/.config/fish/completions/pets.fish
function __pets_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  for line in (pets __complete -- $words[2..-1] $typed 2>/dev/null)
    if test $line = '${FILES}'
      __fish_complete_path $typed
    else
      echo $line
    end
  end
end
complete -c pets -f -k -a '(__pets_complete)'
`,
} as const;

type Shell = keyof typeof shellScripts;
