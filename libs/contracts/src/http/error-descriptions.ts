import { apiErrorOf, type ApiError, type ErrorCode } from './errors.js';
import { fieldError } from './field-errors.js';

interface ErrorDescription {
  /** Cause and what to do, for the OpenAPI document and the page of the problem. */
  readonly meaning: string;
  /** A typical message. */
  readonly example: string;
}

/** The meaning of each error code. */
export const errorDescriptions = {
  invalid_request: {
    meaning: 'The HTTP message is malformed: its URL, its headers or its framing. Fix the client.',
    example: 'The URL is malformed.',
  },
  invalid_parameter: {
    meaning:
      'A field of the body, a part of the path or a query parameter is not valid. The message names the first, `errors` ' +
      'lists all.',
    example: 'limit: must be an integer from 1 to 100',
  },
  invalid_cursor: {
    meaning: 'The cursor belongs to another list, other filters or another organization. Start again without it.',
    example: 'cursor: is not valid for this list. Start again without a cursor.',
  },
  malformed_json: {
    meaning: 'The body is not JSON in UTF-8, is nested too deeply, or contains a key twice.',
    example: 'The body is nested deeper than 32 levels.',
  },
  invalid_domain: {
    meaning: 'The name cannot be served; the message says why.',
    example: 'name: co.uk is a public suffix: other people register names below it.',
  },
  invalid_certificate: {
    meaning:
      'The certificate cannot be read, or visitors’ browsers would refuse it: its chain, key, signature or extensions are ' +
      'not accepted. The message says why.',
    example: 'certificate: certificate 1 is not signed by certificate 2. Send the chain in order, the leaf first.',
  },
  invalid_private_key: {
    meaning: 'The private key cannot be read, is encrypted, or is of a type that browsers do not accept.',
    example: 'privateKey: the key is encrypted. Send it without a passphrase.',
  },
  certificate_key_mismatch: {
    meaning: 'The private key is not the key of the certificate.',
    example: 'privateKey: is not the key of the certificate.',
  },
  certificate_name_mismatch: {
    meaning:
      'The subject alternative names of the certificate do not include the domain. The common name does not count.',
    example: 'certificate: is for www.example.com, not for docs.example.com.',
  },
  certificate_expired: {
    meaning: 'The certificate, or one of its chain, has expired, ends within a day, or is not valid yet.',
    example: 'certificate: certificate 1 expired at 2026-10-01T00:00:00.000Z.',
  },
  certificate_untrusted: {
    meaning:
      'The chain does not lead to a root that browsers trust. Add the missing intermediate certificate, or send ' +
      '`"trust": "private"` if your visitors trust another root.',
    example: 'certificate: the chain lacks the certificate of "Example Issuing CA", which signed certificate 1.',
  },
  automatic_certificate_missing: {
    meaning:
      'Without the own certificate visitors would get an error, since there is no valid automatic one. Wait until it is ' +
      'issued, or send `force=true`.',
    example: 'There is no valid automatic certificate for docs.example.com yet.',
  },
  invalid_bundle: {
    meaning: 'The bundle is not a gzipped tar archive of plain files at safe paths.',
    example: 'The bundle contains no files.',
  },
  invalid_import: {
    meaning: 'The file of the import is not valid, or larger than an import may be. Nothing of it was done.',
    example: 'The header of the CSV file has no column "name".',
  },
  invalid_logo: {
    meaning: 'The image is not a PNG or a WebP that stands still, is damaged, or has too many pixels.',
    example: 'The file is an SVG. Send a PNG or a WebP.',
  },
  redirect_cycle: {
    meaning: 'The redirects form a cycle; the message lists it.',
    example: 'domains.redirects: these redirects form a loop: a.example.com → b.example.com → a.example.com',
  },
  name_reserved: {
    meaning:
      'The platform reserves this name, because people or programs could mistake it for the platform. Choose another one.',
    example: 'slug: "login" is reserved. Choose another name, such as "login-site".',
  },
  unauthenticated: {
    meaning: 'The request has no API key. Send one as a bearer token.',
    example: 'Send an API key: Authorization: Bearer <key>.',
  },
  invalid_api_key: {
    meaning: 'The key is unknown, malformed, expired or revoked, or belongs to another environment.',
    example: 'The API key is not valid.',
  },
  forbidden: {
    meaning:
      'The key lacks the scope that the operation requires, or is of the wrong kind; or a page that is not the dashboard sent the request with its session.',
    example: 'The key lacks the scope pets:write.',
  },
  suspended: {
    meaning:
      'The operator has suspended the organization, the project or the domain. It can be read but not changed. Contact the operator.',
    example: 'The organization is suspended: phishing reports. Contact the operator.',
  },
  name_blocked: {
    meaning: 'The operator does not allow this domain or one of its parent domains. The message says why.',
    example: 'name: login.bank.example cannot be added: phishing reports. Contact the operator.',
  },
  plan_required: {
    meaning: 'The organization’s plan does not include this feature.',
    example: 'Custom domains need a paid plan (Pro or above).',
  },
  domain_limit_reached: {
    meaning: 'The project has the maximum number of domains. Remove one first.',
    example: 'A project can have at most 1000 domains.',
  },
  webhook_limit_reached: {
    meaning: 'The organization has the maximum number of webhook endpoints. Delete one first.',
    example: 'An organization can have at most 20 webhook endpoints.',
  },
  project_limit_reached: {
    meaning: 'The organization has the maximum number of projects of its plan. Ask the operator for a higher limit.',
    example: 'The organization can have at most 10 projects.',
  },
  channel_limit_reached: {
    meaning: 'The project has the maximum number of channels. Remove one first.',
    example: 'A project can have at most 50 channels. Remove one first.',
  },
  origin_limit_reached: {
    meaning: 'The organization has the maximum number of origins, of projects and domains. Remove one first.',
    example: 'The organization can have at most 200 origins. Remove one first.',
  },
  api_key_limit_reached: {
    meaning: 'The organization has the maximum number of API keys. Revoke one that is no longer used.',
    example: 'The organization can have at most 100 API keys. Revoke one that is no longer used.',
  },
  storage_limit_reached: {
    meaning:
      'The organization has used its storage, for deployments or in the database; the message says which. Of deployments, ' +
      'delete some: files that no kept deployment needs are deleted after about a day. In the database, cancel imports or ' +
      'delete animals, orders or webhook endpoints, or ask the operator for a higher limit.',
    example: 'With this deployment the organization would store 1073742000 bytes; its limit is 1073741824.',
  },
  not_found: {
    meaning: 'The resource does not exist, or it belongs to another organization.',
    example: 'There is no such animal.',
  },
  method_not_allowed: {
    meaning: 'The path does not support this method; `Allow` lists the methods it supports.',
    example: 'This path allows GET, HEAD, OPTIONS, POST.',
  },
  not_acceptable: {
    meaning: 'The `Accept` header allows no media type of the answer. Accept `application/json`.',
    example: 'The response is only available as application/json.',
  },
  timeout: {
    meaning: 'The request did not arrive in time. Send it again.',
    example: 'The body did not arrive in time.',
  },
  conflict: {
    meaning: 'The state of the resource does not allow this; the message names the state.',
    example: 'The animal is pending; only an available one can be ordered.',
  },
  already_exists: {
    meaning: 'The name is taken. Choose another one.',
    example: 'slug: "acme-docs" is taken.',
  },
  domain_exists: {
    meaning: 'The organization already has this domain, in this project or in another one.',
    example: 'name: docs.example.com is already a domain of your organization.',
  },
  wildcard_needs_dns_challenge: {
    meaning:
      'Certificates of wildcards need DNS-01 challenges, for which the operator has to set ACME_DNS_SERVER, ACME_DNS_ZONE and ' +
      'ACME_DNS_TSIG_KEY. Add each name separately until then.',
    example:
      'name: A wildcard needs DNS-01 challenges, which this installation does not have. The operator has to set ' +
      'ACME_DNS_SERVER, ACME_DNS_ZONE and ACME_DNS_TSIG_KEY. Add each name separately until then.',
  },
  deployment_required: {
    meaning: 'The project has nothing to serve yet. Deploy it, or set an origin that passes its test.',
    example: 'Deploy the project successfully, or set an origin that passes its test, before adding a domain.',
  },
  deployment_collected: {
    meaning: 'The deployment is no longer kept, and its files are being deleted. Deploy them again.',
    example: 'The files of this deployment were deleted. Deploy them again.',
  },
  upload_incomplete: {
    meaning: 'Files of the upload were not sent yet. Send them, and repeat the request.',
    example: '2 files are lacking: index.html, app.js.',
  },
  reverify_too_early: {
    meaning: 'A new certificate cannot be requested now. If it can be requested later, `Retry-After` says when.',
    example: 'A certificate request is in progress.',
  },
  keys_undecided: {
    meaning:
      'API keys that the person made, or that were made with them, are still valid. `errors` lists the first 20. Repeat the ' +
      'request with `keys=revoke` or `keys=keep`.',
    example: 'keys: must be "revoke" or "keep": 1 API key of this person is still valid, “Import” (pets_live_…k3Qz)',
  },
  idempotency_in_progress: {
    meaning: 'The first request with this Idempotency-Key is still in progress. Try again after `Retry-After` seconds.',
    example: 'A request with this Idempotency-Key is still in progress.',
  },
  gone: {
    meaning: 'The operation was removed after its sunset. The `Link` header names its successor.',
    example: 'getPet was removed. List animals by status: GET /v1/pets?status=.',
  },
  precondition_failed: {
    meaning:
      'The resource has changed since it was read: read it again, then repeat the request. Or it has no `ETag`, so that ' +
      'no `If-Match` matches: the message says so.',
    example: 'If-Match, If-None-Match: the configuration has another version. Read it again.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the operation accepts.',
    example: 'The body is too large.',
  },
  uri_too_long: {
    meaning: 'The URL, or a part of its path, is too long.',
    example: 'The URL is longer than 4096 characters.',
  },
  unsupported_media_type: {
    meaning: 'The operation does not accept the media type, charset or encoding of the body.',
    example: 'The body must be application/json.',
  },
  expectation_failed: {
    meaning: 'The `Expect` header asks for something other than `100-continue`.',
    example: 'The only supported expectation is 100-continue.',
  },
  idempotency_key_reused: {
    meaning: 'The Idempotency-Key was used before with another body. Use a new key for a new request.',
    example: 'This Idempotency-Key was already used with a different body.',
  },
  rate_limited: {
    meaning:
      'The organization, with all its keys and sessions, has exceeded its limit of requests or open streams. Try again ' +
      'after `Retry-After` seconds.',
    example: 'The organization may send 1000 requests in 60 seconds.',
  },
  concurrency_limited: {
    meaning:
      'The organization has more requests under way than its share of the server allows, and this one waited for two ' +
      'seconds. It had no effect. Try again after `Retry-After` seconds, with fewer requests at a time.',
    example: 'The organization has too many requests under way. Try again in a second.',
  },
  headers_too_large: {
    meaning: 'The header section is larger than 16 KiB.',
    example: 'The header section is too large.',
  },
  internal: {
    meaning: 'Something went wrong on our side. Contact the operator with the request id.',
    example: 'Something went wrong on our side.',
  },
  unavailable: {
    meaning: 'The service is temporarily unavailable. Try again shortly.',
    example: 'The service cannot reach its database or queue. Try again shortly.',
  },
} as const satisfies Record<ErrorCode, ErrorDescription>;

/** An example of an error answer. Where the example message names a field, `errors` names it too. */
export function exampleErrorOf(code: ErrorCode): ApiError {
  const { example } = errorDescriptions[code];
  const [, field, message] = /^([A-Za-z][\w.-]*): (.+)$/.exec(example) ?? [];
  return apiErrorOf(code, example, field && message ? [fieldError(field, message)] : undefined);
}
