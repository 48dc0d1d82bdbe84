import { Api } from './api/api.js';
import { usageFailure, type Report } from './outcome/outcome.js';
import { findOnlyProject, findProject, isProjectId, type Project } from './projects/find-project.js';
import type { BuildSource, CommandLineSettings, Settings } from './settings/settings.js';
import type { Terminal } from './terminal/terminal.js';

export interface ContextParts {
  readonly terminal: Terminal;
  readonly settings: Settings;
  readonly configPath: string;
  /** The data folder of the development stack from which the settings come; null if they do not. */
  readonly stackFolder: string | null;
  /** The program that opens pages, if one is set. */
  readonly browser: string | null;
  /** Whether tables and lists have ids that no other command needs. */
  readonly showsIds: boolean;
  /** Empty outside of CI. */
  readonly buildSource: BuildSource;
}

/** The dependencies of every command. */
export class CommandContext {
  readonly terminal: Terminal;
  readonly settings: Settings;
  readonly configPath: string;
  readonly stackFolder: string | null;
  readonly browser: string | null;
  readonly showsIds: boolean;
  readonly buildSource: BuildSource;
  #api: Api | null = null;
  #projectId: Promise<string> | null = null;

  constructor({ terminal, settings, configPath, stackFolder, browser, showsIds, buildSource }: ContextParts) {
    this.terminal = terminal;
    this.settings = settings;
    this.configPath = configPath;
    this.stackFolder = stackFolder;
    this.browser = browser;
    this.showsIds = showsIds;
    this.buildSource = buildSource;
  }

  /** @throws CommandFailure when the API URL or the key is missing */
  get api(): Api {
    this.#api ??= this.#openApi();
    return this.#api;
  }

  /** The project that was given by its id or slug, or the only one. @throws CommandFailure when there is none */
  readonly findProject = (): Promise<Project> => {
    const { project } = this.settings;
    return project === null ? findOnlyProject(this.api) : findProject(this.api, project);
  };

  /** The id of that project, without a request if it was given. @throws CommandFailure when there is none */
  readonly findProjectId = (): Promise<string> => {
    const { project } = this.settings;
    if (project !== null && isProjectId(project)) return Promise.resolve(project);
    this.#projectId ??= this.findProject().then(({ id }) => id);
    return this.#projectId;
  };

  #openApi(): Api {
    const { apiUrl, apiKey } = this.settings;
    if (apiUrl === null)
      throw usageFailure('api_url_missing', 'No API URL: run pets login, pass --api-url URL, or set PETS_API_URL.');
    if (apiKey === null)
      throw usageFailure('api_key_missing', `No API key for ${apiUrl}: run pets login or set PETS_API_KEY.`);
    // The error of an invalid header would show the key.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw usageFailure('api_key_malformed', 'The API key contains invalid characters.');
    if (this.stackFolder !== null) this.terminal.note(`using the development stack in ${this.stackFolder} (${apiUrl})`);
    return new Api({ apiUrl, apiKey });
  }
}

/** Runs a command and reports its outcome. */
export type Command<Arguments extends unknown[]> = (context: CommandContext, ...args: Arguments) => Promise<Report>;

/** Turns a command into an action of the parser. */
export type Runner = <Arguments extends unknown[]>(
  command: Command<Arguments>,
) => (args: Arguments, settings: CommandLineSettings) => Promise<void>;
