/** Closed sets of values. The API, its clients, the dashboard, the command line and webhooks derive from these. */

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** The final statuses of an order. */
export const orderEndings = ['fulfilled', 'cancelled'] as const;
export type OrderEnding = (typeof orderEndings)[number];

export const orderStatuses = ['placed', ...orderEndings] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const plans = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** Whether the addresses of a site's pages end in a slash. `auto`: those of folders do, those of files do not. */
export const trailingSlashes = ['auto', 'always', 'never'] as const;
export type TrailingSlash = (typeof trailingSlashes)[number];

/** Authors of deployments. A session of an API key counts as the key. */
export const deploymentAuthorKinds = ['person', 'api_key'] as const;

/** Answers of a site that an explanation follows: as many redirects as search engines do. */
export const MAX_HOPS = 10;

/**
 * The limits of an organization. Each limit has a row for each plan; an organization may have individual limits. The same
 * name is used in the rows, by the operator's command and in `GET /v1/organization`.
 */
export const limitNames = [
  'requestsPerMinute',
  'eventStreams',
  'concurrentUploads',
  'storageBytes',
  'databaseBytes',
  'importBytesPerDay',
  'keptDeployments',
  'channelsPerProject',
  'origins',
  'apiKeys',
  'projects',
  'domainsPerProject',
  'webhookEndpoints',
] as const;
export type LimitName = (typeof limitNames)[number];

/** The permissions of an API key. Every operation under `/v1`, except those on sessions, requires one. */
export const scopes = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'domains:read',
  'domains:write',
  'projects:read',
  'projects:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'people:read',
  'people:write',
  'owners:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Roles of a person in an organization, from most to least rights. `@pets/contracts` maps each role to scopes. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Creators of an API key. */
export const apiKeyCreatorKinds = ['person', 'api_key', 'operator'] as const;
export type ApiKeyCreatorKind = (typeof apiKeyCreatorKinds)[number];

/** Reasons why a key was revoked, other than because somebody wanted it. These values are stored. */
export const keyRevocationReasons = ['leaked', 'person_removed', 'person_demoted'] as const;
export type KeyRevocationReason = (typeof keyRevocationReasons)[number];

/** Notices about keys for owners: a person left keys behind, or a key was reported as leaked. */
export const noticeCodes = ['keys_left_behind', 'key_leaked'] as const;

export const deploymentStates = ['ready', 'collected'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const domainStates = ['awaiting_dns', 'verified', 'live', 'removed'] as const;
export type DomainState = (typeof domainStates)[number];

/** Actions of an import on the domains of its file. */
export const domainImportActions = ['add', 'remove'] as const;
export type DomainImportAction = (typeof domainImportActions)[number];

export type DomainImportFormat = 'ndjson' | 'csv';

/** `uploading` imports are not shown: the client still sends the file. */
export const domainImportStates = ['running', 'finished', 'cancelled', 'failed'] as const;
export type DomainImportState = (typeof domainImportStates)[number];

export const certificateStates = ['pending', 'issued', 'failed', 'expired'] as const;

/** Sources of a certificate: the owner uploaded it, or we ordered it. */
export const certificateSources = ['own', 'automatic'] as const;
export type CertificateSource = (typeof certificateSources)[number];

/** Clients that must trust an uploaded certificate: browsers, or only those that were set up to. */
export const certificateTrusts = ['public', 'private'] as const;
export type CertificateTrust = (typeof certificateTrusts)[number];

/** `checking` whether it is revoked, `active`, or why visitors do not get it any more. */
export const ownCertificateStates = ['checking', 'active', 'expired', 'revoked'] as const;

/** Results of reading the revocation list of a CA; `unknown` where it could not be used. */
export const revocationCheckResults = ['good', 'revoked', 'unknown'] as const;
export type RevocationCheckResult = (typeof revocationCheckResults)[number];

/** How a CA checks that we control a name (RFC 8555 §8), in the order of preference. */
export const challengeMethods = ['http-01', 'dns-01'] as const;
export type ChallengeMethod = (typeof challengeMethods)[number];

/**
 * Whether a domain that awaits its DNS can be switched without an interruption: `waiting` for the delegation record,
 * `preparing` its certificate, `ready`.
 */
export const readinessStates = ['waiting', 'preparing', 'ready'] as const;
export type ReadinessState = (typeof readinessStates)[number];

export const ownershipStates = ['not_required', 'pending', 'proven'] as const;

/**
 * Alerts about a certificate, in order of severity, each sent once: none was issued within half an hour, its renewal is at
 * risk at half of its lifetime, a tenth of its lifetime is left, it has expired.
 */
export const certificateAlerts = ['overdue', 'at_risk', 'expiring', 'expired'] as const;
export type CertificateAlert = (typeof certificateAlerts)[number];

/**
 * How a failed attempt continues: the owner has to act (`user`), the CA limits requests (`rate`), the failure is transient
 * (`passing`), or it is permanent (`final`). These values are stored.
 */
export type FailureClass = 'user' | 'rate' | 'passing' | 'final';

/** The actor of an event: an API key, a person, or the service. */
export const actorKinds = ['api_key', 'person', 'system'] as const;

export const recordTypes = ['CNAME', 'ALIAS', 'TXT', 'A', 'AAAA', 'CAA'] as const;

/**
 * The cause of a suspension: the operator suspended the resource, the plan no longer includes it, or the operator blocked the
 * name. Several causes may apply at once; each ends independently.
 */
export const suspensionCauses = ['operator', 'plan', 'blocked_name'] as const;
export type SuspensionCause = (typeof suspensionCauses)[number];

/** The resource that is suspended. */
export const suspensionScopes = ['organization', 'project', 'domain'] as const;
export type SuspensionScope = (typeof suspensionScopes)[number];

export const redirectStatuses = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** The events that an endpoint can subscribe to. The part before the first dot is the kind of resource in `data`. */
export const webhookEventTypes = [
  'domain.added',
  'domain.verified',
  'domain.verification_failed',
  'domain.ready',
  'domain.certificate.issued',
  'domain.certificate.renewed',
  'domain.certificate.failed',
  'domain.certificate.expiring',
  'domain.live',
  'domain.misconfigured',
  'domain.recovered',
  'domain.issues_found',
  'domain.issues_resolved',
  'domain.address_retiring',
  'domain.suspended',
  'domain.resumed',
  'domain.moved',
  'domain.removed',
  'origin.changed',
  'origin.tested',
  'origin.failing',
  'origin.restored',
  'origin.removed',
  'pet.created',
  'order.created',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** The event that a test of an endpoint sends; it cannot be subscribed to. */
export const WEBHOOK_TEST_TYPE = 'endpoint.test';
export type WebhookMessageType = WebhookEventType | typeof WEBHOOK_TEST_TYPE;

/** `pending`: due, in progress, or waiting for its next attempt. The others are final until a replay is requested. */
export const webhookDeliveryStates = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];

/** The time that statistics of an endpoint are about: the last 24 hours, or the last 7 days. */
export const webhookStatisticsPeriods = ['day', 'week'] as const;
export type WebhookStatisticsPeriod = (typeof webhookStatisticsPeriods)[number];

/** Reasons why an endpoint is disabled: its owner did it, it answered 410, or all deliveries failed for days. */
export const webhookDisabledReasons = ['owner', 'gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];

/** Problems of a domain. Each has an entry in the catalog of `@pets/domains` (`issues/issue-catalog.ts`). */
export const issueCodes = [
  'no_record',
  'entered_with_zone',
  'cname_mismatch',
  'conflicting_a',
  'conflicting_aaaa',
  'conflicting_records',
  'proxied_by_cdn',
  'apex_cname',
  'apex_cname_to_us',
  'apex_not_pointing_here',
  'flattened',
  'address_retiring',
  'ownership_txt_missing',
  'ownership_txt_of_others',
  'delegation_missing',
  'delegation_mismatch',
  'delegation_shadowed',
  'delegation_propagating',
  'delegation_lost',
  'preparation_expired',
  'renewal_stopped',
  'challenge_not_published',
  'resolver_failed',
  'dnssec_broken',
  'propagating',
  'caa_forbids',
  'caa_too_large',
  'caa_unanswered',
  'claimed_elsewhere',
  'http_unreachable',
  'ca_refused',
  'ca_rate_limited',
  'certificate_queued',
  'certificate_pending',
  'ca_unavailable',
  'not_served_yet',
  'certificate_overdue',
  'renewal_at_risk',
  'certificate_expiring',
  'certificate_expired',
  'own_certificate_expiring',
  'own_certificate_expired',
  'own_certificate_revoked',
  'dns_lost',
  'dangling_record',
  'plan_ended',
  'suspended',
] as const;
export type IssueCode = (typeof issueCodes)[number];

/**
 * The subject of an issue: the records of the name (`dns`), the name servers and signatures of its zone (`zone`), who owns it,
 * the record that delegates challenges, its certificate, the plan of its organization, or a suspension.
 */
export const issueAreas = ['dns', 'zone', 'ownership', 'delegation', 'certificate', 'plan', 'suspension'] as const;

/**
 * Reasons why a request to an origin failed: its name has no address, the address is not allowed, no connection, the certificate, no
 * answer in time, an answer that is not HTTP or ends early, too many requests at a time, or an address of this platform.
 */
export const originFailures = [
  'dns',
  'address_not_allowed',
  'connection',
  'certificate',
  'timeout',
  'invalid_answer',
  'limit',
  'loop',
] as const;
export type OriginFailure = (typeof originFailures)[number];

/** Sentences about a test that failed, without their capital and full stop. */
export const originFailureTexts = {
  dns: 'its name has no address',
  address_not_allowed: 'its address is not one that edges may connect to',
  connection: 'it accepts no connection',
  certificate: 'its certificate is not valid',
  timeout: 'it did not answer in time',
  invalid_answer: 'its answer is not HTTP, or ends early',
  limit: 'too many requests were under way',
  loop: 'it is this platform',
} as const satisfies Record<OriginFailure, string>;

/** Whether an origin answers visitors. */
export const originStates = ['testing', 'serving', 'failed'] as const;
export type OriginState = (typeof originStates)[number];

/** Whether the edges can connect to an origin that answers visitors. */
export const originHealthStates = ['reachable', 'failing'] as const;
export type OriginHealthState = (typeof originHealthStates)[number];
