import { Stack, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

/** A part of a page under a heading of its own, so that one can jump to it. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <Title order={2} size="h3" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
