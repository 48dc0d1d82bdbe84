import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A field for an API key, which no browser saves. Mantine does not mark the input of a password as invalid. */
export function KeyInput({ error, ...props }: PasswordInputProps) {
  const isInvalid = error !== undefined && error !== null;
  return (
    <PasswordInput
      {...props}
      error={error}
      aria-invalid={isInvalid || undefined}
      autoComplete="off"
      spellCheck={false}
      required
    />
  );
}
