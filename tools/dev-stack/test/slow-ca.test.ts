/** The command `npm run ca`. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startDevCa, type DevCa } from '@pets/testing/dev-ca';
import { writeDevFile, type DevFile } from '../src/supervisor/dev-file.js';

const root = resolve(import.meta.dirname, '../../..');
const unused = 'http://127.0.0.1:1';

let dataDir: string;
let ca: DevCa;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slow-ca-'));
  ca = await startDevCa({ dataDir, dnsServers: [], httpPort: 1 });
});
afterEach(async () => {
  await ca.close();
  await rm(dataDir, { recursive: true });
});

const devFile = (caControlUrl: string | null): DevFile => ({
  ...{ apiUrl: unused, internalUrl: unused, dashboardUrl: unused, edgeHttpUrl: unused, edgeHttpsUrl: unused },
  ...{ dnsControlUrl: null, caControlUrl, caCertificatePath: '', platformDomain: 'pets.localhost', databaseUrl: '' },
  ...{ apiKey: '', organizationId: '', projectId: '', freeApiKey: '', freeProjectId: '' },
});

/** @returns its exit code, and what it prints */
function run(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = ['--import', './tools/sources/register.mjs', 'tools/dev-stack/src/slow-ca.ts', ...words];
  const options = { cwd: root, env: { PATH: process.env['PATH'], DATA_DIR: dataDir } };
  return new Promise((done) => {
    execFile(process.execPath, program, options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('npm run ca', () => {
  it('makes the CA of the running stack slow, shows how it is, and ends it', async () => {
    await writeDevFile(dataDir, devFile(ca.directoryUrl.replace('directory', 'control')));
    const slow = { finalize: 70, validate: 0, retryAfter: 10 };
    expect(JSON.parse((await run('finalize=70', 'retryAfter=10')).stdout)).toEqual(slow);
    expect(JSON.parse((await run()).stdout)).toEqual(slow);
    expect(JSON.parse((await run('finalize=0')).stdout)).toEqual({ finalize: 0, validate: 0, retryAfter: 0 });
  });

  it('changes nothing with a word that it does not know, and says which there are', async () => {
    await writeDevFile(dataDir, devFile(ca.directoryUrl.replace('directory', 'control')));
    for (const word of ['slow=1', 'finalize']) {
      const { code, stderr } = await run(word);
      expect([word, code]).toEqual([word, 1]);
      expect(stderr).toContain('Use npm run ca finalize=70 validate=5 retryAfter=10.');
    }
    expect(JSON.parse((await run()).stdout)).toEqual({ finalize: 0, validate: 0, retryAfter: 0 });
  });

  it('needs a stack that runs, with the development CA', async () => {
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('Run npm start first.') });
    await writeDevFile(dataDir, devFile(null));
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('a CA of yours') });
  });
});
