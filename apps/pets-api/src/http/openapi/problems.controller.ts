import { Controller, Get, Param, Res } from '@nestjs/common';
import { apiErrorOf, errorDescriptions, errorStatus, problemOf, type ErrorCode } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';

/** The pages behind the `type` of problem details: public, without scripts or other resources. */
@Controller('problems')
export class ProblemsController {
  @Get(':code')
  read(@Param('code') code: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (!isErrorCode(code)) throw new RequestError('not_found', 'There is no such problem type.');
    reply.type('text/html; charset=utf-8').header('content-security-policy', "default-src 'none'");
    return pageOf(code);
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}

function pageOf(code: ErrorCode): string {
  const { meaning, example } = errorDescriptions[code];
  const { title, status } = problemOf(apiErrorOf(code, example), { publicUrl: '', requestId: '' });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>Code <code>${code}</code>, status <code>${status}</code>.</p>
<p>${escapeHtml(meaning)}</p>
<p>For example: <q>${escapeHtml(example)}</q></p>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
