import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { findWriteBlock, type Suspension } from '@pets/domains';
import { RequestError } from '@pets/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SuspensionsRepository } from './suspensions.repository.js';

/**
 * A project that the operator has suspended can be read and not changed: its domains cannot leave for another project, and
 * nothing is deployed unseen. That of an organization is refused earlier, by its key (`scopes.ts`).
 */
@Injectable()
export class SuspensionGuard implements CanActivate {
  constructor(@Inject(SuspensionsRepository) private readonly suspensions: SuspensionsRepository) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { method, params, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isWrite(method) || !routeOptions.url?.startsWith('/v1/projects/:projectId')) return true;
    const { success, data } = pathSchema.safeParse(params);
    if (success) requireChangeable((await this.suspensions.ofProjects([data.projectId])).get(data.projectId) ?? []);
    return true;
  }
}

const pathSchema = z.object({ projectId: z.uuid() });

export function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** @throws DomainError `suspended` when the operator has suspended it */
export function requireChangeable(suspensions: readonly Suspension[]): void {
  const block = findWriteBlock(suspensions);
  if (block !== undefined) throw suspended(block.scope, block.reason);
}

export function suspended(scope: Suspension['scope'], reason: string): RequestError {
  return new RequestError('suspended', `The ${scope} is suspended: ${reason}. Contact the operator.`);
}
