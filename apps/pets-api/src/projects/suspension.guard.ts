import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireChangeable, SuspensionsRepository } from '../access/suspensions/suspensions.repository.js';
import { isWrite } from '../http/operation-of.js';

/**
 * Makes suspended projects read-only, so that their domains cannot move to another project and nothing new is deployed.
 * Requests of suspended organizations are refused earlier, by their key (`access/authentication.ts`).
 */
@Injectable()
export class SuspensionGuard implements CanActivate {
  constructor(private readonly suspensions: SuspensionsRepository) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { method, params, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isWrite(method) || !routeOptions.url?.startsWith('/v1/projects/:projectId')) return true;
    const { success, data } = pathSchema.safeParse(params);
    if (success) requireChangeable((await this.suspensions.ofProjects([data.projectId])).get(data.projectId) ?? []);
    return true;
  }
}

const pathSchema = z.object({ projectId: z.uuid() });
