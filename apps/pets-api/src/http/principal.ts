import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { LimitName, Plan, Scope } from '@pets/contracts';
import type { FastifyRequest } from 'fastify';

/** What an organization may have or do, by name. `Infinity`: not limited. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Who is asking: found by the key, once a request. Everything a request may touch belongs to this organization. */
export interface Principal {
  /** The API key, also where a session stands in for it. */
  readonly apiKeyId: string;
  /** Null when the API key itself is used. */
  readonly sessionId: string | null;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly scopes: readonly Scope[];
  /** Why the operator has suspended the organization; null unless it is. */
  readonly suspendedFor: string | null;
  /** What the organization may have and do, at most a second old. */
  readonly limits: Limits;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Hands the principal to a handler under `/v1`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  principalOf(context.switchToHttp().getRequest()),
);

/** Who is asking under `/v1`, where authentication has already put a principal on the request. */
export function principalOf({ principal }: Pick<FastifyRequest, 'principal'>): Principal {
  if (principal === null) throw new Error('a handler outside /v1 asks for a principal');
  return principal;
}
