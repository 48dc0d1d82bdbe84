import { describe, expect, it } from '@jest/globals';
import { evaluateLicence } from './licences.js';

const judge = (name: string, licence: string | undefined, isDevelopment = false) =>
  evaluateLicence({ name, version: '1.0.0', licence, isDevelopment, hasInstallScript: false });

describe('evaluateLicence', () => {
  it.each(['MIT', 'Apache-2.0 AND MIT', '(MIT AND Zlib)', '(BSD-3-Clause OR GPL-2.0)', '(Apache-2.0 OR MPL-1.1)'])(
    'lets %s pass',
    (licence) => expect(judge('any', licence)).toBeNull(),
  );

  it.each(['GPL-3.0-only', 'AGPL-3.0', '(MIT AND GPL-2.0)', 'SEE LICENSE IN LICENSE', 'UNLICENSED', ''])(
    'names %j',
    (licence) => expect(judge('any', licence)).toBe(`any@1.0.0: ${licence}`),
  );

  it('names what gives no licence', () => expect(judge('any', undefined)).toBe('any@1.0.0: no licence'));

  it('excuses a package by name and licence, for development', () => {
    expect(judge('lightningcss-linux-x64-gnu', 'MPL-2.0', true)).toBeNull();
    expect(judge('lightningcss', 'MPL-2.0', false)).toBe('lightningcss@1.0.0: MPL-2.0');
    expect(judge('lightningcss', 'GPL-3.0-only', true)).toBe('lightningcss@1.0.0: GPL-3.0-only');
    expect(judge('lightningcss2', 'MPL-2.0', true)).toBe('lightningcss2@1.0.0: MPL-2.0');
  });
});
