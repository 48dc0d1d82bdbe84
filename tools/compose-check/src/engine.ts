/** What runs containers here. */
export interface Engine {
  readonly name: string;
  /** Builds the images of docker-compose.yml, and what they are built from where that cannot be had. */
  buildImages(environmentFile: string): Promise<void>;
  /** Runs a command of compose with `environmentFile` as its `.env`, and answers what it printed. */
  compose(environmentFile: string, args: readonly string[], timeoutMs: number): Promise<string>;
  close(): Promise<void>;
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
