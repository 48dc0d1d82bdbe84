import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import {
  channelChangeSchema,
  channelNameSchema,
  newChannelLinkSchema,
  type Channel,
  type ChannelChange,
  type CreatedChannelLink,
  type EndedChannelLinks,
  type NewChannelLink,
  type RemovedChannel,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { ChannelLinks } from './channel-links.service.js';
import { ChannelRemovals, ChannelsService } from './channels.service.js';

type Id = z.infer<typeof idSchema>;

@Controller('v1/projects/:projectId/channels')
export class ChannelsController {
  constructor(
    private readonly channels: ChannelsService,
    private readonly removals: ChannelRemovals,
    private readonly links: ChannelLinks,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
  ): Promise<Channel[]> {
    return this.channels.list(organizationId, projectId);
  }

  @Get(':channel')
  get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('channel', { schema: channelNameSchema }) name: string,
  ): Promise<Channel> {
    return this.channels.get(organizationId, projectId, name);
  }

  @Put(':channel')
  async put(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('channel', { schema: channelNameSchema }) name: string,
    @Body({ schema: channelChangeSchema }) change: ChannelChange,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Channel> {
    const { channel, isNew } = await this.channels.put(organizationId, projectId, name, change);
    reply.status(isNew ? 201 : 200);
    return channel;
  }

  /** 204: no edge serves it any more. 202: `pendingEdges` have not answered yet. */
  @Delete(':channel')
  async remove(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('channel', { schema: channelNameSchema }) name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RemovedChannel | undefined> {
    const pendingEdges = await this.removals.remove(organizationId, projectId, name);
    reply.status(pendingEdges === 0 ? 204 : 202);
    return pendingEdges === 0 ? undefined : { name, projectId, pendingEdges };
  }

  @Post(':channel/links')
  createLink(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('channel', { schema: channelNameSchema }) name: string,
    @Body({ schema: newChannelLinkSchema }) { expiresIn }: NewChannelLink,
  ): Promise<CreatedChannelLink | JsonText> {
    const { organizationId } = call.principal;
    return this.idempotency.run(call, async (db) => {
      const { url, expiresAt } = await this.links.create(db, organizationId, projectId, name, expiresIn);
      return { body: { url, expiresAt: expiresAt.toISOString() } };
    });
  }

  /** 204: no edge accepts them any more. 202: `pendingEdges` have not answered yet. */
  @Delete(':channel/links')
  async endLinks(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('channel', { schema: channelNameSchema }) name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EndedChannelLinks | undefined> {
    const pendingEdges = await this.links.end(organizationId, projectId, name);
    reply.status(pendingEdges === 0 ? 204 : 202);
    return pendingEdges === 0 ? undefined : { pendingEdges };
  }
}
