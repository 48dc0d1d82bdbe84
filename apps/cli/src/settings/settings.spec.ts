import { describe, expect, it } from '@jest/globals';
import { chooseSettings, parseApiUrl } from './settings.js';

const stored = { apiUrl: 'https://api.pets.example', apiKey: 'stored', projectId: 'stored-project' };

describe('settings', () => {
  it('come from the argument, then the environment, then the file', () => {
    const environment = { PETS_API_URL: 'https://env.example', PETS_API_KEY: 'env', PETS_PROJECT: 'env-project' };
    const given = { apiUrl: 'https://arg.example/', project: 'arg-project' };
    expect(chooseSettings(given, environment, stored)).toEqual({
      apiUrl: 'https://arg.example',
      apiKey: 'env',
      projectId: 'arg-project',
    });
    expect(chooseSettings({}, environment, stored)).toMatchObject({ apiUrl: 'https://env.example', apiKey: 'env' });
    expect(chooseSettings({}, {}, stored)).toEqual({
      apiUrl: 'https://api.pets.example',
      apiKey: 'stored',
      projectId: 'stored-project',
    });
  });

  it('of the file are not told to another API', () => {
    const elsewhere = chooseSettings({ apiUrl: 'https://elsewhere.example' }, {}, stored);
    expect(elsewhere).toEqual({ apiUrl: 'https://elsewhere.example', apiKey: null, projectId: null });
  });

  it('of the file hold for its API however that is written', () => {
    expect(chooseSettings({ apiUrl: 'https://API.pets.example:443/' }, {}, stored).apiKey).toBe('stored');
  });

  it('that are set to nothing are not set', () => {
    const environment = { PETS_API_URL: '', PETS_API_KEY: '', PETS_PROJECT: '' };
    expect(chooseSettings({}, environment, null)).toEqual({ apiUrl: null, apiKey: null, projectId: null });
  });

  it.each([
    'api.pets.example',
    'ftp://api.pets.example',
    'https://user:secret@api.pets.example',
    'https://a.example?x=1',
  ])('take %s for no address of the API', (text) => expect(() => parseApiUrl(text)).toThrow('Invalid API URL'));
});
