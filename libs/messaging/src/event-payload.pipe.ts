import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';

/** A payload that is not what its schema says will not become so: the event fails at the first attempt, with the reason. */
export class EventPayloadPipe implements PipeTransform {
  constructor(private readonly schema: z.ZodType) {}

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type !== 'body') return value;
    const parsed = this.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new UnrecoverableError(`payload: ${z.prettifyError(parsed.error)}`);
  }
}
