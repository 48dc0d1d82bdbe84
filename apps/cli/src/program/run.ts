import { CommanderError } from 'commander';
import { CommandContext, type Command } from '../command.js';
import { CommandFailure, exitCodes, report, type Report } from '../outcome/outcome.js';
import { configFilePath, findDevStack, readConfigFile } from '../settings/stored-settings.js';
import { isApiGiven, resolveSettings, type CommandLineSettings, type Environment } from '../settings/settings.js';
import { Terminal, type TerminalStreams } from '../terminal/terminal.js';
import { buildProgram } from './build-program.js';

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
  const program = buildProgram({
    streams,
    onUsage: (text) => written.push(text),
    runner: (command) => async (given, options) => {
      ended = await runCommand(command, given, options, { terminal, environment });
    },
  });
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
  new Terminal(streams, wantsJson(args)).finish(report('interrupted', 'interrupted', 'Interrupted.'));
}

/** Checked before parsing, so that an invalid command line is reported in the requested format too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

async function runCommand<Arguments extends unknown[]>(
  command: Command<Arguments>,
  given: Arguments,
  options: CommandLineSettings,
  { terminal, environment }: { readonly terminal: Terminal; readonly environment: Environment },
): Promise<Report> {
  try {
    const configPath = configFilePath(environment);
    const stored = await readConfigFile(configPath);
    const stack =
      stored === null && !isApiGiven(options, environment) ? await findDevStack(environment.DATA_DIR) : null;
    const settings = resolveSettings(options, environment, stored ?? stack);
    const browser = environment.BROWSER || null;
    const stackFolder = stack?.folder ?? null;
    return await command(new CommandContext({ terminal, settings, configPath, stackFolder, browser }), ...given);
  } catch (error) {
    if (error instanceof CommandFailure) return error.report;
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
  return report('usage', 'invalid_command_line', text || error.message);
}
