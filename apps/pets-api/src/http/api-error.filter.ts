import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from './describe-error.js';

/** The one place where something thrown becomes a response. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { body, headers } = describeError(error);
    if (body.status >= 500) {
      const route = request.routeOptions.url;
      this.log.error({ err: error, method: request.method, route, requestId: request.id }, 'request failed');
    }
    if (reply.sent) return;
    void reply.status(body.status).headers(headers).send(body);
  }
}
