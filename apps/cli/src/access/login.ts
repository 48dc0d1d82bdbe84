import type { Api } from '../api/api.js';
import { ApiFailure } from '../api/api-failure.js';
import { CommandContext, type Command } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { removeConfigFile, writeConfigFile } from '../settings/config-file.js';
import { readSecret } from '../terminal/read-secret.js';

/** `pets login`: keeps a key that the API knows, and the project to begin with. */
export const login: Command<[]> = async ({ terminal, settings, configPath }) => {
  const { apiUrl, projectId } = settings;
  if (apiUrl === null) throw usageFailure('api_url_missing', 'No API URL: pass --api-url URL or set PETS_API_URL.');
  const apiKey = await readSecret(terminal, `API key for ${apiUrl}: `);
  if (apiKey === '')
    throw usageFailure('api_key_missing', 'No API key: enter it at the prompt or pipe it to standard input.');

  const trial = new CommandContext(terminal, { ...settings, apiKey }, configPath);
  await tryKey(trial.api);
  await writeConfigFile(configPath, { apiUrl, apiKey, ...(projectId !== null && { projectId }) });
  const result = { apiUrl, projectId, configFile: configPath };
  return report(
    'done',
    'logged_in',
    `Logged in to ${apiUrl}. The key is saved in ${configPath}, readable only by you.`,
    { result },
  );
};

/** @throws CommandFailure where the API does not know the key, or does not answer */
async function tryKey(api: Api): Promise<void> {
  try {
    await api.answer(api.http.GET('/v1/projects'));
  } catch (error) {
    // A key that may not list projects is a good key all the same.
    if (!(error instanceof ApiFailure) || error.code !== 'forbidden') throw error;
  }
}

/** `pets logout`. The key itself goes on to work; `pets keys revoke` ends one. */
export const logout: Command<[]> = async ({ configPath }) => {
  const existed = await removeConfigFile(configPath);
  return report(
    'done',
    'logged_out',
    existed ? `Logged out: deleted ${configPath}.` : 'Not logged in: nothing to delete.',
  );
};
