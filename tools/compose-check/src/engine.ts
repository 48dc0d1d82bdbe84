import type { CommandOptions } from './run-command.js';

/** What runs containers here. */
export interface Engine {
  readonly name: string;
  /** Whether `compose run` works: not with Podman and version 1 of Compose. */
  readonly canRun: boolean;
  /** Builds the images of docker-compose.yml, and what they are built from where that cannot be had. */
  buildImages(environmentFile: string): Promise<void>;
  /** Runs a command of compose with `environmentFile` as its `.env`, and answers what it printed. */
  compose(environmentFile: string, args: readonly string[], options: ComposeOptions): Promise<string>;
  close(): Promise<void>;
}

export interface ComposeOptions extends Pick<CommandOptions, 'timeoutMs' | 'input'> {
  /** A file on top of docker-compose.yml. */
  readonly alsoFile?: string;
}

/** What an engine finds around it. */
export interface EngineEnvironment {
  readonly repositoryRoot: string;
  /** For the commands that are run. */
  readonly env: Readonly<Record<string, string>>;
  /** The npm that runs this: `…/npm/bin/npm-cli.js`. */
  readonly npmCli: string;
  /** A folder that goes away at the end. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}
