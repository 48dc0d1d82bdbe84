import { expect, it } from '@jest/globals';
import { buildSourceOf } from './build-source.js';

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
