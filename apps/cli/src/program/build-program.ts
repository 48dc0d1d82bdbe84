import { Command as Program } from 'commander';
import type { TerminalStreams } from '../terminal/terminal.js';
import { addAccessCommands } from './access-program.js';
import { addDomainCommands } from './domain-program.js';
import { addProjectCommands } from './project-program.js';
import { addStoreCommands } from './store-program.js';
import type { Runner } from './runner.js';

/** Of this command; that of the HTTP interface is its own. */
const VERSION = '1.0.0';

const exitCodeHelp = `
Exit codes: 0 done, 2 usage, 3 not yet, 4 refused (something has to be changed), 5 no good API key,
6 no answer, 130 interrupted, 1 a fault of this program. All of it: docs/cli.md`;

export interface ProgramParts {
  readonly streams: TerminalStreams;
  /** Given what would be written of a mistaken command line. */
  readonly onUsage: (text: string) => void;
  readonly runner: Runner;
}

/** The command line: what can be said, and what is then done. */
export function buildProgram({ streams, onUsage, runner }: ProgramParts): Program {
  const program = new Program('pets')
    .description('The animal store and the custom domains of its projects, from the command line.')
    .version(VERSION)
    .option('--json', 'print one JSON document on standard output, whatever happens')
    .option('--api-url <url>', 'where the API is (or PETS_API_URL, or what pets login keeps)')
    .option('--project <id>', 'the project (or PETS_PROJECT, or what pets login keeps)')
    .addHelpText('after', exitCodeHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => streams.stdout.write(text), writeErr: onUsage })
    .showSuggestionAfterError()
    .exitOverride();
  addDomainCommands(program, runner);
  addProjectCommands(program, runner);
  addStoreCommands(program, runner);
  addAccessCommands(program, runner);
  return program;
}
