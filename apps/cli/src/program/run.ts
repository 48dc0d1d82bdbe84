import { readFileSync } from 'node:fs';
import { Command as Program, CommanderError } from 'commander';
import { addAccessCommands } from '../access/access-commands.js';
import { addPeopleCommands } from '../access/people-commands.js';
import { CommandContext, type Command, type Runner } from '../command.js';
import { addCompletionCommands } from '../completion/completion-commands.js';
import { addRedirectCommands } from '../domain-config/config-commands.js';
import { addDomainCommands } from '../domains/domain-program.js';
import { addSetupPageCommands } from '../domains/setup-commands.js';
import { addOpenCommand } from '../open/open-command.js';
import { addOriginCommands } from '../origin/origin-commands.js';
import { CommandFailure, exitCodes, report, type Report } from '../outcome/outcome.js';
import { addChannelCommands } from '../projects/channel-commands.js';
import { addProjectCommands } from '../projects/project-commands.js';
import {
  buildSourceOf,
  isApiGiven,
  resolveSettings,
  type CommandLineSettings,
  type Environment,
} from '../settings/settings.js';
import { configFilePath, findDevStack, readConfigFile } from '../settings/stored-settings.js';
import { addAnimalCommands, addOrderCommands } from '../store/store-commands.js';
import { CLEAR_LINE, Terminal, type TerminalStreams } from '../terminal/terminal.js';
import { addWebhookCommands } from '../webhooks/webhook-commands.js';
import { addExamples, failureSentence } from './command-texts.js';

export interface Run {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly streams: TerminalStreams;
}

/** Runs one command line to its end. @returns the exit code */
export async function run({ args, environment, streams }: Run): Promise<number> {
  const terminal = new Terminal(streams, wantsJson(args));
  const written: string[] = [];
  let ended = null as Report | null; // stays null when only help is shown
  const writeHelp = (text: string) => streams.stdout.write(text);
  let invoked = null as Program | null;
  const program = buildProgram({
    streams,
    onUsage: (text) => written.push(text),
    runner: (command) => async (given, options) => {
      ended = await runCommand(command, given, options, { terminal, environment, invoked });
    },
  });
  program.hook('preAction', (_program, command) => void (invoked = command));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    ended = reportUsage(error, written.join(''), writeHelp);
  }
  if (ended === null) return exitCodes.done;
  terminal.finish(ended);
  return exitCodes[ended.status];
}

/** Reports an interrupted command. */
export function interrupted({ args, streams }: Pick<Run, 'args' | 'streams'>): void {
  if (streams.stderr.isTTY) streams.stderr.write(CLEAR_LINE); // a status line, and ^C
  new Terminal(streams, wantsJson(args)).finish(report('interrupted', 'interrupted', 'Interrupted.'));
}

/** Checked before parsing, so that an invalid command line is reported in the requested format too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

interface Invocation {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** The command, for the sentence about its failure. */
  readonly invoked: Program | null;
}

async function runCommand<Arguments extends unknown[]>(
  command: Command<Arguments>,
  given: Arguments,
  options: CommandLineSettings,
  { terminal, environment, invoked }: Invocation,
): Promise<Report> {
  try {
    const configPath = configFilePath(environment);
    const stored = await readConfigFile(configPath);
    const stack =
      stored === null && !isApiGiven(options, environment) ? await findDevStack(environment.DATA_DIR) : null;
    const settings = resolveSettings(options, environment, stored ?? stack);
    const browser = environment.BROWSER || null;
    const stackFolder = stack?.folder ?? null;
    const showsIds = options.ids === true;
    const buildSource = buildSourceOf(environment);
    const parts = { terminal, settings, configPath, stackFolder, browser, showsIds, buildSource };
    return await command(new CommandContext(parts), ...given);
  } catch (error) {
    if (error instanceof CommandFailure)
      return { ...error.report, summary: failureSentence(invoked, error.report.summary ?? error.message) };
    const text = error instanceof Error ? error.message : String(error);
    return report('failed', 'internal', `Internal error: ${text}`);
  }
}

/** Null after `--help`, `--version`, or a group of commands alone, which shows its help too. */
function reportUsage(error: unknown, written: string, writeHelp: (text: string) => void): Report | null {
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode === 0) return null;
  if (error.code === 'commander.help') {
    writeHelp(written);
    return null;
  }
  const text = written
    .trim()
    .replaceAll('\n', ' ')
    .replace(/^error: /, '');
  const message = text || error.message;
  return report('usage', 'invalid_command_line', message, { summary: failureSentence(null, message) });
}

/** Written into the published package (`tools/packages/build.mjs`). */
declare const PACKAGE_VERSION: string | undefined;

/** The version of this command, which is independent of the API version. */
const VERSION = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : versionOfManifest();

const exitCodeHelp = `
Exit codes: 0 done, 1 internal error, 2 usage, 3 not yet (retry),
4 refused (change something first), 5 unauthorized, 6 unavailable,
130 interrupted. See docs/cli.md.

Examples:
  pets deploy ./site
  pets domains add docs.example.com`;

interface ProgramParts {
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
    .option('--ids', 'also show the IDs that no other command needs')
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
  addSetupPageCommands(program, runner);
  addRedirectCommands(program, runner);
  addProjectCommands(program, runner);
  addChannelCommands(program, runner);
  addOriginCommands(program, runner);
  addOpenCommand(program, runner);
  addWebhookCommands(program, runner);
  addAnimalCommands(program, runner);
  addOrderCommands(program, runner);
  addAccessCommands(program, runner);
  addPeopleCommands(program, runner);
  addCompletionCommands(program, runner);
  addExamples(program);
  return program;
}

function versionOfManifest(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string; // ours
  };
  return manifest.version;
}
