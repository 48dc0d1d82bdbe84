import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { listOperations, type OpenApiDocument } from './openapi.js';
import { pythonLiteral, samplesOf, typescriptLiteral } from './samples.js';

const file = join(import.meta.dirname, '../../../../docs/openapi.json');
const operations = listOperations(JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument);

function samples(operationId: string) {
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`no operation ${operationId}`);
  return samplesOf(operation);
}

describe('samplesOf', () => {
  it('sends a JSON body in each language', () => {
    const { curl, TypeScript: typescript, Python: python } = samples('addDomain');
    const path = '/v1/projects/0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f/domains';
    expect(curl).toBe(
      [
        `curl "https://api.pets.example${path}" \\`,
        '  -H "Authorization: Bearer $PETS_API_KEY" \\',
        `  --json '{"name":"docs.example.com"}'`,
      ].join('\n'),
    );
    expect(typescript).toContain("await pets.POST('/v1/projects/{projectId}/domains', {");
    expect(typescript).toContain("  body: { name: 'docs.example.com' },");
    expect(python).toContain(`response = requests.post(\n    "https://api.pets.example${path}",`);
    expect(python).toContain('    json={"name": "docs.example.com"},');
  });

  it('uploads a file', () => {
    const { curl, TypeScript: typescript, Python: python } = samples('createDeployment');
    expect(curl).toContain('-H "Content-Type: application/gzip" \\\n  --data-binary @site.tar.gz');
    expect(typescript).toContain("body: await openAsBlob('site.tar.gz')");
    expect(python).toContain('data=open("site.tar.gz", "rb")');
  });

  it('names the method where curl would choose another', () => {
    expect(samples('removeDomain').curl).toContain('curl -X DELETE "');
    expect(samples('verifyDomain').curl).toContain('curl -X POST "');
    expect(samples('listPets').curl).toMatch(/^curl "/);
  });

  it('prints no body where there is none', () => {
    expect(samples('revokeApiKey').Python).toContain('print(response.status_code)');
    expect(samples('revokeApiKey').TypeScript).not.toContain('data');
  });

  it.each(operations.map(({ operationId }) => operationId))('%s: no sample sends tracing headers', (operationId) => {
    for (const sample of Object.values(samples(operationId))) expect(sample).not.toMatch(/x-request-id|traceparent/i);
  });
});

const value = { 'a-b': "it's", list: [1, true, null], empty: {} };

describe('literals', () => {
  it('are TypeScript', () =>
    expect(typescriptLiteral(value)).toBe(String.raw`{ 'a-b': 'it\'s', list: [1, true, null], empty: {} }`));

  it('are Python', () => expect(pythonLiteral(value)).toBe(`{"a-b": "it's", "list": [1, True, None], "empty": {}}`));

  it('are broken into lines where they are long', () =>
    expect(typescriptLiteral({ name: 'x'.repeat(70), b: { c: 1 } }, '  ')).toBe(
      `{\n    name: '${'x'.repeat(70)}',\n    b: { c: 1 },\n  }`,
    ));

  it('keep quotes and escapes of TypeScript valid', () =>
    expect(typescriptLiteral('a "b" \\ c\nd')).toBe(String.raw`'a "b" \\ c\nd'`));
});
