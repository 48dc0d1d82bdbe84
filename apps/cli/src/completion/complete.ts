import type { Argument, Command as Program, Option } from 'commander';

/** A word that can stand at the cursor. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** What can stand at the cursor: words, or the names of files. */
export type Completion =
  { readonly kind: 'words'; readonly candidates: readonly Candidate[] } | { readonly kind: 'files' };

/** Where the words before the cursor lead in the tree of commands. */
interface Position {
  readonly command: Program;
  /** The number of arguments before the cursor. */
  readonly index: number;
  /** The option whose value is at the cursor. */
  readonly option: Option | null;
}

/**
 * What can stand at the cursor of a command line.
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

/** Those of the command and of all above it. */
function optionsAt(command: Program): readonly Option[] {
  const help = command.createHelp();
  const above = command.parent === null ? [] : help.visibleGlobalOptions(command);
  return [...help.visibleOptions(command), ...above];
}

/** Without the command `help` of each group, since `--help` does the same. */
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
