import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig, setting } from './config.js';

const schema = z.object({
  PORT: setting.port().default(3000),
  TOKEN: z.string().min(4),
  DEBUG: setting.flag().default(false),
});

describe('loadConfig', () => {
  it('applies defaults and parses text', () => {
    expect(loadConfig(schema, { TOKEN: 'abcd', DEBUG: 'true' })).toEqual({ PORT: 3000, TOKEN: 'abcd', DEBUG: true });
  });

  it('accepts a base URL with or without a final slash', () => {
    const base = z.object({ URL: setting.baseUrl() });
    for (const url of ['https://api.example', 'https://api.example/'])
      expect(loadConfig(base, { URL: url })).toEqual({ URL: 'https://api.example' });
  });

  it('reads a secret from the file that NAME_FILE points to', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'token');
    writeFileSync(file, 'from-file\n');
    expect(loadConfig(schema, { TOKEN_FILE: file }).TOKEN).toBe('from-file');
  });

  it('treats an empty variable or file as not set', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'port');
    writeFileSync(file, '\n');
    expect(loadConfig(schema, { TOKEN: 'abcd', PORT_FILE: file, DEBUG: '' })).toMatchObject({
      PORT: 3000,
      DEBUG: false,
    });
    expect(() => loadConfig(schema, { TOKEN_FILE: file })).toThrow('TOKEN: is required');
  });

  it('refuses a removed setting, unless the schema has it', () => {
    const env = { TOKEN: 'abcd', QUEUE_MAC: 'accept' };
    expect(() => loadConfig(schema, env)).toThrow(/^QUEUE_MAC: no longer exists/);
    expect(loadConfig(schema.extend({ QUEUE_MAC: z.string() }), env).QUEUE_MAC).toBe('accept');
  });

  it.each([
    [{}, 'TOKEN: is required'],
    [{ TOKEN: '' }, 'TOKEN: is required'],
    [{ TOKEN: 'abcd', PORT: '70000' }, 'PORT: '],
    [{ TOKEN_FILE: '/does/not/exist' }, 'TOKEN_FILE: cannot read /does/not/exist'],
  ])('names the variable that is wrong: %j', (env, message) => {
    expect(() => loadConfig(schema, env)).toThrow(message);
  });
});
