import { apiErrorOf, type ApiError, type ErrorCode } from './errors.js';
import { fieldError } from './field-errors.js';

interface ErrorDescription {
  /** What has happened and what to do: for the interface description and the page of the problem. */
  readonly meaning: string;
  /** A message such as it comes with. */
  readonly example: string;
}

/** What each code means. */
export const errorDescriptions = {
  invalid_request: {
    meaning: 'The message itself is broken: its URL, its headers or its framing. Mend the client.',
    example: 'The URL is malformed.',
  },
  invalid_parameter: {
    meaning:
      'A field of the body, a part of the path or a query parameter is not acceptable. The message names the first, ' +
      '`errors` lists all.',
    example: 'limit: must be an integer from 1 to 100',
  },
  invalid_cursor: {
    meaning: 'The cursor was made for another list, other filters or another organization. Start again without it.',
    example: 'cursor: was not made for this list. Start again without it.',
  },
  malformed_json: {
    meaning: 'The body is not JSON in UTF-8, is nested too deep, or gives a key twice.',
    example: 'The body is nested deeper than 32 levels.',
  },
  invalid_domain: {
    meaning: 'This is no host name that can be served; the message says why.',
    example: 'name: co.uk is a public suffix, under which others register their names.',
  },
  wildcard_not_supported: {
    meaning: 'A name with `*` was given. Certificates are made for single names: add each one by itself.',
    example: 'name: Wildcard names are not supported: add each name by itself.',
  },
  invalid_bundle: {
    meaning: 'The bundle is no gzipped tar of plain files at safe paths.',
    example: 'The bundle holds no file.',
  },
  redirect_cycle: {
    meaning: 'The redirects lead back to where they begin; the message lists the circle.',
    example: 'domains.redirects: these redirect in a circle: a.example.com → b.example.com → a.example.com',
  },
  name_reserved: {
    meaning:
      'The platform keeps this name for itself, or people or programs would take it for the platform. Choose another one.',
    example: 'slug: "login" is reserved. Choose another name, such as "login-site".',
  },
  unauthenticated: {
    meaning: 'No key was sent. Send one as a bearer token.',
    example: 'Send an API key: Authorization: Bearer <key>.',
  },
  invalid_api_key: {
    meaning: 'The key is unknown, malformed, expired or revoked, or is one of another environment.',
    example: 'The API key is not valid.',
  },
  forbidden: {
    meaning: 'The key lacks the scope that the operation asks for, or is of the wrong kind.',
    example: 'The key lacks the scope pets:write.',
  },
  suspended: {
    meaning:
      'The operator has suspended the organization, the project or the domain. It can be read and not changed; contact the operator.',
    example: 'The organization is suspended: phishing reports. Contact the operator.',
  },
  name_blocked: {
    meaning: 'The operator does not allow this domain, or any name below one above it. The message says why.',
    example: 'name: login.bank.example cannot be added: phishing reports. Contact the operator.',
  },
  plan_required: {
    meaning: 'The organization’s plan does not include this.',
    example: 'Custom domains need a paid plan (Pro or above).',
  },
  domain_limit_reached: {
    meaning: 'The project has as many domains as a project can have. Remove one first.',
    example: 'A project can have at most 50 domains.',
  },
  webhook_limit_reached: {
    meaning: 'The organization has as many webhook endpoints as one can have. Delete one first.',
    example: 'An organization can have at most 20 webhook endpoints.',
  },
  project_limit_reached: {
    meaning: 'The organization has as many projects as its plan allows. Ask the operator for a higher limit.',
    example: 'The organization can have at most 10 projects.',
  },
  api_key_limit_reached: {
    meaning: 'The organization has as many API keys as it may have. Revoke one that is no longer used.',
    example: 'The organization can have at most 100 API keys. Revoke one that is no longer used.',
  },
  storage_limit_reached: {
    meaning:
      'The organization stores as much as it may. Delete deployments, or deploy less: files that no kept deployment ' +
      'needs are deleted after about a day.',
    example: 'With this deployment the organization would have 1073742000 bytes stored; it may have 1073741824.',
  },
  not_found: {
    meaning: 'There is no such thing, or it belongs to another organization.',
    example: 'There is no such animal.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method; `Allow` lists those it has.',
    example: 'This path takes GET, HEAD, OPTIONS, POST.',
  },
  not_acceptable: {
    meaning: 'The client accepts no form in which this can be answered. Accept `application/json`.',
    example: 'The answer can only be application/json.',
  },
  timeout: {
    meaning: 'The request did not arrive in time. Send it again over a better connection.',
    example: 'The body did not arrive in time.',
  },
  conflict: {
    meaning: 'The state of the thing forbids this; the message says which state it is in.',
    example: 'The animal is pending; only an available one can be ordered.',
  },
  already_exists: {
    meaning: 'The name is taken. Choose another one.',
    example: 'slug: "acme-docs" is taken.',
  },
  domain_exists: {
    meaning: 'The organization has this domain already, in this project or in another one.',
    example: 'name: docs.example.com is already a domain of your organization.',
  },
  deployment_required: {
    meaning: 'The project has nothing to serve yet. Deploy it first.',
    example: 'Deploy the project successfully before adding a domain.',
  },
  deployment_collected: {
    meaning: 'The deployment is not kept any more, and its files are being deleted. Deploy them again.',
    example: 'The files of this deployment are not kept any more. Deploy them again.',
  },
  reverify_too_early: {
    meaning: 'A fresh certificate cannot be asked for now. Where it can be later, `Retry-After` says when.',
    example: 'A certificate attempt is under way.',
  },
  idempotency_in_progress: {
    meaning: 'The first request with this Idempotency-Key is still under way. Ask again after `Retry-After` seconds.',
    example: 'A request with this Idempotency-Key is still under way.',
  },
  gone: {
    meaning: 'The operation has ended. Its `Link` header says what to call instead.',
    example: 'Getting a single animal has ended. List animals by status: GET /v1/pets?status=.',
  },
  precondition_failed: {
    meaning: 'The thing is not the one that the request is meant for: somebody changed it. Read it again, then decide.',
    example: 'If-Match, If-None-Match: the configuration is not the one you mean. Read it again.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the operation takes.',
    example: 'The body is too large.',
  },
  uri_too_long: {
    meaning: 'The URL, or a part of its path, is too long.',
    example: 'The URL is longer than 4096 characters.',
  },
  unsupported_media_type: {
    meaning: 'The body is of a type, charset or encoding that the operation does not take.',
    example: 'The body must be application/json.',
  },
  expectation_failed: {
    meaning: 'The `Expect` header asks for something other than `100-continue`.',
    example: 'The only expectation that can be met is 100-continue.',
  },
  idempotency_key_reused: {
    meaning: 'The Idempotency-Key was used before with another body. Take a new key for a new request.',
    example: 'This Idempotency-Key was used with another body.',
  },
  rate_limited: {
    meaning:
      'The organization, with all its keys and sessions, has made more requests or has more streams open than it may. ' +
      'Try again after `Retry-After` seconds.',
    example: 'The organization may send 1000 requests in 60 seconds.',
  },
  headers_too_large: {
    meaning: 'The header section is larger than 16 KiB.',
    example: 'The header section is too large.',
  },
  internal: {
    meaning: 'Something went wrong on our side. The request id helps us to find out what.',
    example: 'Something went wrong on our side.',
  },
  unavailable: {
    meaning: 'The service cannot do this now. Try again shortly.',
    example: 'The service cannot reach its database or queue. Try again shortly.',
  },
} as const satisfies Record<ErrorCode, ErrorDescription>;

/** An error of a code as it is answered; an example that names a field is about that field. */
export function exampleErrorOf(code: ErrorCode): ApiError {
  const { example } = errorDescriptions[code];
  const [, field, message] = /^([A-Za-z][\w.-]*): (.+)$/.exec(example) ?? [];
  return apiErrorOf(code, example, field && message ? [fieldError(field, message)] : undefined);
}
