import { displayName, type Domain } from '@pets/contracts';
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { domainStrings } from './domain-strings.js';

interface MenuButtonProps extends ActionIconProps, Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  readonly domain: Pick<Domain, 'name' | 'unicodeName'>;
}

/** Opens the menu of a domain. */
export function MenuButton({ domain, ...props }: MenuButtonProps) {
  return (
    <ActionIcon variant="default" size={36} aria-label={domainStrings.menu(displayName(domain))} {...props}>
      <span aria-hidden="true">⋯</span>
    </ActionIcon>
  );
}
