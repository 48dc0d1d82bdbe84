import { describe, expect, it } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deploymentFileKey, openFileStorage } from './file-storage.js';

describe('deploymentFileKey', () => {
  it.each([
    ['index.html', 'ab/index.html'],
    ['assets/app-1_2.js', 'ab/assets/app-1_2.js'],
    ['[slug].js', 'ab/!5bslug!5d.js'],
    ['a  b!', 'ab/a!20!20b!21'],
    ['é', 'ab/!c3!a9'],
    ['../x', 'ab/.!2e/x'],
    ['a/...', 'ab/a/..!2e'],
  ])('%s is kept at %s', (path, key) => expect(deploymentFileKey('ab', path)).toBe(key));

  it.each(['index.html', '.well-known/x', 'a  b', 'a b', '[slug].js', 'page@2x.png', 'café/x.html', 'a.', '.../x'])(
    'brings back what was stored as %j, and nothing else',
    async (path) => {
      const storage = openFileStorage(pathToFileURL(mkdtempSync(join(tmpdir(), 'storage-'))).href);
      await storage.put(deploymentFileKey('ab', path), path);
      expect(await storage.get(deploymentFileKey('ab', path))).toBe(path);
      expect(await storage.exists(deploymentFileKey('ab', `${path}x`))).toBe(false);
    },
  );
});
