import { StandardSchemaValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { parseInput, type InputKind } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { z } from 'zod';

const kinds = { body: 'body', query: 'query', param: 'path', custom: 'body' } as const satisfies Record<
  ArgumentMetadata['type'],
  InputKind
>;

/** Checks bodies, queries and path parameters by their zod schemas; the refusal lists every field at fault. */
class ValidationPipe extends StandardSchemaValidationPipe {
  override transform<Value>(value: Value, metadata: ArgumentMetadata): Promise<Value> {
    const { schema, type, data } = metadata;
    if (!(schema instanceof z.ZodType) || type === 'custom') return super.transform(value, metadata);
    this.stripProtoKeys(value);
    return Promise.resolve(requireValid(schema, value, kinds[type], data) as Value);
  }
}

export const validationPipe = new ValidationPipe();

/** @throws RequestError `invalid_parameter` */
export function requireValid<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: InputKind,
  name?: string,
): z.infer<Schema> {
  const parsed = parseInput(schema, value, kind, name);
  if (!parsed.ok) throw RequestError.ofFields('invalid_parameter', parsed.errors);
  return parsed.value;
}
