import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { REPOSITORY } from '../src/repository.js';
import { billOfMaterials, deliveredApps, readLock } from '../src/sbom/bill-of-materials.js';

const bill = billOfMaterials(readLock(), deliveredApps);
const names = new Set(bill.components.map(({ name }) => name));

const packageSchema = z.looseObject({ name: z.string(), dependencies: z.record(z.string(), z.string()) });

describe('the bill of materials', () => {
  it.each(deliveredApps)('has %s and what it depends on', (folder) => {
    const text = readFileSync(join(REPOSITORY, folder, 'package.json'), 'utf8');
    const { name, dependencies } = packageSchema.parse(JSON.parse(text));
    expect([name, ...Object.keys(dependencies)].filter((each) => !names.has(each))).toEqual([]);
  });

  it('has what dependencies depend on', () => {
    // fastify → light-my-request → cookie; bullmq → msgpackr.
    expect([...names]).toEqual(expect.arrayContaining(['light-my-request', 'cookie', 'msgpackr']));
  });

  it('has nothing that only develops', () => {
    const tools = ['jest', 'vite', 'typescript', '@pets/testing', '@pets/dev-stack', 'typeorm', '@20minutes/s3rver'];
    expect(tools.filter((name) => names.has(name))).toEqual([]);
  });

  it('names each component once, and leads to no other', () => {
    const refs = bill.components.map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const all = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(all.filter((ref) => !refs.includes(ref) && ref !== bill.metadata.component['bom-ref'])).toEqual([]);
  });

  it('says what may be relied on: licence and hash of what comes from a registry', () => {
    const foreign = bill.components.filter(({ name }) => !name.startsWith('@pets/'));
    expect(foreign.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    const unlicensed = foreign.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
    // MIT, in the form of before SPDX.
    expect(unlicensed).toEqual(['busboy', 'streamsearch']);
  });
});
