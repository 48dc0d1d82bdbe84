import { readFileSync } from 'node:fs';
import { Command as Program } from 'commander';
import { addAccessCommands } from '../access/access-commands.js';
import { addPeopleCommands } from '../access/people-commands.js';
import type { Runner } from '../command.js';
import { addCompletionCommands } from '../completion/completion-commands.js';
import { addDomainCommands } from '../domains/domain-program.js';
import { addProjectCommands } from '../projects/project-commands.js';
import { addRedirectCommands } from '../domain-config/config-commands.js';
import { addOpenCommand } from '../open/open-command.js';
import { addAnimalCommands } from '../store/animal-commands.js';
import { addOrderCommands } from '../store/order-commands.js';
import type { TerminalStreams } from '../terminal/terminal.js';
import { addWebhookCommands } from '../webhooks/webhook-commands.js';

/** Written into the published package (`tools/packages/build.mjs`). */
declare const PACKAGE_VERSION: string | undefined;

/** The version of this command, which is independent of the API version. */
const VERSION = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : versionOfManifest();

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
    .option(
      '--project <project>',
      'ID or slug of the project (default: PETS_PROJECT, then the saved login, then the only one)',
    )
    .addHelpText('after', exitCodeHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => streams.stdout.write(text), writeErr: onUsage })
    .showSuggestionAfterError()
    .exitOverride();
  addDomainCommands(program, runner);
  addRedirectCommands(program, runner);
  addProjectCommands(program, runner);
  addOpenCommand(program, runner);
  addWebhookCommands(program, runner);
  addAnimalCommands(program, runner);
  addOrderCommands(program, runner);
  addAccessCommands(program, runner);
  addPeopleCommands(program, runner);
  addCompletionCommands(program, runner);
  return program;
}

function versionOfManifest(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string; // ours
  };
  return manifest.version;
}
