import { Api } from './api/api.js';
import { usageFailure, type Report } from './outcome/outcome.js';
import { requireProjectId, type CommandLineSettings, type Settings } from './settings/settings.js';
import type { Terminal } from './terminal/terminal.js';

/** The dependencies of every command. */
export class CommandContext {
  constructor(
    readonly terminal: Terminal,
    readonly settings: Settings,
    readonly configPath: string,
  ) {}

  /** @throws CommandFailure when the API URL or the key is missing */
  get api(): Api {
    const { apiUrl, apiKey } = this.settings;
    if (apiUrl === null)
      throw usageFailure('api_url_missing', 'No API URL: run pets login, pass --api-url URL, or set PETS_API_URL.');
    if (apiKey === null)
      throw usageFailure('api_key_missing', `No API key for ${apiUrl}: run pets login or set PETS_API_KEY.`);
    // The error of an invalid header would show the key.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw usageFailure('api_key_malformed', 'The API key contains invalid characters.');
    return new Api({ apiUrl, apiKey });
  }

  /** @throws CommandFailure when no project is set */
  get projectId(): string {
    return requireProjectId(this.settings);
  }
}

/** Runs a command and reports its outcome. */
export type Command<Arguments extends unknown[]> = (context: CommandContext, ...args: Arguments) => Promise<Report>;

/** Turns a command into an action of the parser. */
export type Runner = <Arguments extends unknown[]>(
  command: Command<Arguments>,
) => (args: Arguments, settings: CommandLineSettings) => Promise<void>;
