import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { LimitName, Plan, Scope } from '@pets/contracts';
import type { FastifyRequest } from 'fastify';

/** Limits by name. `Infinity` means no limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The authenticated caller of a request. A request may access only its organization. */
export interface Principal {
  /** The API key; for a session, the key that opened it. */
  readonly apiKeyId: string;
  /** Null when the API key itself is used. */
  readonly sessionId: string | null;
  /** Person who signed in with the identity provider, and when; null for an API key and its sessions. */
  readonly person: { readonly id: string; readonly signedInAt: Date } | null;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly scopes: readonly Scope[];
  /** The operator's reason for suspending the organization; null if it is not suspended. */
  readonly suspendedFor: string | null;
  /** The limits of the organization, at most a second old. */
  readonly limits: Limits;
}

/**
 * A visitor who has opened a set-up link: a principal that only the operations below `/v1/setup` accept, and that may access only
 * the domain of the link and the other name of its pair.
 */
export interface SetupAccess {
  readonly linkId: string;
  readonly expiresAt: Date;
  readonly organizationId: string;
  readonly projectId: string;
  readonly domainId: string;
  readonly returnUrl: string | null;
  /** The limits of the organization. Requests are counted by link, and start at the pace that these allow. */
  readonly limits: Limits;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    setup: SetupAccess | null;
  }
}

/** The organization that a request uses shares of; null for a request of nobody. */
export function tenantOf({
  principal,
  setup,
}: Pick<FastifyRequest, 'principal' | 'setup'>): Pick<Principal, 'organizationId' | 'limits'> | null {
  return principal ?? setup;
}

/** Hands the access of a set-up link to a handler below `/v1/setup`. */
export const CurrentSetup = createParamDecorator((_: unknown, context: ExecutionContext): SetupAccess => {
  const { setup } = context.switchToHttp().getRequest<FastifyRequest>();
  if (setup === null) throw new Error('a handler outside /v1/setup asks for a set-up link');
  return setup;
});

/** Hands the principal to a handler under `/v1`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  principalOf(context.switchToHttp().getRequest()),
);

/** The caller of a route under `/v1`, which authentication has set. */
export function principalOf({ principal }: Pick<FastifyRequest, 'principal'>): Principal {
  if (principal === null) throw new Error('a handler outside /v1 asks for a principal');
  return principal;
}
