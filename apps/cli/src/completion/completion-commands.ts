import { Argument, type Command as Program, type Option } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';

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

/** Prints a script without a message, which would appear at the start of each shell. */
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
 * Scripts with which each shell asks `pets __complete` for the words at the cursor. It prints one in each line, with a
 * tab and a description. Errors are not shown: nothing is completed then.
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

/** A word that can stand at the cursor. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Candidates at the cursor: words, or the names of files. */
type Completion = { readonly kind: 'words'; readonly candidates: readonly Candidate[] } | { readonly kind: 'files' };

/** Position in the tree of commands to which the words before the cursor lead. */
interface Position {
  readonly command: Program;
  /** The number of arguments before the cursor. */
  readonly index: number;
  /** The option whose value is at the cursor. */
  readonly option: Option | null;
}

/**
 * Lists the candidates at the cursor of a command line.
 * @param words those after `pets`, the last one up to the cursor, maybe empty
 */
export function complete(program: Program, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const { command, index, option } = locate(program, words.slice(0, -1));
  if (option !== null && !(option.variadic && typed.startsWith('-'))) return completeValue(option, typed);
  if (typed.startsWith('-')) return matching(typed, optionsAt(command).flatMap(flagsOf));
  if (command.commands.length > 0) return matching(typed, index > 0 ? [] : commandsBelow(command).map(nameOf));
  const argument = command.registeredArguments[index];
  return argument === undefined ? matching(typed, []) : completeValue(argument, typed);
}

function locate(program: Program, words: readonly string[]): Position {
  let command = program;
  let index = 0;
  let option: Option | null = null;
  for (const word of words) {
    const isVariadic = option?.variadic === true;
    if (option !== null && !(isVariadic && word.startsWith('-'))) {
      if (!isVariadic) option = null;
      continue;
    }
    option = null;
    if (word.startsWith('-')) {
      option = optionsAt(command).find((each) => [each.long, each.short].includes(word) && takesValue(each)) ?? null;
      continue;
    }
    const below = command.commands.find((each) => each.name() === word);
    if (below === undefined) index += 1;
    else [command, index] = [below, 0];
  }
  return { command, index, option };
}

/** Options of the command and of all above it. */
function optionsAt(command: Program): readonly Option[] {
  const help = command.createHelp();
  const above = command.parent === null ? [] : help.visibleGlobalOptions(command);
  return [...help.visibleOptions(command), ...above];
}

/** Subcommands without the command `help` of each group, since `--help` does the same. */
function commandsBelow(command: Program): readonly Program[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.filter((each) => each.parent === command && each.name() !== 'help');
}

const takesValue = ({ required, optional }: Option) => required || optional;

const nameOf = (command: Program): Candidate => ({ word: command.name(), description: command.description() });

const flagsOf = ({ long, short, description }: Option): readonly Candidate[] => {
  const word = long ?? short;
  return word === undefined ? [] : [{ word, description }];
};

/** Names of domains and ids are known to the API only, and completing must not wait for it. */
function completeValue(value: Option | Argument, typed: string): Completion {
  const choices = value.argChoices;
  if (choices !== undefined)
    return matching(
      typed,
      choices.map((word) => ({ word, description: '' })),
    );
  const placeholder = 'flags' in value ? value.flags : value.name();
  return /<?(?:file|dir)>?$/.test(placeholder) ? { kind: 'files' } : matching(typed, []);
}

function matching(typed: string, candidates: readonly Candidate[]): Completion {
  return { kind: 'words', candidates: candidates.filter(({ word }) => word.startsWith(typed)) };
}
