import { usageFailure } from '../outcome/outcome.js';
import type { StoredSettings } from './config-file.js';
import type { Environment } from './environment.js';

/** What every command may be told on its line. */
export interface GivenSettings {
  readonly apiUrl?: string | undefined;
  readonly project?: string | undefined;
}

/** Null: nobody has said. */
export interface Settings {
  readonly apiUrl: string | null;
  readonly apiKey: string | null;
  readonly projectId: string | null;
}

/**
 * An argument goes before the environment, and that before the file. The key and the project of the file are those of
 * the file's API: another address never gets them.
 */
export function chooseSettings(
  given: GivenSettings,
  environment: Environment,
  stored: StoredSettings | null,
): Settings {
  const apiUrl = given.apiUrl || environment.PETS_API_URL || stored?.apiUrl || null;
  const normal = apiUrl === null ? null : parseApiUrl(apiUrl);
  const kept = stored !== null && normal === parseApiUrl(stored.apiUrl) ? stored : null;
  return {
    apiUrl: normal,
    apiKey: environment.PETS_API_KEY || kept?.apiKey || null,
    projectId: given.project || environment.PETS_PROJECT || kept?.projectId || null,
  };
}

/** @throws CommandFailure `usage` */
export function parseApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw usageFailure('invalid_api_url', 'Invalid API URL: use a URL such as https://api.pets.example.');
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether a text stays one step of a path in a URL. */
export function isPathStep(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** @throws CommandFailure `usage` where no project is named */
export function projectOf({ projectId }: Settings): string {
  if (projectId !== null && isPathStep(projectId)) return projectId;
  throw usageFailure('project_missing', 'No project: pass --project ID or set PETS_PROJECT.');
}
