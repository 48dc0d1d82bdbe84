import { randomUUID } from 'node:crypto';
import type { components } from '@pets/client';
import { scopes, type ApiKey, type CreatedApiKey, type Scope } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import { ApiFailure, type Api } from '../api/api.js';
import { CommandContext, type Command, type Runner } from '../command.js';
import { CommandFailure, report, usageFailure } from '../outcome/outcome.js';
import { parsePathSegment } from '../program/arguments.js';
import type { Project } from '../projects/find-project.js';
import { removeConfigFile, writeConfigFile } from '../settings/stored-settings.js';
import { pluralize, presentFacts, type Facts } from '../terminal/format.js';
import { readSecret } from '../terminal/prompt.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';

/** `pets keys …`, `pets login`, `pets whoami` and `pets logout` */
export function addAccessCommands(program: Program, runner: Runner): void {
  const keys = program.command('keys').description('manage API keys');
  keys
    .command('list')
    .description('list the API keys of the organization')
    .action((_options: object, command: Program) => runner(listKeys)([], command.optsWithGlobals()));
  keys
    .command('create')
    .description('create an API key; the key is shown only once')
    .argument('<name>', 'name of the key')
    .addOption(
      new Option('--scope <scope...>', 'scopes of the key, at most those of your own key')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'expiry time, for example 2027-11-02T00:00:00Z')
    .action((name: string, options: { scope: Scope[]; expires?: string }, command: Program) =>
      runner(createKey)([name, options], command.optsWithGlobals()),
    );
  keys
    .command('revoke')
    .description('revoke an API key')
    .argument('<id>', 'ID of the key, from pets keys list', parsePathSegment)
    .option('--leaked', 'report the key as leaked: owners are notified, and you need none of its scopes')
    .action((id: string, options: { leaked?: true }, command: Program) =>
      runner(revokeKey)([id, options], command.optsWithGlobals()),
    );
  program
    .command('login')
    .description('save an API key for later commands, read from standard input or a hidden prompt')
    .action((_options: object, command: Program) => runner(login)([], command.optsWithGlobals()));
  program
    .command('whoami')
    .description('show the organization, the key and the project that commands use')
    .action((_options: object, command: Program) => runner(whoami)([], command.optsWithGlobals()));
  program
    .command('logout')
    .description('delete the saved API key')
    .action((_options: object, command: Program) => runner(logout)([], command.optsWithGlobals()));
}

const listKeys: Command<[]> = async ({ api, terminal }) => {
  const keys: readonly ApiKey[] = await api.allPages((query) => api.http.GET('/v1/api-keys', { params: { query } }));
  const rows = keys.map(({ id, name, display, scopes, expiresAt, lastUsedAt, revokedAt, createdBy, person }) => [
    id,
    name,
    display,
    revokedAt === null ? timeOrNothing(expiresAt, terminal) : `revoked ${terminal.time(revokedAt)}`,
    timeOrNothing(lastUsedAt, terminal),
    creatorOf(createdBy, person),
    scopes.join(' '),
  ]);
  const text = table(['ID', 'NAME', 'KEY', 'EXPIRES', 'LAST USED', 'CREATED BY', 'SCOPES'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(keys.length, 'key')}.`, { result: keys, text });
};

function timeOrNothing(instant: string | null, { time }: Style): string {
  return instant === null ? '' : time(instant);
}

function creatorOf(createdBy: ApiKey['createdBy'], person: ApiKey['person']): string {
  const creator = createdBy.display ?? createdBy.kind;
  return person !== null && !person.isMember ? `${creator} (left)` : creator;
}

/** Prints only the key to standard output. The API does not return it again. */
const createKey: Command<[name: string, options: { scope: Scope[]; expires?: string }]> = async (
  { api },
  name,
  { scope: scopes, expires },
) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { name, scopes, ...(expires !== undefined && { expiresAt: expires }) };
  const key: CreatedApiKey = await api.data(api.http.POST('/v1/api-keys', { params, body }));
  const next = [{ command: `pets keys revoke ${key.id}`, when: 'when you no longer need the key' }];
  return report('done', 'created', `Created ${key.display}. The key is shown only once.`, {
    result: key,
    next,
    text: key.secret,
  });
};

const revokeKey: Command<[id: string, options: { leaked?: true }]> = async ({ api }, apiKeyId, { leaked }) => {
  const params = { path: { apiKeyId }, query: leaked === true ? ({ reason: 'leaked' } as const) : {} };
  await api.result(api.http.DELETE('/v1/api-keys/{apiKeyId}', { params }));
  return report('done', 'revoked', `Revoked ${apiKeyId}. It stops working within a second.`);
};

/** Saves a key that the API accepts, and the project. */
const login: Command<[]> = async (context) => {
  const { terminal, settings, configPath } = context;
  const { apiUrl, project } = settings;
  if (apiUrl === null) throw usageFailure('api_url_missing', 'No API URL: pass --api-url URL or set PETS_API_URL.');
  const apiKey = await readSecret(terminal, `API key for ${apiUrl}: `);
  if (apiKey === '')
    throw usageFailure('api_key_missing', 'No API key: enter it at the prompt or pipe it to standard input.');

  await checkKey(new CommandContext({ ...context, settings: { ...settings, apiKey } }).api);
  await writeConfigFile(configPath, { apiUrl, apiKey, ...(project !== null && { projectId: project }) });
  const result = { apiUrl, projectId: project, configFile: configPath };
  return report(
    'done',
    'logged_in',
    `Logged in to ${apiUrl}. The key is saved in ${configPath}, readable only by you.`,
    { result },
  );
};

/** @throws CommandFailure when the API rejects the key or does not respond */
async function checkKey(api: Api): Promise<void> {
  try {
    await api.result(api.http.GET('/v1/projects'));
  } catch (error) {
    // A key without the scope to list projects is valid too.
    if (!(error instanceof ApiFailure) || error.code !== 'forbidden') throw error;
  }
}

/** Deletes the saved key, which stays valid. `pets keys revoke` revokes it. */
const logout: Command<[]> = async ({ configPath }) => {
  const existed = await removeConfigFile(configPath);
  return report(
    'done',
    'logged_out',
    existed ? `Logged out: deleted ${configPath}.` : 'Not logged in: nothing to delete.',
  );
};

type Organization = components['schemas']['Organization'];

/** The organization, key and project that other commands use, and where they come from. */
const whoami: Command<[]> = async (context) => {
  const { api, settings, terminal, showsIds } = context;
  const organization: Organization = await api.data(api.http.GET('/v1/organization'));
  const display = displayOf(api.access.apiKey);
  const key = await findKey(api, display);
  const project = await findProjectOrNull(context);
  const source = sourceOf(context);
  const facts: Facts = [
    ['organization', showsIds ? `${organization.name} (${organization.id})` : organization.name],
    ['plan', organization.plan],
    ['API', settings.apiUrl],
    ['key', `${key === null ? display : `${display} "${key.name}"`}, from ${source}`],
    ['scopes', key?.scopes.length === scopes.length ? 'all' : key?.scopes.join(' ')],
    ['expires', key?.expiresAt && terminal.time(key.expiresAt)],
    ...(organization.notices ?? []).map(({ message }): readonly [string, string] => ['notice', message]),
    [
      'project',
      project === null ? 'none: pass --project' : showsIds ? `${project.slug} (${project.id})` : project.slug,
    ],
  ];
  const result = { organization, apiUrl: settings.apiUrl, key: key ?? { display }, source, project };
  return report('done', 'known', `You act for ${organization.name}.`, {
    result,
    text: presentFacts(facts, terminal.width),
  });
};

/** Shortens a key as the API does in the list of keys. */
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
