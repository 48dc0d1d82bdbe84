import { newDeploymentSchema } from '@pets/contracts';
import { z } from 'zod';
import { usageFailure } from '../outcome/outcome.js';

/** Variables that GitHub Actions and GitLab CI set in every job. */
const buildVariables = {
  /** The branch of a pull request; empty in other runs. */
  GITHUB_HEAD_REF: z.string().optional(),
  GITHUB_REF_NAME: z.string().optional(),
  GITHUB_SHA: z.string().optional(),
  GITHUB_SERVER_URL: z.string().optional(),
  GITHUB_REPOSITORY: z.string().optional(),
  GITHUB_RUN_ID: z.string().optional(),
  CI_COMMIT_REF_NAME: z.string().optional(),
  CI_COMMIT_SHA: z.string().optional(),
  CI_PIPELINE_URL: z.string().optional(),
} as const;

type BuildEnvironment = Readonly<Partial<Record<keyof typeof buildVariables, string | undefined>>>;

/** Branch, commit and URL of the run that built what is deployed, as the API takes them. */
export type BuildSource = Partial<Record<'branch' | 'commit' | 'sourceUrl', string>>;

/** Empty outside of CI. Values that the API would refuse are left out. */
export function buildSourceOf(environment: BuildEnvironment): BuildSource {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  const runUrl = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
  const given = {
    branch: environment.GITHUB_HEAD_REF || environment.GITHUB_REF_NAME || environment.CI_COMMIT_REF_NAME,
    commit: environment.GITHUB_SHA || environment.CI_COMMIT_SHA,
    sourceUrl: runUrl ?? environment.CI_PIPELINE_URL,
  };
  const { branch, commit, sourceUrl } = newDeploymentSchema.shape;
  return Object.fromEntries(
    Object.entries({ branch, commit, sourceUrl }).flatMap(([name, schema]) => {
      const { data } = schema.safeParse(given[name as keyof typeof given]); // a key of the object above
      return data === undefined ? [] : [[name, data]];
    }),
  );
}

/** An empty variable counts as unset. */
export const environmentSchema = z.object({
  /** The URL of the API. */
  PETS_API_URL: z.string().optional(),
  /** The API key. There is no argument for it: every user of the machine can read arguments. */
  PETS_API_KEY: z.string().optional(),
  /** The project: its ID or slug. */
  PETS_PROJECT: z.string().optional(),
  /** The data folder of the development stack, as for `npm start`. Default: `.data`. */
  DATA_DIR: z.string().optional(),
  /** The parent folder of the configuration file. Default: `~/.config`. */
  XDG_CONFIG_HOME: z.string().optional(),
  /** The program that `pets open` starts. Default: the one of the system. */
  BROWSER: z.string().optional(),
  ...buildVariables,
});

export type Environment = z.infer<typeof environmentSchema>;

export const storedSettingsSchema = z.strictObject({
  apiUrl: z.string(),
  apiKey: z.string(),
  projectId: z.string().optional(),
});

/** The settings that `pets login` saves. */
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** Settings on the command line, which every command accepts. */
export interface CommandLineSettings {
  readonly apiUrl?: string | undefined;
  readonly project?: string | undefined;
  /** Whether tables and lists have ids that no other command needs. */
  readonly ids?: boolean | undefined;
}

/** Null: not set anywhere. */
export interface Settings {
  readonly apiUrl: string | null;
  readonly apiKey: string | null;
  readonly apiKeySource: 'environment' | 'stored' | null;
  /** ID or slug. */
  readonly project: string | null;
}

/**
 * The command line overrides the environment, which overrides the configuration file. The key and the project of the
 * file are used only with the API URL of the file: another address never receives them.
 */
export function resolveSettings(
  commandLine: CommandLineSettings,
  environment: Environment,
  stored: StoredSettings | null,
): Settings {
  const apiUrl = commandLine.apiUrl || environment.PETS_API_URL || stored?.apiUrl || null;
  const normalized = apiUrl === null ? null : parseApiUrl(apiUrl);
  const applicable = stored !== null && normalized === parseApiUrl(stored.apiUrl) ? stored : null;
  return {
    apiUrl: normalized,
    apiKey: environment.PETS_API_KEY || applicable?.apiKey || null,
    apiKeySource: environment.PETS_API_KEY ? 'environment' : applicable === null ? null : 'stored',
    project: commandLine.project || environment.PETS_PROJECT || applicable?.projectId || null,
  };
}

/** @throws CommandFailure `usage` */
export function parseApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw usageFailure('invalid_api_url', 'Invalid API URL: use a URL such as https://api.pets.example.');
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether the address or the key comes from the command line or the environment. */
export function isApiGiven({ apiUrl }: CommandLineSettings, { PETS_API_URL, PETS_API_KEY }: Environment): boolean {
  return [apiUrl, PETS_API_URL, PETS_API_KEY].some((text) => text !== undefined && text !== '');
}

/** Whether a text is safe as one segment of a URL path. */
export function isPathSegment(text: string): boolean {
  return !['', '.', '..'].includes(text);
}
