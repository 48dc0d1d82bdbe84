import { Api } from './api/api.js';
import { usageFailure, type Report } from './outcome/outcome.js';
import { projectOf, type Settings } from './settings/settings.js';
import type { Terminal } from './terminal/terminal.js';

/** What every command is given besides its own arguments. */
export class CommandContext {
  constructor(
    readonly terminal: Terminal,
    readonly settings: Settings,
    readonly configPath: string,
  ) {}

  /** @throws CommandFailure where it is not known which API, or with which key */
  get api(): Api {
    const { apiUrl, apiKey } = this.settings;
    if (apiUrl === null)
      throw usageFailure('api_url_missing', 'No API URL: run pets login, pass --api-url URL, or set PETS_API_URL.');
    if (apiKey === null)
      throw usageFailure('api_key_missing', `No API key for ${apiUrl}: run pets login or set PETS_API_KEY.`);
    // What a header cannot carry would come back in an error, and be shown.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw usageFailure('api_key_malformed', 'The API key contains invalid characters.');
    return new Api({ apiUrl, apiKey });
  }

  /** @throws CommandFailure where no project is named */
  get projectId(): string {
    return projectOf(this.settings);
  }
}

/** Does what a command is for, and reports how that ended. */
export type Command<Arguments extends unknown[]> = (context: CommandContext, ...given: Arguments) => Promise<Report>;
