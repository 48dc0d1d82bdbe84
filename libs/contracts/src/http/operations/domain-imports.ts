import { z } from 'zod';
import { domainImportPathSchema, domainImportSchema, importLimits, newDomainImportSchema } from '../domain-imports.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = { tag: 'domain-imports', stability: 'beta' } as const;
const all = { ...common, path: '/v1/projects/{projectId}/domain-imports', params: projectPathSchema } as const;
const one = {
  ...common,
  path: '/v1/projects/{projectId}/domain-imports/{importId}',
  params: domainImportPathSchema,
} as const;

export const domainImportOperations = {
  createDomainImport: {
    ...all,
    method: 'post',
    summary: 'Import a file of domains',
    description:
      'Adds or removes the domains of a file in the background, each as a request for it alone would. The complete file is ' +
      'stored before any of it is done. An organization can have 5 imports that are not ended. Imports share the ' +
      'capacity of the service: each gets a piece of 100 lines in turn. DNS is checked as for a batch. The audit log has one ' +
      'event for the import. The bytes of the files of a day are limited, cancelled imports included.',
    scope: 'domains:write',
    query: newDomainImportSchema,
    body: {
      mediaTypes: ['application/x-ndjson', 'text/csv'],
      maxBytes: importLimits.bytes,
      description:
        'NDJSON: a JSON string or an object with `name` in each line, and optionally `externalId` and `metadata`. CSV (RFC ' +
        '4180): a header with a column `name`, and optionally `external_id` and a column `metadata.KEY` for each key; ' +
        'empty cells set nothing. Semicolons or tabs may separate the columns, as Excel writes them. Other fields and columns ' +
        'are ignored. In UTF-8, or in UTF-16 with a byte order mark: at most 100 000 lines of 4 096 bytes, empty ones ' +
        'included, and 32 MiB. Domains that exist keep their `externalId` and `metadata`.',
    },
    answers: { 201: { description: 'The import.', schema: domainImportSchema, headers: ['Location'] } },
    errors: ['not_found', 'invalid_import', 'plan_required', 'deployment_required', 'storage_limit_reached'],
  },
  listDomainImports: {
    ...all,
    method: 'get',
    summary: 'List imports',
    description: 'The newest hundred imports of the project, newest first.',
    scope: 'domains:read',
    answers: { 200: { description: 'The imports.', schema: z.array(domainImportSchema) } },
    errors: ['not_found'],
  },
  getDomainImport: {
    ...one,
    method: 'get',
    summary: 'Get an import',
    description:
      'Returns the state and the progress. The event stream of the project sends `import` with the id as `importId` ' +
      'whenever it has changed.',
    scope: 'domains:read',
    answers: { 200: { description: 'The import.', schema: domainImportSchema } },
    errors: ['not_found'],
  },
  getDomainImportReport: {
    ...one,
    method: 'get',
    path: '/v1/projects/{projectId}/domain-imports/{importId}/report',
    summary: 'Download the report of an import',
    description:
      'The result of each line that is done, in the order and the format of the file: NDJSON with `line`, ' +
      '`name`, `result`, `id`, `records`, `error` and `externalId`, or CSV with the columns `line`, `name`, `result`, `id`, `record_type`, `record_name`, ' +
      '`record_value`, `error_code`, `error_message` and `external_id`.',
    scope: 'domains:read',
    answers: {
      200: { description: 'The report.', mediaTypes: ['application/x-ndjson', 'text/csv'] },
    },
    errors: ['not_found'],
  },
  cancelDomainImport: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domain-imports/{importId}/cancel',
    summary: 'Cancel an import',
    description: 'No further line is done. What was done stays done, with its report. Idempotent.',
    scope: 'domains:write',
    answers: { 200: { description: 'The import, which has ended.', schema: domainImportSchema } },
    errors: ['not_found'],
  },
} as const satisfies Operations;
