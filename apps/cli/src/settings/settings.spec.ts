import { describe, expect, it } from '@jest/globals';
import { buildSourceOf, parseApiUrl, resolveSettings } from './settings.js';

const stored = { apiUrl: 'https://api.pets.example', apiKey: 'stored', projectId: 'stored-project' };

describe('resolveSettings', () => {
  it('prefers the command line to the environment, and the environment to the file', () => {
    const environment = { PETS_API_URL: 'https://env.example', PETS_API_KEY: 'env', PETS_PROJECT: 'env-project' };
    const given = { apiUrl: 'https://arg.example/', project: 'arg-project' };
    expect(resolveSettings(given, environment, stored)).toEqual({
      apiUrl: 'https://arg.example',
      apiKey: 'env',
      apiKeySource: 'environment',
      project: 'arg-project',
    });
    expect(resolveSettings({}, environment, stored)).toMatchObject({ apiUrl: 'https://env.example', apiKey: 'env' });
    expect(resolveSettings({}, {}, stored)).toEqual({
      apiUrl: 'https://api.pets.example',
      apiKey: 'stored',
      apiKeySource: 'stored',
      project: 'stored-project',
    });
  });

  it('does not use the key of the file for another API', () => {
    const elsewhere = resolveSettings({ apiUrl: 'https://elsewhere.example' }, {}, stored);
    expect(elsewhere).toEqual({ apiUrl: 'https://elsewhere.example', apiKey: null, apiKeySource: null, project: null });
  });

  it('uses the key of the file for another spelling of the same API URL', () => {
    expect(resolveSettings({ apiUrl: 'https://API.pets.example:443/' }, {}, stored).apiKey).toBe('stored');
  });

  it('ignores empty variables', () => {
    const environment = { PETS_API_URL: '', PETS_API_KEY: '', PETS_PROJECT: '' };
    expect(resolveSettings({}, environment, null)).toEqual({
      apiUrl: null,
      apiKey: null,
      apiKeySource: null,
      project: null,
    });
  });

  it.each([
    'api.pets.example',
    'ftp://api.pets.example',
    'https://user:secret@api.pets.example',
    'https://a.example?x=1',
  ])('rejects the API URL %s', (text) => expect(() => parseApiUrl(text)).toThrow('Invalid API URL'));
});

const SHA = '4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e4f1c2d9e';
const github = {
  ...{ GITHUB_REF_NAME: 'main', GITHUB_SHA: SHA, GITHUB_SERVER_URL: 'https://github.com' },
  ...{ GITHUB_HEAD_REF: '', GITHUB_REPOSITORY: 'acme/docs', GITHUB_RUN_ID: '7' },
};
const sourceUrl = 'https://github.com/acme/docs/actions/runs/7';

it.each([
  ['GitHub Actions', github, { branch: 'main', commit: SHA, sourceUrl }],
  [
    'a pull request',
    { ...github, GITHUB_HEAD_REF: 'new-prices', GITHUB_REF_NAME: '12/merge' },
    { branch: 'new-prices', commit: SHA, sourceUrl },
  ],
  [
    'GitLab CI',
    { CI_COMMIT_REF_NAME: 'main', CI_COMMIT_SHA: SHA, CI_PIPELINE_URL: 'https://git.example.com/p/7' },
    { branch: 'main', commit: SHA, sourceUrl: 'https://git.example.com/p/7' },
  ],
  ['a server without TLS', { ...github, GITHUB_SERVER_URL: 'http://git.local' }, { branch: 'main', commit: SHA }],
  ['values of something else', { GITHUB_SHA: 'HEAD', GITHUB_REF_NAME: '' }, {}],
  ['a terminal', {}, {}],
])('%s', (_place, environment, source) => expect(buildSourceOf(environment)).toEqual(source));
