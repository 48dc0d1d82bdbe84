import { Argument, type Command as Program } from 'commander';
import type { Command, Runner } from '../command.js';
import { report } from '../outcome/outcome.js';
import { complete } from './complete.js';
import { FILES, shellScripts, type Shell } from './shell-scripts.js';

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
