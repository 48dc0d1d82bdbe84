import type { components } from '@pets/client';
import { scopes, type ApiKey } from '@pets/contracts';
import { ApiFailure, type Api } from '../api/api.js';
import type { Command, CommandContext } from '../command.js';
import { CommandFailure, report } from '../outcome/outcome.js';
import type { Project } from '../projects/find-project.js';
import { presentFacts } from '../terminal/facts.js';

type Organization = components['schemas']['Organization'];

/** The organization, key and project that other commands use, and where they come from. */
export const whoami: Command<[]> = async (context) => {
  const { api, settings } = context;
  const organization: Organization = await api.data(api.http.GET('/v1/organization'));
  const display = displayOf(api.access.apiKey);
  const key = await findKey(api, display);
  const project = await findProjectOrNull(context);
  const source = sourceOf(context);
  const text = presentFacts([
    ['organization', `${organization.name} (${organization.id})`],
    ['plan', organization.plan],
    ['API', settings.apiUrl],
    ['key', `${key === null ? display : `${display} "${key.name}"`}, from ${source}`],
    ['scopes', key?.scopes.length === scopes.length ? 'all' : key?.scopes.join(' ')],
    ['expires', key?.expiresAt],
    ...(organization.notices ?? []).map(({ message }): readonly [string, string] => ['notice', message]),
    ['project', project === null ? 'none: pass --project' : `${project.slug} (${project.id})`],
  ]);
  const result = { organization, apiUrl: settings.apiUrl, key: key ?? { display }, source, project };
  return report('done', 'known', `You act for ${organization.name}.`, { result, text });
};

/** As the API shows it in the list of keys. */
function displayOf(key: string): string {
  return `${key.slice(0, 'pets_live_'.length)}…${key.slice(-4)}`;
}

/** Null for a key that may not list keys, and where several look alike. */
async function findKey(api: Api, display: string): Promise<ApiKey | null> {
  try {
    const keys: readonly ApiKey[] = await api.allPages((page) =>
      api.http.GET('/v1/api-keys', { params: { query: page } }),
    );
    const [key, another] = keys.filter((each) => each.display === display && each.revokedAt === null);
    return key === undefined || another !== undefined ? null : key;
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'forbidden') return null;
    throw error;
  }
}

/** Null where there are none or several. */
async function findProjectOrNull({ findProject }: CommandContext): Promise<Project | null> {
  try {
    return await findProject();
  } catch (error) {
    if (error instanceof CommandFailure && error.report.reason === 'project_missing') return null;
    throw error;
  }
}

function sourceOf({ settings, stackFolder, configPath }: CommandContext): string {
  if (settings.apiKeySource === 'environment') return 'PETS_API_KEY';
  return stackFolder === null ? configPath : `the development stack in ${stackFolder}`;
}
