import { readFileSync } from 'node:fs';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface DescribedOperation {
  readonly operationId: string;
  readonly 'x-required-scope'?: string;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<(typeof methods)[number], DescribedOperation>>>>>;
}

/** The scope of each operation that needs one, by its id. The catalog itself would bring every schema into the browser. */
export function readOperationScopes(descriptionFile: string): Readonly<Record<string, string>> {
  const { paths } = JSON.parse(readFileSync(descriptionFile, 'utf8')) as Description; // a test compares it with the API
  const operations = Object.values(paths).flatMap((path) => methods.flatMap((method) => path[method] ?? []));
  return Object.fromEntries(
    operations.flatMap(({ operationId, 'x-required-scope': scope }) =>
      scope === undefined ? [] : [[operationId, scope] as const],
    ),
  );
}
