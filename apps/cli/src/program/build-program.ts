import { Command as Program } from 'commander';
import { addAccessCommands } from '../access/access-commands.js';
import type { Runner } from '../command.js';
import { addDomainCommands } from '../domains/domain-program.js';
import { addProjectCommands } from '../projects/project-commands.js';
import { addStoreCommands } from '../store/store-commands.js';
import type { TerminalStreams } from '../terminal/terminal.js';

/** The version of this command, which is independent of the API version. */
const VERSION = '1.0.0';

const exitCodeHelp = `
Exit codes: 0 done, 1 internal error, 2 usage, 3 not yet (retry), 4 refused (change something first),
5 unauthorized, 6 unavailable, 130 interrupted. See docs/cli.md.`;

export interface ProgramParts {
  readonly streams: TerminalStreams;
  /** Receives the parser's error messages. */
  readonly onUsage: (text: string) => void;
  readonly runner: Runner;
}

export function buildProgram({ streams, onUsage, runner }: ProgramParts): Program {
  const program = new Program('pets')
    .description('Manage projects, custom domains and the pet store from the command line.')
    .version(VERSION)
    .option('--json', 'print one JSON document to standard output')
    .option('--api-url <url>', 'URL of the API (default: PETS_API_URL, then the saved login)')
    .option('--project <id>', 'project ID (default: PETS_PROJECT, then the saved login)')
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
