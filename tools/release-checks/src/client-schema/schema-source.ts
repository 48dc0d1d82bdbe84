import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { REPOSITORY } from '../repository.js';

/** The committed interface description, and the file of `libs/client` with its types. */
export const INTERFACE_DESCRIPTION = join(REPOSITORY, 'docs/openapi.json');
export const CLIENT_SCHEMA = join(REPOSITORY, 'libs/client/src/schema.ts');

/** A JSON number beyond 2^53 is read as `bigint`: see `exact-json.ts` of the client. */
const int64 = ts.factory.createUnionTypeNode([
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword),
]);

const blob = ts.factory.createTypeReferenceNode('Blob');

/** The types of the interface description, as the text of `schema.ts`. */
export async function schemaSource(description: string): Promise<string> {
  const nodes = await openapiTS(description, {
    transform: ({ format }) => (format === 'int64' ? int64 : format === 'binary' ? blob : undefined),
    // A field with a default is optional in a request.
    defaultNonNullable: false,
  });
  return `// Made from docs/openapi.json by \`npm run openapi\`.\n\n${astToString(nodes)}`;
}
