import { describe, expect, it } from '@jest/globals';
import { findAppleDoubles, findSecretContent, findSecretPath, isAddedFile, mayBeAppleDouble } from './bundle-files.js';

it.each<[string, boolean]>([
  ['.DS_Store', true],
  ['a/.DS_Store', true],
  ['__MACOSX/._a', true],
  ['a/__MACOSX/b/c', true],
  ['img/Thumbs.db', true],
  ['__MACOSX', false],
  ['my__MACOSX/a', false],
  ['x.DS_Store', false],
  ['thumbs.db.html', false],
  ['Thumbs.db.html', false],
  ['.well-known/security.txt', false],
  ['.htaccess', false],
])('%s is added by an operating system: %s', (path, isAdded) => expect(isAddedFile(path)).toBe(isAdded));

it.each<[string, boolean]>([
  ['.git/config', true],
  ['a/.git/HEAD', true],
  ['sub/.git', true],
  ['.GIT/config', true],
  ['.env', true],
  ['a/.env', true],
  ['.Env', true],
  ['.env.local', true],
  ['.env.example.local', true],
  ['.env.example', false],
  ['.env.local.sample', false],
  ['.env.template', false],
  ['.environment', false],
  ['.envrc', false],
  ['.env/bin/activate', false],
  ['env', false],
  ['prod.env', false],
  ['.gitignore', false],
  ['.github/x', false],
  ['a.git/x', false],
  ['.well-known/acme-challenge/x', false],
])('%s may be a secret: %s', (path, isSecret) => expect(findSecretPath(path) !== null).toBe(isSecret));

it.each<[string, boolean]>([
  ['-----BEGIN PRIVATE KEY-----\nMII', true],
  ['-----BEGIN RSA PRIVATE KEY-----\r\n', true],
  ['-----BEGIN ENCRYPTED PRIVATE KEY-----', true],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\n', true],
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n', true],
  ['\ufeff-----BEGIN EC PRIVATE KEY-----\n', true],
  ['-----BEGIN CERTIFICATE-----\n', false],
  ['-----BEGIN PUBLIC KEY-----\n', false],
  ['<pre>-----BEGIN PRIVATE KEY-----', false],
  ['# How to\n-----BEGIN PRIVATE KEY-----', false],
  ['', false],
])('%j is the beginning of a private key: %s', (text, isSecret) =>
  expect(findSecretContent(Buffer.from(text)) !== null).toBe(isSecret),
);

it('secrets are described', () => {
  expect([findSecretPath('.git/config'), findSecretPath('.env'), findSecretPath('a')]).toEqual([
    'belongs to a Git repository, which contains earlier versions of all files',
    'usually contains passwords and keys of an application',
    null,
  ]);
  expect(findSecretContent(Buffer.from('-----BEGIN PRIVATE KEY-----'))).toBe('contains a private key');
});

describe('attributes of macOS', () => {
  it.each([
    ['._a', true],
    ['a/._b', true],
    ['long/path/._b', true],
    ['x._a', false],
    ['._a/b', false],
    ['._', false],
  ])('may be in %s: %s', (path, may) => expect(mayBeAppleDouble(path)).toBe(may));

  it('are not in a file that is alone, wherever its name sorts', () => {
    expect(findAppleDoubles(['._zz', 'm'])).toEqual(new Set());
    expect(findAppleDoubles(['._aa', 'm'])).toEqual(new Set());
    expect(findAppleDoubles(['long/._m', 'long/m', 'long/mm'])).toEqual(new Set(['long/._m']));
  });

  it('are files beside the file or folder that they describe', () => {
    const paths = ['._index.html', 'index.html', 'a/._b', 'a/b/c', '._a', '._alone', 'a/._index.html', '._', 'b/._a'];
    expect([...findAppleDoubles(paths)].sort()).toEqual(['._a', '._index.html', 'a/._b']);
  });

  it('are found among many deep paths in linear time', () => {
    const paths = Array.from({ length: 2_000 }, (_, nth) => [`${'a/'.repeat(200)}${nth}`, `._${nth}`]).flat();
    expect(findAppleDoubles(paths).size).toBe(0);
  });
});
