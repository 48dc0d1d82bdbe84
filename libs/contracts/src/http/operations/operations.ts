import type { ErrorCode } from '../errors.js';
import { accessOperations, peopleOperations } from './access.js';
import { deploymentOperations, uploadOperations } from './deployments.js';
import { domainImportOperations } from './domain-imports.js';
import { domainMoveOperations, domainOperations } from './domains.js';
import type { Operation, Operations } from './operation.js';
import { originOperations } from './origins.js';
import { ownCertificateOperations } from './own-certificates.js';
import { channelOperations, domainConfigOperations, projectOperations } from './projects.js';
import { setupOperations } from './setup.js';
import { animalOperations, orderOperations } from './store.js';
import { webhookListenerOperations, webhookOperations } from './webhooks.js';

/** The catalog of all operations under `/v1`, by id. */
export const operations = {
  ...animalOperations,
  ...orderOperations,
  ...projectOperations,
  ...deploymentOperations,
  ...uploadOperations,
  ...channelOperations,
  ...originOperations,
  ...domainOperations,
  ...domainMoveOperations,
  ...setupOperations,
  ...ownCertificateOperations,
  ...domainImportOperations,
  ...domainConfigOperations,
  ...webhookOperations,
  ...webhookListenerOperations,
  ...accessOperations,
  ...peopleOperations,
} as const satisfies Operations;

export type OperationId = keyof typeof operations;

/** Errors of every operation. */
const errorsOfAll = [
  'invalid_request',
  'invalid_parameter',
  'unauthenticated',
  'invalid_api_key',
  'forbidden',
  'method_not_allowed',
  'not_acceptable',
  'timeout',
  'uri_too_long',
  'precondition_failed',
  'expectation_failed',
  'rate_limited',
  'concurrency_limited',
  'headers_too_large',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Additional errors of requests with a body. */
const errorsOfBodies = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Additional errors of requests with an `Idempotency-Key`. */
const errorsOfKeyedRequests = [
  'idempotency_in_progress',
  'idempotency_key_reused',
] as const satisfies readonly ErrorCode[];

/** All error codes of an operation. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const { method, isAllowedWhileSuspended, errors = [] } = operation;
  return [
    ...errorsOfAll,
    ...(method === 'get' ? [] : errorsOfBodies),
    ...(method === 'get' || isAllowedWhileSuspended === true || isOfLink(operation) ? [] : (['suspended'] as const)),
    ...(takesIdempotencyKey(operation) ? errorsOfKeyedRequests : []),
    ...errors,
  ];
}

/** Every POST of a member, but for those that may be repeated without one. */
export function takesIdempotencyKey(operation: Pick<Operation, 'method' | 'holder' | 'isRepeatable'>): boolean {
  return operation.method === 'post' && operation.isRepeatable === undefined && !isOfLink(operation);
}

/** Whether an operation is for whoever has a set-up link, and for no key. */
export function isOfLink({ holder }: Pick<Operation, 'holder'>): boolean {
  return holder === 'setup_link' || holder === 'anybody';
}
